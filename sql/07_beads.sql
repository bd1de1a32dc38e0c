-- Macros over tables of beads: runs of sentences that are translations of each other. `source`,
-- `beads`, `hyp` and `gold` are names of tables, views or Python frames, or Parquet paths and
-- globs, as strings. Such a table has doc, src_start, src_end, tgt_start, tgt_end (0-based,
-- half-open) and optionally score and system; a missing system is called 'hypothesis', a missing
-- document 'document'. A sentence without a translation is a bead with an empty side, whose
-- position is ignored. The type of a bead is its numbers of sentences, such as '2-1' or '1-0'.

-- The type of a bead.
--   select bead_type(src_start, src_end, tgt_start, tgt_end), count(*) from 'gold.parquet' group by 1
create or replace temp macro bead_type(src_start, src_end, tgt_start, tgt_end) as
  (src_end - src_start) || '-' || (tgt_end - tgt_start);

-- Whether beads of a type have sentences on one side only.
create or replace temp macro is_one_sided(type) as type like '0-%' or type like '%-0';

-- F = 2PR / (P + R) of precision and recall; 0 where both are 0, null where either is null.
create or replace temp macro bead_f(share, found) as
  case
    when share + found = 0 then 0.0
    else 2 * share * found / (share + found)
  end;

-- Any table of beads, with every column: system, doc, src_start, src_end, tgt_start, tgt_end, score,
-- and part_of: the type and sentences of the bead that skips some, of which a row is a part.
--   select * from bead_rows('hyp/*.parquet')
create or replace temp macro bead_rows(source) as table
with
_columns_known as (
  select
    null as system,
    null::varchar as doc,
    null::integer as src_start,
    null::integer as src_end,
    null::integer as tgt_start,
    null::integer as tgt_end,
    null::double as score,
    null::varchar as part_of
  where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(source)
)
select
  system_name(system, source, null) as system,
  coalesce(doc::varchar, 'document') as doc,
  src_start::integer as src_start,
  src_end::integer as src_end,
  tgt_start::integer as tgt_start,
  tgt_end::integer as tgt_end,
  score::double as score,
  part_of::varchar as part_of
from _given
where (
  select fine
  from checked_columns(
    source, ['src_start', 'src_end', 'tgt_start', 'tgt_end'], 'give a table of beads'
  )
) and case
  -- Decided by the types, before rows are read; a cast would round.
  when regexp_matches(typeof([src_start, src_end, tgt_start, tgt_end]), 'FLOAT|DOUBLE|DECIMAL|VARCHAR')
    then error(source || ': sentence numbers that are not whole numbers; expected whole numbers')
  else true
end;

-- Invalid beads: system, doc, fault. For sentences in two beads, only each document's first.
--   select * from bead_faults('hyp.parquet')
create or replace temp macro bead_faults(source) as table
with
_rows as (
  select * from bead_rows(source)
),
_sides as (
  select system, doc, 'source' as side, src_start as first, src_end as past from _rows
  union all
  select system, doc, 'target' as side, tgt_start as first, tgt_end as past from _rows
),
_followed as (
  select
    *,
    max(past) over (
      partition by system, doc, side order by first, past
      rows between unbounded preceding and 1 preceding
    ) as reached
  from _sides
  where first < past
)
select system, doc, 'a bead without numbers on both sides' as fault
from _rows
where (src_start + src_end + tgt_start + tgt_end) is null
union all
select
  system,
  doc,
  'a bead of the ' || side || ' sentences from ' || first || ' up to, without, ' || past as fault
from _sides
where first < 0 or past < first
union all
select system, doc, 'a bead without sentences on either side' as fault
from _rows
where src_start = src_end and tgt_start = tgt_end
union all
select
  system,
  doc,
  side || ' sentence ' || min(first) || ' (counted from 0) is in two beads' as fault
from _followed
where first < reached
group by system, doc, side;

-- The rows of bead_rows() with the type; invalid beads are an error, but not a sentence in two
-- beads if they are taken as written.
-- Port of alignframe.formats.bead_table.checked_beads.
--   select * from checked_beads('hyp.parquet') where type = '2-1'
create or replace temp macro checked_beads(source, as_written := false) as table
with
_checked as (
  select
    case when count(*) = 0 then true
      else error(min('the system ' || system || ', document ''' || doc || ''': ' || fault))
    end as fine
  from bead_faults(source)
  where not (as_written and fault like '% is in two beads')
)
select given.*, bead_type(src_start, src_end, tgt_start, tgt_end) as type
from bead_rows(source) as given
join _checked on _checked.fine;

-- The number of beads of each type: system, type, beads, most frequent first.
-- Port of alignframe.cli.beads_align.count_types.
--   select * from bead_types('gold.parquet')
create or replace temp macro bead_types(source) as table
select system, type, count(*) as beads
from checked_beads(source)
group by system, type
order by system, beads desc, type;

-- Beads as pairs of sentences, one row per pair: system, doc, i, j. A bead counts as all pairs of
-- its two sides.
--   select * from bead_pairs('gold.parquet')
create or replace temp macro bead_pairs(source) as table
with
_sources as (
  select system, doc, tgt_start, tgt_end, unnest(range(src_start, src_end))::integer as i
  from checked_beads(source)
)
select system, doc, i, unnest(range(tgt_start, tgt_end))::integer as j
from _sources
order by all;

-- Beads that cross others of their document: system, doc, beads (with sentences on both sides),
-- crossing (those whose target is before that of a bead with an earlier source).
--   select * from bead_crossings('gold.parquet') where crossing > 0
create or replace temp macro bead_crossings(source) as table
with
_followed as (
  select
    system,
    doc,
    tgt_start < max(tgt_end) over (
      partition by system, doc order by src_start
      rows between unbounded preceding and 1 preceding
    ) as crosses
  from checked_beads(source)
  where not is_one_sided(type)
)
select system, doc, count(*) as beads, count(*) filter (crosses) as crossing
from _followed
group by system, doc
order by system, doc;

-- Any table of sentences by document: doc, sid (0-based), text.
--   select * from sentence_rows('english')
create or replace temp macro sentence_rows(sentences) as table
with
_columns_known as (
  select null::varchar as doc, null::bigint as sid, null::varchar as text where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(sentences)
)
select coalesce(doc::varchar, 'document') as doc, sid, text
from _given
where (
  select fine
  from checked_columns(
    sentences, ['sid', 'text'], 'one row per sentence, with sid counted from 0, and doc'
  )
);

-- The text of beads with sentences on both sides, in source order: system, doc, src, tgt, score,
-- src_start, src_end, tgt_start, tgt_end, type. `src` and `tgt` are tables of sentences: sid
-- (0-based), text, and doc if there are several documents; sentences of a bead are joined by
-- spaces. A sentence or document missing from the text is an error.
-- Port of alignframe.formats.bead_bitext.
--   select src, tgt from bead_bitext('hyp.parquet', 'english', 'french') where score > 0.9
create or replace temp macro bead_bitext(beads, src, tgt) as table
with
_texts as (
  select 'source' as side, * from sentence_rows(src)
  union all
  select 'target' as side, * from sentence_rows(tgt)
),
_documents as (
  select
    side,
    list(distinct doc order by doc) as docs,
    array_to_string(docs[:3], ', ') || if(len(docs) > 3, ', ...', '') as named
  from _texts
  group by side
),
_beads as (
  select * from checked_beads(beads) where not is_one_sided(type)
),
_sentences as (
  select system, doc, src_start, 'source' as side, unnest(range(src_start, src_end)) as sid
  from _beads
  union all
  select system, doc, src_start, 'target' as side, unnest(range(tgt_start, tgt_end)) as sid
  from _beads
),
_found as (
  select
    _sentences.*,
    case
      when _texts.text is not null then _texts.text
      when coalesce(list_contains(_documents.docs, _sentences.doc), false)
        then error(
          'the text of document ''' || _sentences.doc || ''' has no ' || _sentences.side
          || ' sentence ' || _sentences.sid || ' (counted from 0)'
        )
      else error(
        'the ' || _sentences.side || ' text has no document ''' || _sentences.doc
        || '''; it has ' || coalesce(_documents.named, 'none')
      )
    end as text
  from _sentences
  left join _texts using (side, doc, sid)
  left join _documents using (side)
),
_joined as (
  select
    system,
    doc,
    src_start,
    string_agg(text, ' ' order by sid) filter (side = 'source') as src,
    string_agg(text, ' ' order by sid) filter (side = 'target') as tgt,
    count(distinct (side, sid)) = count(*) as single
  from _found
  group by system, doc, src_start
)
select
  system, doc, _joined.src, _joined.tgt, score, src_start, src_end, tgt_start, tgt_end, type
from _beads
join _joined using (system, doc, src_start)
where case
  when single then true
  else error('the text of document ''' || doc || ''' gives a sentence more than once')
end
order by system, doc, src_start;

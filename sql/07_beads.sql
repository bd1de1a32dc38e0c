-- Questions about tables of beads: runs of sentences that are translations of each other. `source`,
-- `beads`, `hyp` and `gold` are names of tables, views or Python frames, or Parquet paths and globs,
-- as strings. Such a table has doc, src_start, src_end, tgt_start, tgt_end (0-based, half-open) and
-- maybe score and system; a missing system is called 'hypothesis', a missing document 'document'. A
-- sentence without a translation is a bead whose other side is empty; where that side's place is,
-- does not matter. The type of a bead is its numbers of sentences, such as '2-1' or '1-0'.

-- The type of a bead.
--   select bead_type(src_start, src_end, tgt_start, tgt_end), count(*) from 'gold.parquet' group by 1
create or replace temp macro bead_type(src_start, src_end, tgt_start, tgt_end) as
  (src_end - src_start) || '-' || (tgt_end - tgt_start);

-- Whether beads of a type have sentences on one side only.
create or replace temp macro is_one_sided(type) as type like '0-%' or type like '%-0';

-- F = 2PR / (P + R) of precision and recall: 0 where both are 0, null where either is null.
create or replace temp macro bead_f(share, found) as
  case
    when share + found = 0 then 0.0
    else 2 * share * found / (share + found)
  end;

-- Any table of beads, with every column: system, doc, src_start, src_end, tgt_start, tgt_end, score.
--   select * from bead_rows('hyp/*.parquet')
create or replace temp macro bead_rows(source) as table
with
_columns_known as (
  select
    null::varchar as system,
    null::varchar as doc,
    null::integer as src_start,
    null::integer as src_end,
    null::integer as tgt_start,
    null::integer as tgt_end,
    null::double as score
  where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from query_table(source)
)
select
  coalesce(system::varchar, 'hypothesis') as system,
  coalesce(doc::varchar, 'document') as doc,
  src_start::integer as src_start,
  src_end::integer as src_end,
  tgt_start::integer as tgt_start,
  tgt_end::integer as tgt_end,
  score::double as score
from _given
where (
  select fine
  from checked_columns(
    source, ['src_start', 'src_end', 'tgt_start', 'tgt_end'], 'give a table of beads'
  )
);

-- What is wrong with beads: system, doc, fault. Of a side's sentences that stand in two beads, each
-- document's first.
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
  side || ' sentence ' || min(first) || ' (counted from 0) stands in two beads' as fault
from _followed
where first < reached
group by system, doc, side;

-- The rows of bead_rows() and the type; beads with a fault are an error.
-- Port of alignframe.formats.bead_table.checked_beads.
--   select * from checked_beads('hyp.parquet') where type = '2-1'
create or replace temp macro checked_beads(source) as table
with
_checked as (
  select
    case when count(*) = 0 then true
      else error(min('the system ' || system || ', document ''' || doc || ''': ' || fault))
    end as fine
  from bead_faults(source)
)
select given.*, bead_type(src_start, src_end, tgt_start, tgt_end) as type
from bead_rows(source) as given
join _checked on _checked.fine;

-- How many beads of each type: system, type, beads, most frequent first.
--   select * from bead_types('gold.parquet')
create or replace temp macro bead_types(source) as table
select system, type, count(*) as beads
from checked_beads(source)
group by system, type
order by system, beads desc, type;

-- Beads as pairs of sentences, one row per pair: system, doc, i, j. A bead stands for every pair of its
-- two sides.
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
-- crossing (of them, those whose target lies before that of a bead with an earlier source).
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

-- Any table of sentences, in the documents they belong to: doc, sid (0-based), text.
--   select * from sentence_rows('english')
create or replace temp macro sentence_rows(sentences) as table
with
_columns_known as (
  select null::varchar as doc, null::bigint as sid, null::varchar as text where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from query_table(sentences)
)
select coalesce(doc::varchar, 'document') as doc, sid, text
from _given
where (
  select fine
  from checked_columns(
    sentences, ['sid', 'text'], 'one row per sentence, with sid counted from 0, and doc'
  )
);

-- The text of beads with sentences on both sides, in the order of the source: system, doc, src, tgt,
-- score, src_start, src_end, tgt_start, tgt_end, type. `src` and `tgt` are tables of sentences: sid
-- (0-based), text, and doc where there are several documents; sentences of a bead are joined by a
-- blank. A sentence or document that the text lacks is an error.
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
    string_agg(text, ' ' order by sid) filter (side = 'target') as tgt
  from _found
  group by system, doc, src_start
)
select
  system, doc, _joined.src, _joined.tgt, score, src_start, src_end, tgt_start, tgt_end, type
from _beads
join _joined using (system, doc, src_start)
order by system, doc, src_start;

-- Additive counts of every system, document and type: system, doc, type, n_hyp, n_gold (beads of the
-- type), n_hyp_strict, n_gold_strict (of them, those identical to a bead of the other table),
-- n_hyp_lax, n_gold_lax (those identical to one, or overlapping one on both sides), n_hyp_pairs,
-- n_gold_pairs (pairs of sentences in them), n_both_pairs (of the hypothesis' pairs, those in gold),
-- n_src_aligned, n_tgt_aligned (sentences in the hypothesis' beads with both sides). A document or
-- system missing from the hypothesis counts as empty; `systems` names those expected.
--   select * from bead_type_counts('hyp.parquet', 'gold.parquet')
create or replace temp macro bead_type_counts(hyp, gold, systems := null) as table
with
_found as (
  select * from checked_beads(hyp)
),
_systems as (
  select distinct system from _found
  union
  select unnest(systems)
),
_wanted as (
  select given.* replace (_named.system as system)
  from checked_beads(gold) as given
  cross join (
    select system from _systems
    union all
    select 'hypothesis' where not exists (from _systems)
  ) as _named
),
_same as (  -- the empty side of a bead may lie anywhere
  select _found.system, _found.doc, _found.type
  from _found
  join _wanted
    on _found.system = _wanted.system
    and _found.doc = _wanted.doc
    and _found.type = _wanted.type
    and case when _found.type like '0-%' then _found.tgt_start else _found.src_start end
      = case when _wanted.type like '0-%' then _wanted.tgt_start else _wanted.src_start end
    and (_found.tgt_start = _wanted.tgt_start or is_one_sided(_found.type))
),
_meeting as (  -- a row for each source sentence that stands in a bead of both tables
  select
    mine.system,
    mine.doc,
    mine.src_start as hyp_start,
    mine.type as hyp_type,
    yours.src_start as gold_start,
    yours.type as gold_type,
    least(mine.tgt_end, yours.tgt_end) - greatest(mine.tgt_start, yours.tgt_start) as n_pairs
  from (
    select *, unnest(range(src_start, src_end)) as i from _found where tgt_start < tgt_end
  ) as mine
  join (
    select *, unnest(range(src_start, src_end)) as i from _wanted where tgt_start < tgt_end
  ) as yours
    on mine.system = yours.system and mine.doc = yours.doc and mine.i = yours.i
),
_parts as (
  select
    system,
    doc,
    type,
    count(*) as n_hyp,
    sum((src_end - src_start)::bigint * (tgt_end - tgt_start)) as n_hyp_pairs,
    sum(src_end - src_start) filter (not is_one_sided(type)) as n_src_aligned,
    sum(tgt_end - tgt_start) filter (not is_one_sided(type)) as n_tgt_aligned
  from _found
  group by all
  union all by name
  select
    system,
    doc,
    type,
    count(*) as n_gold,
    sum((src_end - src_start)::bigint * (tgt_end - tgt_start)) as n_gold_pairs
  from _wanted
  group by all
  union all by name
  select
    system,
    doc,
    type,
    count(*) as n_hyp_strict,
    count(*) as n_gold_strict,
    count(*) filter (is_one_sided(type)) as n_hyp_lax,
    count(*) filter (is_one_sided(type)) as n_gold_lax
  from _same
  group by all
  union all by name
  select
    system,
    doc,
    hyp_type as type,
    count(distinct hyp_start) as n_hyp_lax,
    sum(n_pairs) as n_both_pairs
  from _meeting
  where n_pairs > 0
  group by all
  union all by name
  select system, doc, gold_type as type, count(distinct gold_start) as n_gold_lax
  from _meeting
  where n_pairs > 0
  group by all
)
select
  system,
  doc,
  type,
  coalesce(sum(n_hyp), 0)::bigint as n_hyp,
  coalesce(sum(n_gold), 0)::bigint as n_gold,
  coalesce(sum(n_hyp_strict), 0)::bigint as n_hyp_strict,
  coalesce(sum(n_gold_strict), 0)::bigint as n_gold_strict,
  coalesce(sum(n_hyp_lax), 0)::bigint as n_hyp_lax,
  coalesce(sum(n_gold_lax), 0)::bigint as n_gold_lax,
  coalesce(sum(n_hyp_pairs), 0)::bigint as n_hyp_pairs,
  coalesce(sum(n_gold_pairs), 0)::bigint as n_gold_pairs,
  coalesce(sum(n_both_pairs), 0)::bigint as n_both_pairs,
  coalesce(sum(n_src_aligned), 0)::bigint as n_src_aligned,
  coalesce(sum(n_tgt_aligned), 0)::bigint as n_tgt_aligned
from _parts
group by system, doc, type
order by system, doc, type;

-- Additive counts of every system and document: the columns of bead_type_counts() without the type,
-- n_src and n_tgt (sentences of the document). `one_sided` says where beads with one empty side count:
-- 'precision', among the hypothesis' beads alone, as in the evaluation of Bleualign and Vecalign;
-- 'count', on both; 'ignore', on neither. A document's sentences end with its last bead's, of either
-- table, unless `lengths` names a table with doc, n_src and n_tgt.
--   select * from bead_counts('hyp.parquet', 'gold.parquet', one_sided := 'ignore')
create or replace temp macro bead_counts(
  hyp, gold, one_sided := 'precision', lengths := '_no_lengths', systems := null
) as table
with
_no_lengths as (
  select null::varchar as doc, null::bigint as n_src, null::bigint as n_tgt where false
),
_lengths_given as (
  select * from _no_lengths
  union all by name
  select * from query_table(lengths)
),
_checked as (
  select fine
  from checked_columns(
    lengths, ['doc', 'n_src', 'n_tgt'], 'one row per document, with its numbers of sentences'
  )
),
_known as (
  select coalesce(doc::varchar, 'document') as doc, n_src, n_tgt from _lengths_given
),
_of_hyp as (
  select
    system,
    doc,
    max(src_end) filter (src_start < src_end) as n_src,
    max(tgt_end) filter (tgt_start < tgt_end) as n_tgt
  from bead_rows(hyp)
  group by all
),
_of_gold as (
  select
    doc,
    max(src_end) filter (src_start < src_end) as n_src,
    max(tgt_end) filter (tgt_start < tgt_end) as n_tgt
  from bead_rows(gold)
  group by all
),
_parts as (
  select
    *,
    one_sided != 'ignore' or not is_one_sided(type) as in_hyp,
    one_sided = 'count' or not is_one_sided(type) as in_gold
  from bead_type_counts(hyp, gold, systems := systems)
  where case
    when one_sided in ('precision', 'count', 'ignore') then true
    else error(
      'one_sided is ' || coalesce(one_sided, 'null') || '; expected precision, count or ignore'
    )
  end
),
_sums as (
  select
    system,
    doc,
    coalesce(sum(n_hyp) filter (in_hyp), 0)::bigint as n_hyp,
    coalesce(sum(n_gold) filter (in_gold), 0)::bigint as n_gold,
    coalesce(sum(n_hyp_strict) filter (in_hyp), 0)::bigint as n_hyp_strict,
    coalesce(sum(n_gold_strict) filter (in_gold), 0)::bigint as n_gold_strict,
    coalesce(sum(n_hyp_lax) filter (in_hyp), 0)::bigint as n_hyp_lax,
    coalesce(sum(n_gold_lax) filter (in_gold), 0)::bigint as n_gold_lax,
    sum(n_hyp_pairs)::bigint as n_hyp_pairs,
    sum(n_gold_pairs)::bigint as n_gold_pairs,
    sum(n_both_pairs)::bigint as n_both_pairs,
    sum(n_src_aligned)::bigint as n_src_aligned,
    sum(n_tgt_aligned)::bigint as n_tgt_aligned
  from _parts
  group by system, doc
)
select
  _sums.*,
  case when _checked.fine
    then coalesce(_known.n_src, greatest(_of_hyp.n_src, _of_gold.n_src), 0)
  end::bigint as n_src,
  coalesce(_known.n_tgt, greatest(_of_hyp.n_tgt, _of_gold.n_tgt), 0)::bigint as n_tgt
from _sums
cross join _checked
left join _of_hyp using (system, doc)
left join _of_gold using (doc)
left join _known using (doc)
order by system, doc;

-- Scores of beads by type: the columns of `counts`, a table of counts or of their sums, with
-- strict_precision, strict_recall, strict_f, lax_precision, lax_recall and lax_f. Precision is null
-- where the system has no beads, recall where gold has none, F where either is.
-- Port of alignframe.beads.scores.
--   select * from bead_hits('counts')
create or replace temp macro bead_hits(counts) as table
with
_columns_known as (
  select
    null::bigint as n_hyp,
    null::bigint as n_gold,
    null::bigint as n_hyp_strict,
    null::bigint as n_gold_strict,
    null::bigint as n_hyp_lax,
    null::bigint as n_gold_lax
  where false
),
_given as (
  select * from query_table(counts)
  where (
    select fine
    from checked_columns(
      counts,
      ['n_hyp', 'n_gold', 'n_hyp_strict', 'n_gold_strict', 'n_hyp_lax', 'n_gold_lax'],
      'bead_counts(hyp, gold) gives such a table'
    )
  )
  union all by name
  select * from _columns_known
)
select
  *,
  n_hyp_strict / nullif(n_hyp, 0) as strict_precision,
  n_gold_strict / nullif(n_gold, 0) as strict_recall,
  bead_f(strict_precision, strict_recall) as strict_f,
  n_hyp_lax / nullif(n_hyp, 0) as lax_precision,
  n_gold_lax / nullif(n_gold, 0) as lax_recall,
  bead_f(lax_precision, lax_recall) as lax_f
from _given;

-- The scores of bead_hits(), and those of Zaidan & Chowdhary 2013, section 4.3: pair_precision and
-- pair_recall (of pairs of sentences), alignment_rate (the share of sentences that stand in beads
-- with both sides, the mean of those sides that have sentences). `counts` is a table of
-- bead_counts() or of their sums.
-- Port of alignframe.beads.scores.
--   select doc, strict_f, alignment_rate from bead_measures('counts') order by strict_f
create or replace temp macro bead_measures(counts) as table
with
_columns_known as (
  select
    null::bigint as n_hyp,
    null::bigint as n_gold,
    null::bigint as n_hyp_strict,
    null::bigint as n_gold_strict,
    null::bigint as n_hyp_lax,
    null::bigint as n_gold_lax,
    null::bigint as n_hyp_pairs,
    null::bigint as n_gold_pairs,
    null::bigint as n_both_pairs,
    null::bigint as n_src_aligned,
    null::bigint as n_tgt_aligned,
    null::bigint as n_src,
    null::bigint as n_tgt
  where false
),
_given as (
  select * from query_table(counts)
  where (
    select fine
    from checked_columns(
      counts,
      [
        'n_hyp', 'n_gold', 'n_hyp_strict', 'n_gold_strict', 'n_hyp_lax', 'n_gold_lax',
        'n_hyp_pairs', 'n_gold_pairs', 'n_both_pairs', 'n_src_aligned', 'n_tgt_aligned',
        'n_src', 'n_tgt'
      ],
      'bead_counts(hyp, gold) gives such a table'
    )
  )
  union all by name
  select * from _columns_known
)
select
  *,
  n_both_pairs / nullif(n_hyp_pairs, 0) as pair_precision,
  n_both_pairs / nullif(n_gold_pairs, 0) as pair_recall,
  list_avg([n_src_aligned / nullif(n_src, 0), n_tgt_aligned / nullif(n_tgt, 0)])
    as alignment_rate
from bead_hits('_given');

-- Scores of every system over all documents: system, the summed counts, and the columns of
-- bead_measures().
-- Port of alignframe.beads.scores.
--   select * from bead_scores('hyp.parquet', 'gold.parquet')
create or replace temp macro bead_scores(
  hyp, gold, one_sided := 'precision', lengths := '_no_lengths', systems := null
) as table
with
_no_lengths as (
  select null::varchar as doc, null::bigint as n_src, null::bigint as n_tgt where false
),
_totals as (
  select system, sum(columns(* exclude (system, doc)))::bigint
  from bead_counts(hyp, gold, one_sided := one_sided, lengths := lengths, systems := systems)
  group by system
)
select * from bead_measures('_totals') order by system;

-- Scores of every system by type, one-sided beads among them: system, type, the summed counts,
-- and the columns of bead_hits().
-- Port of alignframe.beads.scores.
--   select * from bead_type_scores('hyp.parquet', 'gold.parquet') where type = '1-1'
create or replace temp macro bead_type_scores(hyp, gold, systems := null) as table
with
_totals as (
  select system, type, sum(columns(* exclude (system, doc, type)))::bigint
  from bead_type_counts(hyp, gold, systems := systems)
  group by system, type
)
select * from bead_hits('_totals') order by system, type;

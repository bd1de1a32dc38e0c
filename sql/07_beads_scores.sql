-- Scores of beads against gold, from additive counts. `hyp` and `gold` are tables of beads as in
-- 07_beads.sql.

-- Additive counts of every system, document and type: system, doc, type, n_hyp, n_gold (beads of
-- the type), n_hyp_strict, n_gold_strict (those identical to a bead of the other table), n_hyp_lax,
-- n_gold_lax (those identical to one, or overlapping one on both sides), n_hyp_pairs, n_gold_pairs
-- (their pairs of sentences), n_both_pairs (the hypothesis' pairs that are in gold), n_src_aligned,
-- n_tgt_aligned (sentences in the hypothesis' beads with both sides). A document or system missing
-- from the hypothesis counts as empty; `systems` names the expected ones. With `gold_as_written`,
-- gold may have a sentence in two beads; a pair of sentences in two counts once, with the first.
--   select * from bead_type_counts('hyp.parquet', 'gold.parquet')
create or replace temp macro bead_type_counts(
  hyp, gold, systems := null, gold_as_written := false
) as table
with
_found as (
  select
    * replace (coalesce(split_part(part_of, ' ', 1), type) as type),
    coalesce(part_of, row_number() over ()::varchar) as bead
  from checked_beads(hyp)
),
_systems as (
  select distinct system from _found
  union
  select unnest(systems)
),
_golden as (
  select
    * replace (coalesce(split_part(part_of, ' ', 1), type) as type),
    coalesce(part_of, row_number() over ()::varchar) as bead
  from checked_beads(gold, as_written := gold_as_written)
),
_one_gold as (
  select
    case
      when count(distinct system) < 2 then true
      else error(
        'gold holds the systems ' || string_agg(distinct system, ', ' order by system)
        || '; expected one; choose it in a view'
      )
    end as fine
  from _golden
),
_wanted as (
  select given.* replace (_named.system as system)
  from _golden as given
  join _one_gold on _one_gold.fine
  cross join (
    select system from _systems
    union all
    select 'hypothesis' where not exists (from _systems)
  ) as _named
),
_same as (  -- an empty side may be anywhere
  select
    _found.system,
    _found.doc,
    _found.type,
    _found.bead as hyp_bead,
    _wanted.bead as gold_bead
  from _found
  join _wanted
    on _found.system = _wanted.system
    and _found.doc = _wanted.doc
    and _found.type = _wanted.type
    and case when _found.type like '0-%' then _found.tgt_start else _found.src_start end
      = case when _wanted.type like '0-%' then _wanted.tgt_start else _wanted.src_start end
    and (_found.tgt_start = _wanted.tgt_start or is_one_sided(_found.type))
    and _found.part_of is not distinct from _wanted.part_of
),
_meeting as (  -- one row per source sentence in a bead of both tables
  select
    mine.system,
    mine.doc,
    mine.bead as hyp_bead,
    mine.type as hyp_type,
    yours.bead as gold_bead,
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
_again as (  -- pairs of sentences in an earlier bead of gold as well, by the later bead's type
  select system, doc, type, i, j
  from (
    select *, unnest(range(tgt_start, tgt_end)) as j
    from (select *, unnest(range(src_start, src_end)) as i from _wanted where gold_as_written)
  )
  qualify
    row_number() over (
      partition by system, doc, i, j order by src_start, tgt_start, src_end, tgt_end
    ) > 1
),
_parts as (
  select
    system,
    doc,
    type,
    count(distinct bead) as n_hyp,
    sum((src_end - src_start)::bigint * (tgt_end - tgt_start)) as n_hyp_pairs,
    sum(src_end - src_start) filter (not is_one_sided(type) and has_src) as n_src_aligned,
    sum(tgt_end - tgt_start) filter (not is_one_sided(type) and has_tgt) as n_tgt_aligned
  from (
    select
      *,
      tgt_start = min(tgt_start) over (partition by system, doc, bead) as has_src,
      src_start = min(src_start) over (partition by system, doc, bead) as has_tgt
    from _found
  )
  group by all
  union all by name
  select
    system,
    doc,
    type,
    count(distinct bead) as n_gold,
    sum((src_end - src_start)::bigint * (tgt_end - tgt_start)) as n_gold_pairs
  from _wanted
  group by all
  union all by name
  select
    system,
    doc,
    type,
    count(distinct hyp_bead) as n_hyp_strict,
    count(distinct gold_bead) as n_gold_strict,
    count(distinct hyp_bead) filter (is_one_sided(type)) as n_hyp_lax,
    count(distinct gold_bead) filter (is_one_sided(type)) as n_gold_lax
  from _same
  group by all
  union all by name
  select
    system,
    doc,
    hyp_type as type,
    count(distinct hyp_bead) as n_hyp_lax,
    sum(n_pairs) as n_both_pairs
  from _meeting
  where n_pairs > 0
  group by all
  union all by name
  select system, doc, gold_type as type, count(distinct gold_bead) as n_gold_lax
  from _meeting
  where n_pairs > 0
  group by all
  union all by name
  select system, doc, type, -count(*) as n_gold_pairs
  from _again
  group by all
  union all by name
  select _found.system, _found.doc, _found.type, -count(*) as n_both_pairs
  from _again
  join _found
    on _found.system = _again.system
    and _found.doc = _again.doc
    and _again.i between _found.src_start and _found.src_end - 1
    and _again.j between _found.tgt_start and _found.tgt_end - 1
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
-- n_src and n_tgt (sentences of the document). `one_sided` sets where beads with an empty side
-- count: 'precision', only among the hypothesis' beads, as in the evaluation of Bleualign and
-- Vecalign; 'count', in both tables; 'ignore', in neither. A document ends with the last bead in
-- either table, unless `lengths` names a table with doc, n_src and n_tgt.
--   select * from bead_counts('hyp.parquet', 'gold.parquet', one_sided := 'ignore')
create or replace temp macro bead_counts(
  hyp,
  gold,
  one_sided := 'precision',
  lengths := '_no_lengths',
  systems := null,
  gold_as_written := false
) as table
with
_no_lengths as (
  select null::varchar as doc, null::bigint as n_src, null::bigint as n_tgt where false
),
_lengths_given as (
  select * from _no_lengths
  union all by name
  select * from rows_of(lengths)
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
  from bead_type_counts(hyp, gold, systems := systems, gold_as_written := gold_as_written)
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
-- if the system has no beads, recall if gold has none, F if either is null.
-- Port of alignframe.beads.score.
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
  select * from rows_of(counts)
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
from _given
where coalesce(
  share_of(n_hyp_strict, n_hyp) + share_of(n_gold_strict, n_gold) + share_of(n_hyp_lax, n_hyp)
  + share_of(n_gold_lax, n_gold),
  0
) >= 0;  -- Impossible counts are an error.

-- The scores of bead_hits(), and those of Zaidan & Chowdhary 2013, section 4.3: pair_precision and
-- pair_recall (of pairs of sentences), alignment_rate (the share of sentences in beads with both
-- sides, averaged over the sides that have sentences). `counts` is a table of bead_counts() or of
-- their sums.
-- Port of alignframe.beads.score.
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
  select * from rows_of(counts)
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
  share_of(n_both_pairs, n_hyp_pairs) as pair_precision,
  share_of(n_both_pairs, n_gold_pairs) as pair_recall,
  list_avg([n_src_aligned / nullif(n_src, 0), n_tgt_aligned / nullif(n_tgt, 0)])
    as alignment_rate
from bead_hits('_given');

-- Scores of every system over all documents: system, the summed counts, and the columns of
-- bead_measures().
-- Port of alignframe.beads.score.
--   select * from bead_scores('hyp.parquet', 'gold.parquet')
create or replace temp macro bead_scores(
  hyp,
  gold,
  one_sided := 'precision',
  lengths := '_no_lengths',
  systems := null,
  gold_as_written := false
) as table
with
_no_lengths as (
  select null::varchar as doc, null::bigint as n_src, null::bigint as n_tgt where false
),
_totals as (
  select system, sum(columns(* exclude (system, doc)))::bigint
  from bead_counts(
    hyp,
    gold,
    one_sided := one_sided,
    lengths := lengths,
    systems := systems,
    gold_as_written := gold_as_written
  )
  group by system
)
select * from bead_measures('_totals') order by system;

-- Scores of every system by type, including one-sided beads: system, type, the summed counts, and
-- the columns of bead_hits().
-- Port of alignframe.beads.score.
--   select * from bead_type_scores('hyp.parquet', 'gold.parquet') where type = '1-1'
create or replace temp macro bead_type_scores(
  hyp, gold, systems := null, gold_as_written := false
) as table
with
_totals as (
  select system, type, sum(columns(* exclude (system, doc, type)))::bigint
  from bead_type_counts(hyp, gold, systems := systems, gold_as_written := gold_as_written)
  group by system, type
)
select * from bead_hits('_totals') order by system, type;

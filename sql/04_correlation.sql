-- Which measure predicts translation quality: measures of systems against an external score, such
-- as BLEU (Fraser & Marcu 2007, section 3). Arguments are names of tables, views or Python frames,
-- or Parquet paths, as strings. Intervals need resampling: alignframe.stats.correlate has them.

-- Every measure of every system, from a table of link_counts() or their sums: system, measure,
-- annotation, alpha, value. The measures are 1-aer, and f at every alpha for the annotations
-- sure-possible (precision against Possible, recall against Sure links), sure (only Sure links
-- count as gold) and possible (all links count as gold). If the table has a column piece, like
-- counts.parquet of links vary, values are means over the system's pieces.
-- Port of alignframe.stats.measure_values.
--   select * from measure_values('study/counts.parquet')
--   create table counts as select * from link_counts('hyp/*.parquet', 'gold.parquet');
--   select * from measure_values('counts')
--   select * from measure_values('counts', alphas := [0.25, 0.5])
create or replace temp macro measure_values(
  counts, alphas := [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
) as table
with
_columns_known as (
  select
    null::varchar as system, null::varchar as piece, null::bigint as n_possible
  where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from counted_links(counts, others := ['n_possible'])
),
_sums as (
  select
    system::varchar as system,
    piece::varchar as piece,
    whole_sum(n_hyp)::double as n_hyp,
    whole_sum(n_sure)::double as n_sure,
    whole_sum(n_possible)::double as n_possible,
    whole_sum(n_hyp_sure)::double as n_hyp_sure,
    whole_sum(n_hyp_possible)::double as n_hyp_possible
  from _given
  group by all
),
_every_alpha as (
  select distinct unnest(alphas::double[]) as alpha
),
_annotated as (
  select
    system,
    'sure-possible' as annotation,
    n_hyp,
    n_sure as n_wanted,
    n_hyp_sure as n_found,
    n_hyp_possible as n_right
  from _sums
  union all
  select system, 'sure', n_hyp, n_sure, n_hyp_sure, n_hyp_sure from _sums
  union all
  select system, 'possible', n_hyp, n_possible, n_hyp_possible, n_hyp_possible from _sums
),
_of_pieces as (
  select
    system,
    '1-aer' as measure,
    'sure-possible' as annotation,
    null::double as alpha,
    1 - aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as value
  from _sums
  union all
  select
    system,
    'f_' || regexp_replace(alpha::varchar, '[.]0$', '') as measure,
    annotation,
    alpha,
    f_alpha(alpha, n_hyp, n_wanted, n_found, n_right) as value
  from _annotated
  cross join _every_alpha
)
-- If undefined for one piece, a value is undefined for the system.
select
  system,
  measure,
  annotation,
  alpha,
  case when count(value) = count(*) then avg(value) end as value
from _of_pieces
group by system, measure, annotation, alpha;

-- Any table of measures, as from measure_values(): system, measure, annotation, alpha, value.
--   select * from measured_rows('measured')
create or replace temp macro measured_rows(measures) as table
with
_columns_known as (
  select
    null::varchar as system,
    null::varchar as measure,
    null::varchar as annotation,
    null::double as alpha,
    null::double as value
  where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(measures)
)
select
  system::varchar as system,
  measure,
  annotation,
  alpha::double as alpha,
  value::double as value
from _given
where (
  select fine
  from checked_columns(
    measures,
    ['system', 'measure', 'annotation', 'alpha', 'value'],
    'measure_values(counts) gives such a table'
  )
);

-- Any table of external scores: system, score.
--   select * from external_rows('bleu.csv')
create or replace temp macro external_rows(external) as table
with
_columns_known as (
  select null::varchar as system, null::double as score where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(external)
)
select system::varchar as system, score::double as score
from _given
where (
  select fine
  from checked_columns(
    external, ['system', 'score'], 'one row per system, with its external score, such as BLEU'
  )
);

-- How each measure correlates with an external score: measure, annotation, alpha, systems, pearson,
-- r2, spearman, kendall (tau-b), slope and intercept (of the least-squares line from measure to
-- score), best (whether no other alpha of its annotation has a higher Pearson correlation, or a
-- lower one with lower_is_better; ties go to the smallest alpha). `measures` is a table as from
-- measure_values(); `external` has the columns system and score. A measure that is equal for all
-- systems, or undefined for one, has nulls. Figures that agree to 12 digits are equal. Scores of
-- systems without measures are left out.
-- Port of alignframe.stats.correlate.
--   create table measured as select * from measure_values('counts');
--   select * from correlations('measured', 'bleu.csv') where best
create or replace temp macro correlations(measures, external, lower_is_better := false) as table
with
_measured as (
  select * from measured_rows(measures)
),
_scored as (
  select * from external_rows(external)
),
_known as (
  select * from _scored where system in (select system from _measured)
),
-- The first fault is reported.
_faults as (
  select 1 as place, 'the system ' || system || ' has more than one external score' as fault
  from _scored group by system having count(*) > 1
  union all
  select 2, 'the external score of the system ' || system || ' is missing or not finite'
  from _scored where score is null or not isfinite(score)
  union all
  select 3, count(*) || ' systems with measures and an external score; expected at least 3'
  from _known having count(*) < 3
  union all
  select 4, 'no external score for the system ' || system
  from _measured where system not in (select system from _scored where system is not null)
  union all
  select 5, 'the system ' || system || ' has more than one value of ' || measure
  from _measured group by system, measure, annotation, alpha having count(*) > 1
  union all
  select 6, 'all external scores are the same' from _known
  having max(score) - min(score) <= greatest(abs(max(score)), abs(min(score))) * 1e-12
),
_checked as (
  select case when count(*) = 0 then true else error(arg_min(fault, (place, fault))) end as fine
  from _faults
),
-- Rounded before ranking, because figures from different counts may differ in the last bits.
_tied as (
  select
    _measured.*,
    _known.score,
    round(value / nullif(max(abs(value)) over same, 0), 12) as tied_value
  from _measured
  join _known on _known.system = _measured.system
  join _checked on _checked.fine
  window same as (partition by measure, annotation, alpha)
),
_ranked as (
  select
    *,
    rank() over (partition by measure, annotation, alpha order by tied_value)
      + (count(*) over (partition by measure, annotation, alpha, tied_value) - 1) / 2 as value_rank,
    rank() over (partition by measure, annotation, alpha order by score)
      + (count(*) over (partition by measure, annotation, alpha, score) - 1) / 2 as score_rank
  from _tied
),
_pairs as (
  select
    one.measure,
    one.annotation,
    one.alpha,
    sum(sign(one.value_rank - two.value_rank) * sign(one.score_rank - two.score_rank))
      / nullif(
        sqrt(count(*) filter (one.value_rank != two.value_rank)::double)
        * sqrt(count(*) filter (one.score_rank != two.score_rank)::double),
        0
      ) as kendall
  from _ranked as one
  join _ranked as two
    on one.measure = two.measure
    and one.annotation is not distinct from two.annotation
    and one.alpha is not distinct from two.alpha
    and one.system < two.system
  group by all
),
_grouped as (
  select
    measure,
    annotation,
    alpha,
    count(*) as systems,
    count(*) filter (isfinite(value)) = count(*)
      and max(value) - min(value) > greatest(abs(max(value)), abs(min(value))) * 1e-12
      as defined,
    corr(score, value) filter (isfinite(value)) as pearson,
    corr(score_rank, value_rank) filter (isfinite(value)) as spearman,
    regr_slope(score, value) filter (isfinite(value)) as slope,
    regr_intercept(score, value) filter (isfinite(value)) as intercept
  from _ranked
  group by measure, annotation, alpha
),
_correlated as (
  select
    _grouped.measure,
    _grouped.annotation,
    _grouped.alpha,
    systems,
    case when defined then pearson end as pearson,
    case when defined then spearman end as spearman,
    case when defined then kendall end as kendall,
    case when defined then slope end as slope,
    case when defined then intercept end as intercept,
    case when defined and _grouped.alpha is not null
      then case when lower_is_better then -pearson else pearson end
    end as directed
  from _grouped
  left join _pairs
    on _grouped.measure = _pairs.measure
    and _grouped.annotation is not distinct from _pairs.annotation
    and _grouped.alpha is not distinct from _pairs.alpha
),
_highest as (
  select *, directed >= max(directed) over (partition by annotation) - 1e-12 as among_best
  from _correlated
)
select
  measure,
  annotation,
  alpha,
  systems,
  pearson,
  pearson * pearson as r2,
  spearman,
  kendall,
  slope,
  intercept,
  coalesce(
    among_best
    and alpha = min(alpha) filter (among_best) over (partition by annotation),
    false
  ) as best
from _highest
order by
  alpha is not null, array_position(['sure-possible', 'sure', 'possible'], annotation), alpha, measure;

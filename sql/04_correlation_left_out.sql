-- Cross-validation of correlations. Arguments are those of 04_correlation.sql.

-- How well each measure predicts the score of a system left out of fitting the line and choosing
-- the alpha: measure, annotation, alpha, systems, r2_left_out (1 minus the squared errors divided
-- by those of the mean of the other systems). In addition to the rows of correlations(), there is
-- f_chosen for every annotation with several alphas, and over several annotations: F at the alpha
-- that is best on all systems except the predicted one. With three systems or fewer, r2_left_out is
-- null, and there is no f_chosen. Arguments are those of correlations().
-- Port of alignframe.stats.correlate.
--   select * from correlations_left_out('measured', 'bleu.csv')
create or replace temp macro correlations_left_out(measures, external, lower_is_better := false) as table
with
_known as (
  select * from correlations(measures, external, lower_is_better := lower_is_better)
),
_scored as (
  select system, measure, annotation, alpha, value, score
  from measured_rows(measures)
  join external_rows(external) using (system)
),
-- Every system with its prediction from the others.
_without as (
  select
    left_out.measure,
    left_out.annotation,
    left_out.alpha,
    left_out.system,
    any_value(left_out.value) as value,
    any_value(left_out.score) as score,
    avg(rest.score) as mean_score,
    count(*) filter (isfinite(rest.value)) = count(*)
      and max(rest.value) - min(rest.value)
        > greatest(abs(max(rest.value)), abs(min(rest.value))) * 1e-12
      and max(rest.score) - min(rest.score)
        > greatest(abs(max(rest.score)), abs(min(rest.score))) * 1e-12
      as defined,
    corr(rest.score, rest.value) filter (isfinite(rest.value)) as pearson,
    regr_slope(rest.score, rest.value) filter (isfinite(rest.value)) as slope,
    regr_intercept(rest.score, rest.value) filter (isfinite(rest.value)) as intercept
  from _scored as left_out
  join _scored as rest
    on left_out.measure = rest.measure
    and left_out.annotation is not distinct from rest.annotation
    and left_out.alpha is not distinct from rest.alpha
    and left_out.system != rest.system
  group by left_out.measure, left_out.annotation, left_out.alpha, left_out.system
  having count(*) >= 3
),
_predicted as (
  select
    *,
    array_position(['sure-possible', 'sure', 'possible'], annotation) as place,
    case when defined then intercept + slope * value end as predicted,
    case when defined and alpha is not null
      then case when lower_is_better then -pearson else pearson end
    end as directed
  from _without
),
_choices as (
  select annotation as choice, * from _predicted where alpha is not null
  union all
  select 'any', * from _predicted where alpha is not null
),
_wanted as (
  select choice
  from _choices
  group by choice
  having count(distinct alpha) > 1 and choice != 'any' or count(distinct annotation) > 1
),
_highest as (
  select *, directed >= max(directed) over (partition by choice, system) - 1e-12 as among_best
  from _choices
  semi join _wanted on _wanted.choice = _choices.choice
),
_chosen as (
  select
    choice,
    system,
    any_value(score) as score,
    any_value(mean_score) as mean_score,
    arg_min(predicted, (place, alpha)) filter (among_best) as predicted
  from _highest
  group by choice, system
),
_every as (
  select measure, annotation, alpha, system, score, mean_score, predicted from _predicted
  union all
  select 'f_chosen', choice, null, system, score, mean_score, predicted from _chosen
),
_fitted as (
  select
    measure,
    annotation,
    alpha,
    count(*) as systems,
    case when count(predicted) = count(*)
      then 1 - sum((score - predicted) ** 2) / sum((score - mean_score) ** 2)
    end as r2_left_out
  from _every
  group by measure, annotation, alpha
),
_all as (
  select
    _known.measure,
    _known.annotation,
    _known.alpha,
    _known.systems,
    case when pearson is not null then r2_left_out end as r2_left_out
  from _known
  left join _fitted
    on _known.measure = _fitted.measure
    and _known.annotation is not distinct from _fitted.annotation
    and _known.alpha is not distinct from _fitted.alpha
  union all
  select * from _fitted where measure = 'f_chosen'
)
select *
from _all
order by
  measure = 'f_chosen',
  alpha is not null,
  array_position(['sure-possible', 'sure', 'possible', 'any'], annotation),
  alpha,
  measure;

-- Intervals of scores, and paired tests of their differences, by the bootstrap over sentences.
-- `counts` is a table of counts, one row per system and sentence, as `alignframe links score --counts`
-- and link_counts() give: the name of a table, view or Python frame, or a Parquet path or glob, as a
-- string. Sentences are resampled; more than 2,048 form as many random groups, so that memory does
-- not grow with their number. `by` is a column or a list of columns to group by besides the system,
-- `bootstrap` the number of resamples. With the same seed, figures are the same as in Python.

-- The sum of counts; null if no row has one, as words in chrF may not be counted.
create or replace temp macro summed_count(n) as
  case
    when count(n) = 0 then null
    when count(n) < count(*) then error('a row without a count; expected a number in each')
    when bool_and(isfinite(n::double)) then sum(n)
    else error(
      'a count of ' || min(n) filter (not isfinite(n::double)) || '; expected finite numbers'
    )
  end;

-- A system's sums by unit, 0 for units without sentences; null if no system has a sum.
create or replace temp macro counts_by_unit(n, sentences, unit) as
  case
    when sum(count(n)) over () = 0 then null
    when count(n) < count(sentences) then error('a row without a count; expected a number in each')
    else list(coalesce(n, 0) order by unit)
  end;

-- Whether all systems have the same units, as required by paired tests: fine, which is true;
-- otherwise an error.
--   from same_units('counts.parquet', unit := 'doc')
create or replace temp macro same_units(counts, "by" := [], unit := 'sid') as table
with
_columns_known as (
  select null::varchar as system where false
),
_given as (
  select 'whole' as _whole, null as _none, *
  from (
    select * from _columns_known
    union all by name
    select * from rows_of(counts)
  )
),
_keyed as (
  select
    row(*columns(lambda c: is_named(c, list_append(name_list("by"), '_whole')))) as _group,
    coalesce(*columns(lambda c: is_named(c, [unit, '_none']))) as _key,
    system
  from _given
),
_marked as (
  select _group, count(*) as n, sum((hash(_key) // 2)::bigint) as mark
  from _keyed
  group by _group, system
),
-- Systems with equal numbers and sums of hashes have the same units, which need not be compared.
_uneven as (
  select _group
  from _marked
  group by _group
  having min(n) < max(n) or min(mark) < max(mark)
),
_doubtful as (
  select _keyed.*
  from _keyed
  semi join _uneven on _keyed._group is not distinct from _uneven._group
),
_own as (
  select _group, system, count(distinct _key) as units from _doubtful group by _group, system
),
_every as (
  select _group, count(distinct _key) as units from _doubtful group by _group
),
_lacking as (
  select
    'the system ' || system || ' has ' || _own.units || ' of ' || _every.units || ' units (' || unit
    || '); expected the same units for every system; add a row of zeros where a system has nothing '
    || 'to count' as fault
  from _own
  join _every on _own._group is not distinct from _every._group
  where _own.units < _every.units
)
select case when count(*) = 0 then true else error(min(fault)) end as fine from _lacking;

-- The last step of resampled_counts(): of lists of counts by unit, a row per _group and system, the
-- sum of each in every resample. Other columns are sentences and units.
create or replace temp macro drawn_sums(
  lists, bootstrap := 1000, seed := 1, baseline := null
) as table
select
  _group,
  system as _system,
  unnest(
    range(bootstrap::bigint + 1)
    || if(_exchanged > 0, range(-1, -2 * bootstrap::bigint - 1, -1), [])
  ) as resample,
  sentences,
  units,
  -- A null list adds nothing.
  unnest(list_concat(
    list_prepend(
      list_sum(columns(* exclude (_group, system, sentences, units, _exchanged))),
      resampled_sums(
        columns(* exclude (_group, system, sentences, units, _exchanged)), bootstrap, seed
      )
    ),
    exchanged_sums(
      columns(* exclude (_group, system, sentences, units, _exchanged)),
      max(columns(* exclude (_group, system, sentences, units, _exchanged)))
        filter (system = baseline) over (partition by _group),
      _exchanged,
      seed
    )
  ))
from (
  select
    *,
    if(units < 100 and system <> baseline and (baseline is not null), bootstrap::bigint, 0)
      as _exchanged
  from query_table(lists)
);

-- Sums of counts in each resample: system, the columns of `by`, resample (0 is the sample itself,
-- resamples are numbered from 1), sentences and units (of the sample), and every column of counts,
-- that is, those whose name matches the regular expression `names`. All systems share the resamples, so that
-- differences are paired. `unit` is the column of the unit of resampling, such as 'doc' for
-- documents. Rows of a unit are summed, but a sentence ('sid') may have only one. A missing unit
-- counts as 0. A column without any number stays null, as words in chrF may not be counted.
-- With a `baseline` and fewer than 100 units, there are also sums in which random units are exchanged
-- with the baseline's (resample -1, -3 and so on), each with what is left of both (-2, -4); they
-- correct the p-values of paired_differences().
-- Port of alignframe.stats.bootstrap.resample_sums.
--   from resampled_counts('counts.parquet', by := ['genre']) where resample > 0
--   from resampled_counts('bead_counts.parquet', unit := 'doc')
create or replace temp macro resampled_counts(
  counts, "by" := [], bootstrap := 1000, seed := 1, unit := 'sid', names := '^n_', baseline := null
) as table
with
_checked as (
  select fine
  from checked_columns(counts, ['system', unit], 'alignframe links score --counts -o writes such a table')
),
_counted as (
  select
    case
      when exists (
        from (select unnest(name_list("by")) as name)
        where regexp_matches(name, names) or is_named(name, ['resample', 'sentences', 'units'])
      )
        then error(
          'columns to group by, ' || listed(name_list("by")) || ', among them a result; '
          || 'give the column another name'
        )
      when len(list_filter(known.names, lambda n: regexp_matches(n, names))) > 0
        then groupable(known.names, "by")
      else error(
        'a table with the columns ' || listed(known.names)
        || '; expected columns of counts, whose names match ' || names
        || '; alignframe links score --counts -o writes such a table'
      )
    end as fine
  from column_names(counts) as known
),
_columns_known as (
  select null::varchar as system where false
),
-- A list of columns chosen by name must not be empty, or there is an error before these checks.
_given as (
  select 'whole' as _whole, null as _none, 0 as _nothing, *
  from (
    select * from _columns_known
    union all by name
    select * from rows_of(counts)
  )
  where (select fine from _checked) and (select fine from _counted)
),
_keyed as (
  select
    row(*columns(lambda c: is_named(c, list_append(name_list("by"), '_whole')))) as _group,
    coalesce(*columns(lambda c: is_named(c, [unit, '_none']))) as _key,
    *
  from _given
),
_faults as (
  select 'a row without ' || unit as fault from _keyed where _key is null
  union all
  select 'a row without system' from _keyed where system is null
  union all
  select counted_twice(system, 'sid ' || _key)
  from _keyed where unit = 'sid' group by _group, system, _key having count(*) > 1
),
_right as (
  select
    case
      when not coalesce(bootstrap::double = bootstrap::bigint, false)
        then error(
          'bootstrap is ' || coalesce(bootstrap::varchar, 'null')
          || '; expected the number of resamples'
        )
      when seed is null then error('the seed is null; expected a number')
      when count(*) = 0 then true
      else error(min(fault))
    end as fine
  from _faults
),
_known as (
  select count(distinct _key) <= 2048 as few from _keyed
),
_in_units as (
  select
    -- Single units are sorted by name, groups of them by number.
    row(
      case when few then _key end,
      case
        when few then null
        else coalesce(resampling_unit(try_cast(_key as bigint)), (hash(_key) % 2048)::bigint)
      end
    ) as _unit,
    _keyed.*
  from _keyed
  cross join _known
  where (select fine from _right)
),
_sums as (
  select
    _group,
    system,
    _unit,
    count(*) as sentences,
    summed_count(columns(lambda c: c = '_nothing' or regexp_matches(c, names)))::double
  from _in_units
  group by _group, system, _unit
),
_cells as (
  select _group, system, _unit
  from (select distinct _group, _unit from _sums)
  join (select distinct _group, system from _sums) using (_group)
),
_lists as (
  select
    _group,
    system,
    coalesce(sum(sentences), 0)::bigint as sentences,
    count(*) as units,
    counts_by_unit(columns(lambda c: c = '_nothing' or regexp_matches(c, names)), sentences, _unit)
  from _cells
  left join _sums using (_group, system, _unit)
  group by _group, system
),
_drawn as (
  from drawn_sums('_lists', bootstrap := bootstrap, seed := seed, baseline := baseline)
),
_names as (
  select distinct
    _group,
    columns(lambda c: is_named(c, list_append(name_list("by"), 'system')))
  from _in_units
)
select _names.* exclude (_group), _drawn.* exclude (_group, _system, _nothing)
from _names
join _drawn on _drawn._group = _names._group and _drawn._system = _names.system;

-- The interval of a figure over the rows of resampled_counts(), whose column `units` it takes: null
-- or its low and high end. An interval is widened to include the figure of the sample. Resamples
-- whose figure is undefined, such as a ratio to no links, are left out.
create or replace temp macro interval_of(figure, resample, units, confidence) as
  case
    when not coalesce(confidence > 0 and confidence < 1, false)
      then error('confidence is ' || coalesce(confidence::varchar, 'null') || '; expected 0 to 1')
    else interval_ends(
      list(figure + 0e0) filter (resample > 0 and isfinite(figure + 0e0)),
      any_value(figure + 0e0) filter (resample = 0 and isfinite(figure + 0e0)),
      max(units),
      confidence
    )
  end;

-- The lower end of the interval of a figure.
--   select system, interval_low(n_both / n_hyp, resample, units, 0.95)
--   from resampled_counts('counts') group by system
create or replace temp macro interval_low(figure, resample, units, confidence) as
  interval_of(figure, resample, units, confidence).low;

-- The upper end of the same interval.
create or replace temp macro interval_high(figure, resample, units, confidence) as
  interval_of(figure, resample, units, confidence).high;

-- Any table of figures of resamples: system, resample, units (null if not given), figure (null where
-- it is not finite), and grouping columns.
--   select * from figure_rows('figures')
create or replace temp macro figure_rows(figures) as table
with
_columns_known as (
  select
    null::varchar as system,
    null::bigint as resample,
    null::bigint as units,
    null::double as figure
  where false
),
_given as (
  select * from rows_of(figures)
  where (
    select fine
    from checked_columns(
      figures, ['system', 'resample', 'figure'], 'make it from resampled_counts(counts)'
    )
  )
  union all by name
  select * from _columns_known
)
select * replace (case when isfinite(figure::double) then figure::double end as figure)
from _given;

-- Figures of resamples with their intervals: system, the other columns, value, value_low, value_high.
-- `figures` is the name of a table with system, resample, units and figure, made from
-- resampled_counts().
-- Port of alignframe.stats.Measure.scores.
--   with figures as (
--     select system, resample, units, bleu(bleu_sums(c)) as figure
--     from resampled_counts('counts.parquet', names := '^bleu_') as c group by all
--   )
--   from figure_intervals('figures')
create or replace temp macro figure_intervals(figures, confidence := 0.95) as table
with
_given as (
  select * from figure_rows(figures)
)
select
  system,
  * exclude (system, resample, units, figure),
  any_value(figure) filter (resample = 0) as value,
  interval_low(figure, resample, units, confidence) as value_low,
  interval_high(figure, resample, units, confidence) as value_high
from _given
group by all
order by all;

-- Any ratio of sums of counts with its interval: system, the columns of `by`, value, value_low,
-- value_high. The ratio is an expression over columns of counts.
-- Port of alignframe.stats.Measure.scores.
--   from ratio_intervals('counts.parquet', n_hyp_possible / n_hyp, by := ['genre'])
--   from ratio_intervals('bead_counts.parquet', n_hyp_strict / n_hyp, unit := 'doc')
create or replace temp macro ratio_intervals(
  counts, ratio, "by" := [], bootstrap := 1000, confidence := 0.95, seed := 1, unit := 'sid',
  names := '^n_'
) as table
with
_figures as (
  select
    columns(lambda c: is_named(c, list_append(name_list("by"), 'system'))),
    resample,
    units,
    ratio as figure
  from resampled_counts(
    counts, "by" := "by", bootstrap := bootstrap, seed := seed, unit := unit, names := names
  )
)
select * from figure_intervals('_figures', confidence := confidence);

-- Corpus scores of links with their intervals: the columns of link_scores() and of `by`, and _low and
-- _high of precision, recall, aer and f (at `alpha`).
-- Port of alignframe.links.score.
--   from scores_with_intervals('counts.parquet')
--   from scores_with_intervals('counts.parquet', alpha := 0.1, by := ['genre'], bootstrap := 10000)
create or replace temp macro scores_with_intervals(
  counts, alpha := 0.5, "by" := [], bootstrap := 1000, confidence := 0.95, seed := 1
) as table
with
_known_counts as (
  select * from counted_links(counts)
),
_figures as (
  select
    columns(lambda c: is_named(c, list_append(name_list("by"), 'system'))),
    resample,
    units,
    sentences,
    n_hyp,
    unnest(link_figures(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible))
  from resampled_counts('_known_counts', "by" := "by", bootstrap := bootstrap, seed := seed)
)
select
  columns(lambda c: is_named(c, list_concat(name_list("by"), ['system', 'sentences']))),
  (any_value(n_hyp) filter (resample = 0))::bigint as links,
  any_value(columns(link_figure_names())) filter (resample = 0) as '\0',
  interval_low(columns(link_figure_names()), resample, units, confidence) as '\0_low',
  interval_high(columns(link_figure_names()), resample, units, confidence) as '\0_high'
from _figures
group by all
order by all;

-- Paired tests of figures of resamples: system, baseline, the other columns, value, baseline_value,
-- difference, difference_low, difference_high, p_value (two-sided), and p_corrected for the number of
-- systems by step-down max-T (Westfall & Young 1993). `figures` is the name of a table with system,
-- resample, units and figure, made from resampled_counts() with the same `baseline`; other columns
-- form groups, each of which is tested separately.
-- Port of alignframe.stats.sample.corrected.
--   with figures as (
--     select system, resample, units, n_hyp_strict / n_hyp as figure
--     from resampled_counts('bead_counts.parquet', unit := 'doc', baseline := 'old')
--   )
--   from paired_differences('figures', 'old')
create or replace temp macro paired_differences(figures, baseline, confidence := 0.95) as table
with
_given as (
  select 'whole' as _whole, * from figure_rows(figures)
),
_checked as (
  select
    case
      when not coalesce(bool_or(system = baseline), false) then error(
        'the baseline ' || coalesce(baseline::varchar, 'null') || '; expected one of '
        || coalesce(string_agg(distinct system, ', ' order by system), 'none')
      )
      when count(distinct system) < 2
        then error('only the system ' || baseline || '; expected two or more to compare')
      when count(units) < count(*) then error(
        'figures without units; expected the column units of resampled_counts(), by which p-values '
        || 'allow for few of them'
      )
      when count(distinct system) > 2
        and bool_or(units > 1 and units < 100 and resample > 0)
        and not bool_or(resample < 0)
        then error(
          'figures of fewer than 100 units without exchanged ones, by which the p-values of several '
          || 'systems are corrected; give resampled_counts() the same baseline'
        )
      else true
    end as fine
  from _given
),
-- Of two exchanged figures, -1 and -2 and so on, the second is the baseline's.
_numbered as (
  select
    * replace (
      case when _checked.fine then _given.system else '' end as system,
      if(resample < 0, -((1 - resample) // 2), resample) as resample
    ),
    resample < 0 and resample % 2 = 0 as _left
  from _given
  cross join _checked
),
_paired as (
  select
    *,
    max(figure) filter (resample < 0 and _left) over (
      partition by row(*columns(_numbered.* exclude (figure, _left)))
    ) as _rest,
    max(figure) filter (resample >= 0 and system = baseline) over (
      partition by row(*columns(_numbered.* exclude (system, figure, _left)))
    ) as _base
  from _numbered
),
_tested as (
  select
    * exclude (_whole, fine, resample, figure, units, _rest, _base, _left),
    row(*columns(* exclude (system, fine, resample, figure, units, _rest, _base, _left))) as _group,
    any_value(figure) filter (resample = 0) as value,
    any_value(_base) filter (resample = 0) as baseline_value,
    any_value(figure - _base) filter (resample = 0) as difference,
    {
      'observed': any_value(figure - _base) filter (resample = 0),
      'drawn': list(figure - _base) filter (resample > 0),
      'units': max(units),
      'exchanged': list(figure - _rest order by resample desc) filter (resample < 0 and not _left)
    } as _test
  from _paired
  where system is distinct from baseline
  group by all
),
_families as (
  select
    _group,
    unnest(list(system order by system)) as system,
    unnest(paired_tests(list(_test order by system), confidence)) as _found
  from _tested
  group by _group
)
select
  system,
  baseline as baseline,
  _tested.* exclude (system, _group, _test),
  unnest(_found)
from _tested
join _families using (_group, system)
order by all;

-- Any ratio of sums of counts, tested against a baseline's: the columns of paired_differences().
-- Port of alignframe.stats.Measure.compare.
--   from ratio_differences('counts.parquet', 'old', n_hyp_possible / n_hyp)
create or replace temp macro ratio_differences(
  counts, baseline, ratio, "by" := [], bootstrap := 10000, confidence := 0.95, seed := 1,
  unit := 'sid', names := '^n_'
) as table
with
_figures as (
  select
    columns(lambda c: is_named(c, list_append(name_list("by"), 'system'))),
    resample,
    units,
    ratio as figure
  from resampled_counts(
    counts, "by" := "by", bootstrap := bootstrap, seed := seed, unit := unit, names := names,
    baseline := baseline
  )
  where (select fine from same_units(counts, "by" := "by", unit := unit))
)
select * from paired_differences('_figures', baseline, confidence := confidence);

-- Scores of links tested against those of a baseline: system, baseline, the columns of `by`, measure
-- (precision, recall, aer, f), and the figures of paired_differences().
-- Port of alignframe.links.score.
--   from score_differences('counts.parquet', 'giza') where p_value < 0.05
create or replace temp macro score_differences(
  counts, baseline, alpha := 0.5, "by" := [], bootstrap := 10000, confidence := 0.95, seed := 1
) as table
with
_known_counts as (
  select * from counted_links(counts)
),
_figures as (
  select
    columns(lambda c: is_named(c, list_append(name_list("by"), 'system'))),
    resample,
    units,
    unnest(link_figures(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible))
  from resampled_counts(
    '_known_counts', "by" := "by", bootstrap := bootstrap, seed := seed, baseline := baseline
  )
  where (select fine from same_units('_known_counts', "by" := "by"))
),
_long as (
  select
    columns(lambda c: not is_named(c, link_figure_names())),
    unnest(link_figure_names()) as measure,
    unnest(list_value(*columns(link_figure_names()))) as figure
  from _figures
)
select *
from paired_differences('_long', baseline, confidence := confidence)
order by system, list_position(link_figure_names(), measure), columns(*);

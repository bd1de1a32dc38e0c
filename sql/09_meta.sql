-- Agreement of translation scores with human rankings. `rankings` and `segments` are names of
-- tables, views or Python frames, or Parquet paths and globs, as strings. Rankings have ranking,
-- sid, system, rank (1 is the best) and optionally judge; segments have system, sid, score (higher
-- is better) and optionally metric (by default 'score'). Of every two translations in a ranking,
-- one is preferred or both are tied. `alignframe tesla metrics --counts --rankings FILE -o rankings.parquet` converts
-- WMT's own wide tables of rankings.

-- Every two translations in a ranking: ranking, sid, judge, system, other (sorted by name),
-- preference (1: `system` is ranked better, -1: `other` is, 0: a tie).
--   select * from ranking_pairs('rankings.parquet')
create or replace temp macro ranking_pairs(rankings) as table
with
_columns_known as (
  select
    null::bigint as ranking,
    null::bigint as sid,
    null::varchar as judge,
    null::varchar as system,
    null::integer as rank
  where false
),
_checked as (
  select fine
  from checked_columns(
    rankings,
    ['ranking', 'sid', 'system', 'rank'],
    'alignframe tesla metrics --counts --rankings FILE -o rankings.parquet makes it of WMT''s tables'
  )
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(rankings)
),
_ranked as (
  select
    case
      when count(*) = 0 then true
      else error(
        min('ranking ' || ranking || ' gives the system ' || system || ' the rank ' || "rank")
        || '; expected ranks from 1, and -1 or null for none'
      )
    end as fine
  from _given
  where "rank" < 1 and "rank" <> -1
),
_single as (
  select
    case
      when count(*) = 0 then true
      else error(
        min('ranking ' || ranking || ' has the system ' || system || ' more than once')
        || '; give each ranking its own number'
      )
    end as fine
  from (select ranking, system from _given group by all having count(*) > 1)
)
select
  one.ranking::bigint as ranking,
  one.sid::bigint as sid,
  one.judge::varchar as judge,
  one.system::varchar as system,
  two.system::varchar as other,
  sign(two.rank - one.rank)::integer as preference
from _given as one
join _given as two
  on one.ranking = two.ranking
  and one.system::varchar < two.system::varchar
where one.rank >= 1
  and two.rank >= 1
  and (select fine from _single)
  and (select fine from _ranked)
-- A join with an empty table would skip the check of columns.
union all by name
select null::bigint as ranking from _checked where not fine;

-- Human judgements of each system by sentence: system, sid, wins, losses, ties, over all pairs with
-- other systems.
--   select system, sum(wins) from ranking_wins('rankings.parquet') group by all
create or replace temp macro ranking_wins(rankings) as table
with
_pairs as (
  select * from ranking_pairs(rankings)
),
_both_ways as (
  select system, sid, preference from _pairs
  union all
  select other, sid, -preference from _pairs
)
select
  system,
  sid,
  count(*) filter (preference = 1) as wins,
  count(*) filter (preference = -1) as losses,
  count(*) filter (preference = 0) as ties
from _both_ways
group by system, sid;

-- The human score of each system: system, wins, losses, ties, wmt12 (the share of wins among wins
-- and losses; Callison-Burch et al. 2012) and wmt09 (the share of wins and ties; 2009).
--   select system, wmt12 from human_scores('rankings.parquet') order by wmt12 desc
create or replace temp macro human_scores(rankings) as table
select
  system,
  sum(wins)::bigint as wins,
  sum(losses)::bigint as losses,
  sum(ties)::bigint as ties,
  sum(wins) / nullif(sum(wins + losses), 0) as wmt12,
  sum(wins + ties) / sum(wins + losses + ties) as wmt09
from ranking_wins(rankings)
group by system;

-- Any table of segments in long form: metric, system, sid, score.
--   select * from segment_scores('segments.parquet')
create or replace temp macro segment_scores(segments) as table
with
_columns_known as (
  select
    null::varchar as metric,
    null::varchar as system,
    null::bigint as sid,
    null::double as score
  where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(segments)
),
_checked as (
  select fine
  from checked_columns(
    segments, ['system', 'sid', 'score'], 'alignframe tesla score -o writes such a table'
  )
)
select
  coalesce(_given.metric, 'score')::varchar as metric,
  _given.system::varchar as system,
  -- Keeps the optimizer from dropping the check of columns when a join or filter is empty.
  case when _checked.fine then _given.sid::bigint else -1 end as sid,
  case when _checked.fine then _given.score::double else 0 end as score
from _given
join _checked on _checked.fine;

-- The counts behind agreement: metric, sid, system, other, concordant, discordant (pairs that the
-- metric orders as the ranking does, and the opposite way), metric_ties (one is preferred, the
-- scores differ by 1e-12 of their size at most), human_ties, unscored (a score is missing).
--   select metric, sum(concordant) from agreement_counts('rankings.parquet', 'segments.parquet')
--   group by metric
create or replace temp macro agreement_counts(rankings, segments) as table
with
_scored as (
  select
    metric,
    system,
    sid,
    case
      when count(*) = 1 then any_value(score)
      else error(
        'the segments have sentence ' || sid || ' of the system ' || system || ' more than once'
      )
    end as score
  from segment_scores(segments)
  where isfinite(score)
  group by metric, system, sid
),
_metrics as (
  select distinct metric from segment_scores(segments)
),
_pairs as (
  select
    _metrics.metric,
    pairs.sid,
    pairs.system,
    pairs.other,
    pairs.preference,
    -- Equal scores may differ by rounding.
    case
      when abs(one.score - two.score) <= 1e-12 * greatest(abs(one.score), abs(two.score)) then 0
      else sign(one.score - two.score)
    end * pairs.preference as agreement
  from ranking_pairs(rankings) as pairs
  cross join _metrics
  left join _scored as one
    on one.metric = _metrics.metric and one.system = pairs.system and one.sid = pairs.sid
  left join _scored as two
    on two.metric = _metrics.metric and two.system = pairs.other and two.sid = pairs.sid
)
select
  metric,
  sid,
  system,
  other,
  count(*) filter (agreement > 0) as concordant,
  count(*) filter (agreement < 0) as discordant,
  count(*) filter (agreement = 0 and preference != 0) as metric_ties,
  count(*) filter (agreement is not null and preference = 0) as human_ties,
  count(*) filter (agreement is null) as unscored
from _pairs
group by metric, sid, system, other;

-- The share of preferences that a metric orders the same way (Callison-Burch et al. 2009), from
-- counts as in agreement_counts(). Metric ties count as 'wrong', as 'half' right, or not at all
-- ('skip'). Null if there is nothing to count.
-- Port of alignframe.tesla.meta.
--   select metric, consistency(sum(concordant), sum(discordant), sum(metric_ties), 'wrong')
--   from agreement_counts('rankings.parquet', 'segments.parquet') group by metric
create or replace temp macro consistency(concordant, discordant, metric_ties, ties) as
  case ties
    when 'wrong' then concordant / nullif(concordant + discordant + metric_ties, 0)
    when 'half'
      then (concordant + 0.5::double * metric_ties)
        / nullif(concordant + discordant + metric_ties, 0)
    when 'skip' then concordant / nullif(concordant + discordant, 0)
    else error('ties is ' || coalesce('''' || ties || '''', 'null') || '; expected wrong, half or skip')
  end;

-- Kendall's tau in the variants of the WMT workshops: metric ties count as discordant ('wmt12'),
-- not at all ('wmt13'), or only in the denominator ('wmt14'; Machacek & Bojar 2014, section 4).
-- Human ties are ignored. Null if there is nothing to count.
-- Port of alignframe.tesla.meta.
--   select metric, wmt_tau(sum(concordant), sum(discordant), sum(metric_ties), 'wmt14')
--   from agreement_counts('rankings.parquet', 'segments.parquet') group by metric
create or replace temp macro wmt_tau(concordant, discordant, metric_ties, variant) as
  case variant
    when 'wmt12'
      then (concordant - discordant - metric_ties)
        / nullif(concordant + discordant + metric_ties, 0)
    when 'wmt13' then (concordant - discordant) / nullif(concordant + discordant, 0)
    when 'wmt14'
      then (concordant - discordant) / nullif(concordant + discordant + metric_ties, 0)
    else error(
      'the variant is ' || coalesce('''' || variant || '''', 'null')
      || '; expected wmt12, wmt13 or wmt14'
    )
  end;

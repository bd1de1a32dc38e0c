-- Macros over translation scores. `segments` is the name of a table, view or Python frame, or a
-- Parquet path or glob, as a string: system, sid (0-based), score, and one column per feature, as
-- `alignframe tesla score -o` writes them. A missing system is called 'hypothesis'. Null scores, of
-- segments without a reference, are ignored.

-- F = PR / (w P + (1 - w) R), where w is `recall_weight`, from the weight of the matching and of
-- both bags, or their sums over sentences. 0 if nothing matches.
-- Port of alignframe.tesla.f_measure.
--   select tesla_f(sum(m.matched), sum(m.hyp), sum(m.ref))
--   from (select ngram_match(hyp, ref) as m from 'analysed.parquet')
create or replace temp macro tesla_f(matched, hyp, ref, recall_weight := 0.8) as
  case
    when not recall_weight between 0 and 1
      then error('recall_weight is ' || recall_weight || '; expected 0 to 1')
    when matched = 0 then 0.0
    else matched / (hyp + recall_weight * (ref - hyp))
  end;

-- Any table of segments, with every column: system, sid, score, and its features.
--   select * from tesla_segments('scores/*.parquet')
create or replace temp macro tesla_segments(segments) as table
with
_columns_known as (
  select null as system, null::bigint as sid, null::double as score where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(segments)
),
_checked as (
  select fine
  from checked_columns(segments, ['sid', 'score'], 'alignframe tesla score -o writes such a table')
)
select _given.* replace (
  -- Keeps the optimizer from dropping the check of columns when a join or filter is empty.
  case when _checked.fine then system_name(_given.system, segments, _given.sid) else '' end as system,
  case when _checked.fine then _given.sid::bigint else -1 end as sid,
  case when _checked.fine then _given.score::double else 0 end as score
)
from _given
join _checked on _checked.fine;

-- The mean score of each system, best first: system, score, segments (with a score).
-- Port of alignframe.tesla.score.score.
--   select * from tesla_scores('segments.parquet')
create or replace temp macro tesla_scores(segments) as table
select system, avg(score) as score, count(score) as segments
from tesla_segments(segments)
group by system
order by score desc nulls last, system;

-- The same by groups of sentences: group, system, score, segments. `groups` has the columns sid
-- (from 0) and "group", such as a document, a genre or a band of lengths. Sentences without a group
-- are left out.
-- Port of alignframe.tesla.score.score.
--   select * from tesla_scores_by('segments.parquet', 'genres.parquet')
create or replace temp macro tesla_scores_by(segments, groups) as table
with
_groups as (
  select distinct sid::bigint as sid, "group"::varchar as "group"
  from (
    select null as sid, null as "group" where false
    union all by name
    select * from rows_of(groups)
  )
),
_checked as (
  select fine
  from checked_columns(groups, ['sid', 'group'], 'one row per sentence, with sid counted from 0')
)
select _groups."group", given.system, avg(given.score) as score, count(given.score) as segments
from tesla_segments(segments) as given
join _groups on _groups.sid = given.sid
join _checked on _checked.fine
group by all
order by _groups."group", score desc nulls last, given.system;

-- Features in long form: system, sid, feature, value.
--   select * from tesla_features('segments.parquet') where feature = 'ms_1' and value = 0
create or replace temp macro tesla_features(segments) as table
with
_given as (
  select system, sid, columns(* exclude (system, sid, score))::double from tesla_segments(segments)
)
unpivot _given
on columns(* exclude (system, sid))
into name feature value value;

-- The mean of each feature by system: system, feature, mean, segments.
--   pivot tesla_feature_means('segments.parquet') on feature using first(mean) group by system
create or replace temp macro tesla_feature_means(segments) as table
select system, feature, avg(value) as mean, count(value) as segments
from tesla_features(segments)
group by system, feature
order by system, feature;

-- The segments in which two systems differ most: sid, score, other_score, difference, greatest
-- first. An unknown system is an error.
--   select * from tesla_differences('segments.parquet', 'new', 'old') limit 20
create or replace temp macro tesla_differences(segments, one, other) as table
with
_given as (
  select system, sid, score from tesla_segments(segments)
),
_checked as (
  select
    case
      when one is not null and other is not null and list_has_all(list(system), [one, other])
        then [one, other]
      else error(
        'the systems ' || coalesce(one, 'null') || ' and ' || coalesce(other, 'null')
        || '; expected two of '
        || coalesce(string_agg(distinct system, ', ' order by system), 'none')
      )
    end as named
  from _given
),
_scored as (
  select system, sid, score, _checked.named
  from _given
  cross join _checked
  where score is not null and (select fine from checked_once('_given'))
)
select
  mine.sid,
  mine.score,
  theirs.score as other_score,
  mine.score - theirs.score as difference
from _scored as mine
join _scored as theirs on theirs.sid = mine.sid and theirs.system = theirs.named[2]
where mine.system = mine.named[1]
order by abs(mine.score - theirs.score) desc, mine.sid;

-- How often each system is better than each other system: system, other, better, worse, ties, mean
-- (of the differences).
--   select * from tesla_wins('segments.parquet') where better < worse
create or replace temp macro tesla_wins(segments) as table
with
_given as (
  select system, sid, score from tesla_segments(segments)
),
_scored as (
  select system, sid, score
  from _given
  where score is not null and (select fine from checked_once('_given'))
)
select
  mine.system,
  theirs.system as other,
  count(*) filter (mine.score > theirs.score) as better,
  count(*) filter (mine.score < theirs.score) as worse,
  count(*) filter (mine.score = theirs.score) as ties,
  avg(mine.score - theirs.score) as mean
from _scored as mine
join _scored as theirs on theirs.sid = mine.sid and theirs.system <> mine.system
group by all
order by mine.system, other;

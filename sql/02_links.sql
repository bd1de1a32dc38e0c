-- Questions about tables of links. `source`, `hyp` and `gold` are names of tables, views or Python
-- frames, or Parquet paths and globs, as strings. A table may be long (system, sid, i, j[, sure]) or
-- nested (system, sid, links); a missing system is called 'hypothesis'.

-- Any table of links as one row per sentence: system, sid, links (i, j, sure), as they are given.
--   select * from link_rows('gold.parquet')
create or replace temp macro link_rows(source) as table
with
_columns_known as (
  select
    null::varchar as system,
    null::bigint as sid,
    null::struct(i integer, j integer, sure boolean)[] as links,
    null::integer as i,
    null::integer as j,
    null::boolean as sure
  where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from query_table(source)
),
_checked as (
  select fine
  from checked_columns(
    source,
    ['sid', 'links'],
    'give a table of links',
    other := ['sid', 'i', 'j']
  )
),
_nested as (
  select
    coalesce(system::varchar, 'hypothesis') as system,
    sid,
    links::struct(i usmallint, j usmallint, sure boolean)[] as links
  from _given
  where i is null and (select fine from _checked)
),
_from_long as (
  select
    coalesce(system::varchar, 'hypothesis') as system,
    sid,
    list({'i': i::usmallint, 'j': j::usmallint, 'sure': coalesce(sure, true)} order by i, j)
      as links
  from _given
  where i is not null and (select fine from _checked)
  group by all
)
select * from _nested
union all
select * from _from_long;

-- Any table of links as one row per link: system, sid, i, j, sure, sorted, each once; of two labels
-- Sure wins.
--   select * from long_links('hyp/*.parquet')
create or replace temp macro long_links(source) as table
with
_linked as (
  select system, sid, unnest(links) as link from link_rows(source)
)
select
  system,
  sid,
  link.i as i,
  link.j as j,
  bool_or(coalesce(link.sure, true)) as sure
from _linked
group by all
order by all;

-- The additive counts of every gold sentence for every system: system, sid, n_hyp, n_sure,
-- n_possible, n_hyp_sure, n_hyp_possible. A sentence missing from a hypothesis counts as empty; one
-- missing from gold is left out, a gold sentence without a list of links has none. A sentence given
-- twice is an error.
-- Port of alignframe.links.counts.
--   select * from link_counts('hyp.parquet', 'gold.parquet')
create or replace temp macro link_counts(hyp, gold) as table
with
_hypotheses as (
  select system, sid, links::struct(i usmallint, j usmallint)[] as links from link_rows(hyp)
),
_gold_rows as (
  select sid, coalesce(links, []) as links from link_rows(gold)
),
_repeated as (
  select 'the system ' || system || ' gives sentence ' || sid || ' more than once' as fault
  from _hypotheses group by system, sid having count(*) > 1
  union all
  select 'gold gives sentence ' || sid || ' more than once'
  from _gold_rows group by sid having count(*) > 1
),
_checked as (
  select case when count(*) = 0 then true else error(min(fault)) end as fine from _repeated
),
_systems as (
  select distinct system from _hypotheses
),
_paired as (
  select
    _systems.system,
    _gold_rows.sid,
    count_links(_hypotheses.links, _gold_rows.links) as counts
  from _systems
  cross join _gold_rows
  join _checked on _checked.fine
  left join _hypotheses
    on _hypotheses.system = _systems.system
    and _hypotheses.sid = _gold_rows.sid
)
select
  system,
  sid,
  counts.n_hyp,
  counts.n_sure,
  counts.n_possible,
  counts.n_hyp_sure,
  counts.n_hyp_possible
from _paired;

-- Corpus scores by system: sentences, links, precision, recall, aer, f (at `alpha`, 0.5 by default).
-- Port of alignframe.links.scores.
--   select * from link_scores('hyp/*.parquet', 'gold.parquet')
--   select * from link_scores('hyp.parquet', 'gold.parquet', alpha := 0.1)
create or replace temp macro link_scores(hyp, gold, alpha := 0.5) as table
with
_sums as (
  select
    system,
    count(*) as sentences,
    sum(n_hyp)::bigint as n_hyp,
    sum(n_sure)::bigint as n_sure,
    sum(n_possible)::bigint as n_possible,
    sum(n_hyp_sure)::bigint as n_hyp_sure,
    sum(n_hyp_possible)::bigint as n_hyp_possible
  from link_counts(hyp, gold)
  group by system
)
select
  system,
  sentences,
  n_hyp as links,
  alignment_precision(n_hyp, n_hyp_possible) as precision,
  alignment_recall(n_sure, n_hyp_sure) as recall,
  aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as aer,
  f_alpha(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as f
from _sums
order by system;

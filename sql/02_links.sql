-- Macros over tables of links. `source`, `hyp` and `gold` are names of tables, views or Python
-- frames, or Parquet paths and globs, as strings. A table may be long (system, sid, i, j[, sure]) or
-- nested (system, sid, links); a missing system is called 'hypothesis'. `key` is the column or the
-- list of columns that identify a sentence: ['sid'] by default, ['domain', 'sid'] where sentences
-- are numbered from 0 in every domain. Other columns are kept.

-- The first type or label, in the text of links behind that of their type, that is not allowed.
create or replace temp macro inexact(links) as replace(
  regexp_extract(
    links,
    '\b((sid|i|j)"? (F|DO|BO)|[ij]"? V|sure"? [DFV])[A-Z]*'
    || '|\bsure"? [A-Z]+\[[0-9]*\]|\b(sure''?: (-|[2-9]|[0-9]{2})|(sid|i|j)''?: -?[0-9]+[.]0*[1-9])[0-9]*'
  ),
  '''',
  ''
);

-- Whether links have whole numbers, and labels that are true, false, 1 or 0: true; otherwise an
-- error, as a cast would round them. `given` is a struct of sid, links, i, j and sure, of which some
-- are null. Types are known before rows are read, so that the usual ones cost nothing per row.
create or replace temp macro exact_links(given, source) as
  case
    when not regexp_matches(
      typeof(given), '\b(sid|i|j)"? ([FD]|BO)|\b[ij]"? V|\bsure"? ([^B"]|BI|[A-Z]+\[)'
    )
      then true
    when inexact(concat(typeof(given), given)) = '' then true
    else error(concat(
      source, ': links with ', lower(inexact(concat(typeof(given), given))),
      ' of sentence ' || given.sid,
      '; expected whole numbers as sid, i and j, and true or false as sure of each link'
    ))
  end;

-- Any table of links as one row per sentence: system, the columns of `key`, links (i, j, sure), and
-- its other columns. A null list or position is an error. Lists are unchanged; links of a long table are sorted without duplicates, and
-- other columns describe sentences, except a probability, which is left out.
--   select * from link_rows('gold.parquet')
create or replace temp macro link_rows(source, key := ['sid']) as table
with
_checked as (
  select fine
  from checked_columns(
    source,
    case when identifying(key) then list_append(name_list(key), 'links') end,
    'give a table of links',
    other := list_concat(name_list(key), ['i', 'j'])
  )
),
-- Missing columns are null. A list of columns chosen by name must not be empty, or there is an
-- error before the check.
_given as not materialized (
  select 0 as _whole, * from rows_of(source)
  union all by name
  select
    null as system,
    null::bigint as sid,
    null as links,
    null as i,
    null as j,
    null as sure,
    null as probability
  where false
),
_ordered as not materialized (
  select
    system,
    columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))),
    links,
    columns(lambda c: not is_named(c, list_concat(name_list(key), ['system', 'links', 'probability', '_whole'])))
  from _given
  where exact_links({'sid': sid, 'links': links, 'i': i, 'j': j, 'sure': sure}, source)
),
_nested as (
  select
    * exclude (_whole, i, j, sure) replace (
      system_name(system, source, sid) as system,
      links::struct(i usmallint, j usmallint, sure boolean)[] as links
    )
  from _ordered
  semi join _checked on _checked.fine -- is planned faster than (select fine from _checked)
  where case
    when i is not null and j is not null then false
    when links is not null then true
    else null_error(
      if(typeof(links) = '"NULL"', if(i is null, 'i', 'j'), 'links'),
      source,
      sid,
      'i and j of every link, and an empty list if the sentence has no links'
    )
  end
),
_from_long as (
  select
    * exclude (_whole, i, j, sure) replace (
      system_name(system, source, sid) as system,
      sorted_links(
        list({'i': i::usmallint, 'j': j::usmallint, 'sure': coalesce(sure::boolean, true)})
      ) as links
    )
  from _ordered
  semi join _checked on _checked.fine
  where i is not null and j is not null
  group by all
)
select * from _nested
union all by name
select * from _from_long;

-- Any table of links as one row per link: system, the columns of `key`, i, j, sure, and its other
-- columns. The links of a sentence are sorted without duplicates; Sure takes precedence.
--   select * from long_links('hyp/*.parquet')
create or replace temp macro long_links(source, key := ['sid']) as table
with
_given as (
  select 0 as _whole, null as _none, * from link_rows(source, key := key)
),
_linked as (
  select
    system,
    columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))),
    unnest(sorted_links(links)) as _link,
    columns(lambda c: not is_named(c, list_concat(name_list(key), ['system', 'links', '_whole'])))
  from _given
),
_long as (
  select
    system,
    columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))),
    _link.i::integer as i,  -- that differences may be below 0
    _link.j::integer as j,
    coalesce(_link.sure, true) as sure,
    columns(lambda c: not is_named(c, list_concat(name_list(key), ['system', '_link', '_whole'])))
  from _linked
)
select * exclude (_whole, _none) from _long;

-- What an error says of a sentence that is given twice. `name` has the values of its key behind 'true'.
create or replace temp macro given_twice(giver, name, key) as
  giver || ' gives sentence ' || name[7:] || ' more than once; expected other values of '
    || listed(name_list(key)) || ' in each; name the columns that identify a sentence, such as '
    || 'key := [''domain'', ''sid''], or leave out columns that differ from link to link';

-- What an error says of counts that are given twice.
create or replace temp macro counted_twice(system, name) as
  'the system ' || system || ' has counts of ' || name || ' more than once; expected one row per '
    || 'sentence; if several columns identify it, make them one, such as '
    || 'select * replace (concat_ws(''-'', domain, sid) as sid)';

-- The additive counts of every gold sentence for every system: system, the columns of `key`, n_hyp,
-- n_sure, n_possible, n_hyp_sure, n_hyp_possible, and the other columns of gold and of the
-- hypothesis (null where it lacks the sentence; gold's column comes first if both have the name). A
-- sentence missing from a hypothesis counts as empty; one missing from gold is left out. A duplicate
-- sentence, one without its key, and a system with none of gold's sentences, or as many that are
-- numbered differently, are errors.
-- Port of alignframe.links.score.
--   select * from link_counts('hyp.parquet', 'gold.parquet')
--   select domain, sum(n_hyp) from link_counts('hyp', 'gold', key := ['domain', 'sid']) group by domain
create or replace temp macro link_counts(hyp, gold, key := ['sid']) as table
with
-- Columns are renamed, so that a natural join compares only the key, and the key is found by name.
_hyp as (
  select
    system,
    keyed(columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))), 'the system ' || system, key) as '_key.\0',
    links as _found,
    columns(lambda c: not is_named(c, list_concat(name_list(key), ['system', 'links', '_whole']))) as '_hyp.\0'
  from (select true as _whole, true as _none, * from link_rows(hyp, key := key))
),
_gold_given as (
  select
    keyed(columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))), 'gold', key) as '_key.\0',
    links as _wanted,
    true as _met,
    columns(lambda c: not is_named(c, list_concat(name_list(key), ['system', 'links', '_whole']))) as '_gold.\0'
  from (select true as _whole, true as _none, * from link_rows(gold, key := key))
),
_gold_listed as (
  select
    columns('^_key\.'), count(*) as _times
  from _gold_given
  group by all
),
-- Before the hypothesis is read and joined: without a part of the key, each of its sentences would be
-- joined with those of all domains.
_gold as (
  select * from _gold_given
  semi join (
    select case when count(*) = 0 then true else error(min(given_twice('gold', name, key))) end as fine
    from (select concat_ws(', ', *columns('^_key\.')) as name from _gold_listed where _times > 1)
  ) as _once on _once.fine
),
-- Few columns, since it is held in memory. The hypothesis is read once, as it may be a stream. Null without gold.
_judged as (
  select
    * exclude (_found, _wanted),
    count_links(_found, _wanted)::struct(
      n_hyp integer,
      n_sure integer,
      n_possible integer,
      n_hyp_sure integer,
      n_hyp_possible integer
    ) as _counts
  from _hyp
  natural left join _gold
),
-- The systems whose sentences are not exactly those of gold, each once. If the numbers of rows and
-- the exclusive ors of marks (64-bit hashes) are equal, the sentences are the same.
_uneven as (
  select system, _hits
  from (
    select system, count(*) as _rows, count(_met) as _hits, bit_xor(_mark) as _marks
    from (
      -- Hashed twice, because the combined hash of several columns is not random enough.
      select
        system, _met, hash(hash(*columns('^_key\.'))) as _mark
      from _judged
    )
    group by system
  )
  join (
    select
      count(*) as _wanted,
      bit_xor(hash(hash(*columns('^_key\.')))) as _gold_marks
    from _gold_listed
  )
    on case
      when _wanted = 0 then error('gold has no rows')
      else _rows <> _wanted or _hits <> _wanted or _marks <> _gold_marks
    end
),
_listed as (
  select system, columns('^_key\.'), count(*) as _times
  from _judged
  semi join _uneven using (system)
  group by all
),
_absent as (
  select * exclude (_hits, _times)
  from _uneven
  cross join (select * exclude (_times) from _gold_listed)
  natural left join _listed
  where _times is null
),
_paired as (
  select * from _judged where _met
  union all by name
  select * exclude (_wanted), count_links([], _wanted) as _counts from _absent natural join _gold
),
_numbered as (
  select system, _part, min(_sid) as low, max(_sid) as high, count(*) as n
  from (
    select
      system,
      -- Both begin with 'true', the value of _whole; _sid is null unless sid is part of the key.
      concat_ws(', ', *columns(lambda c: starts_with(c, '_key.') and lower(c) <> '_key.sid')) as _part,
      try_cast(substr(concat_ws('', *columns('(?i)^_key\.(_whole|sid)$')), 5) as bigint) as _sid
    from (select * from _listed union all by name select * from _gold_listed where (from (select count(*) > 0 from _uneven)))
  )
  group by system, _part
),
_faults as (
  select 0 as place, 'the hypothesis has no rows' as fault where not exists (from _judged)
  union all
  select 1, given_twice('the system ' || system, name, key)
  from (
    select system, concat_ws(', ', *columns('^_key\.')) as name from _listed where _times > 1
  )
  union all
  select
    2,
    'the system ' || mine.system || ' has the sentences ' || mine.low || ' to ' || mine.high || ', gold '
      || theirs.low || ' to ' || theirs.high || if(mine._part = 'true', '', ' of ' || mine._part[7:])
      || '; expected the same numbers; ' || if(
        mine.low > theirs.low,
        'subtract ' || (mine.low - theirs.low) || ' from',
        'add ' || (theirs.low - mine.low) || ' to'
      ) || ' its sid'
  from _numbered as mine
  join _numbered as theirs
    on theirs.system is null
    and mine._part = theirs._part
    and mine.n = theirs.n
    and mine.n > 1
    and mine.low <> theirs.low
    and mine.low - theirs.low = mine.high - theirs.high
  union all
  select 3, 'the system ' || system || ' has none of the sentences of gold; expected the same '
    || listed(name_list(key)) || ' in both'
  from _uneven
  where _hits = 0
  union all
  -- Text and number are joined as numbers.
  select 4, 'the system ' || system || ' gives a sentence of gold in two ways, such as 7 and 07; expected '
    || listed(name_list(key)) || ' of the same type in both'
  from _uneven
  left join (select system, count(*) as _lacking from _absent group by system) using (system)
  where _hits + coalesce(_lacking, 0) > (select count(*) from _gold_listed)
),
_checked as (
  select case when count(*) = 0 then true else error(arg_min(fault, (place, fault))) end as fine
  from _faults
),
_named as (
  select
    system,
    columns('^_key\.(.*)$') as '\1',
    _counts.n_hyp::bigint as n_hyp,
    _counts.n_sure::bigint as n_sure,
    _counts.n_possible::bigint as n_possible,
    _counts.n_hyp_sure::bigint as n_hyp_sure,
    _counts.n_hyp_possible::bigint as n_hyp_possible,
    columns('^_gold\.(.*)$') as '\1',
    columns('^_hyp\.(.*)$') as '\1'
  from _paired
  join _checked on _checked.fine
)
select * exclude (_whole, _none, _none_1) from _named;

-- A table of counts, as from link_counts(), checked. `others` are columns that it must have besides
-- the system and the counts. Impossible counts, and rows that differ only in counts, are errors if
-- the table has sid.
--   select * from counted_links('counts.parquet', others := ['domain'])
create or replace temp macro counted_links(counts, others := ['sid']) as table
with
_checked as (
  select fine
  from checked_columns(
    counts,
    list_concat(
      ['system'], others::varchar[], ['n_hyp', 'n_sure', 'n_hyp_sure', 'n_hyp_possible']
    ),
    'link_counts() and alignframe links score --counts -o give such a table'
  )
),
_columns_known as (
  select
    null::varchar as system,
    null::bigint as sid,
    null::bigint as n_hyp,
    null::bigint as n_sure,
    null::bigint as n_hyp_sure,
    null::bigint as n_hyp_possible
  where false
),
_given as (
  select * from rows_of(counts) where (select fine from _checked)
  union all by name
  select * from _columns_known
),
-- Rows that differ only in sid and counts. Where sids are the numbers from the lowest to the highest,
-- by the exclusive or of marks (64-bit hashes), none is given twice.
_runs as (
  select
    columns(lambda c: not starts_with(c, 'n_') and lower(c) <> 'sid'),
    count(*) as _rows,
    count(sid) as _sids,
    min(try_cast(sid as bigint)) as _low,
    max(try_cast(sid as bigint)) as _high,
    bit_xor(hash(hash(try_cast(sid as bigint)))) as _mark
  from _given
  group by all
),
_whole as (
  select _rows, _low, bit_xor(hash(hash(range))) as _mark
  from (select distinct _rows, _low from _runs where _rows > 1 and _rows = _high - _low + 1),
    range(_low, _low + _rows)
  group by all
),
_twice as (
  select columns(lambda c: not starts_with(c, 'n_'))
  from _given
  semi join (select system from _runs anti join _whole using (_rows, _low, _mark) where _rows > 1)
    using (system)
  group by all
  having count(*) > 1
),
_once as (
  select
    case
      when bool_or(system is null) then error('a row without system; expected its name in each')
      when sum(_sids) = 0 then true
      when sum(_sids) < sum(_rows) then error('a row without sid; expected its number in each')
      else coalesce(error((select min(counted_twice(system, 'sid ' || sid)) from _twice)), true)
    end as fine
  from _runs
)
select *
from _given
where (select fine from _once)
  and case
    when n_hyp + n_sure + n_hyp_sure + n_hyp_possible is null
      then error('a row without a count; expected a number in each')
    else possible_counts(n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
  end;

-- The sum of counts; null, as in a row without a count, is an error.
create or replace temp macro whole_sum(n) as
  case
    when count(*) = count(n) then sum(n)
    else error('a row without a count; expected a number in each')
  end;

-- Corpus scores of checked counts.
--   with counts as (from link_counts('hyp', 'gold')) from scores_of_counts('counts', by := ['domain'])
create or replace temp macro scores_of_counts(counts, alpha := 0.5, "by" := []) as table
with
_checked as (
  select fine from checked_groups(counts, "by")
),
_sums as (
  select
    columns(lambda c: is_named(c, list_append(name_list("by"), 'system'))),
    count(*) as sentences,
    whole_sum(n_hyp)::bigint as n_hyp,
    whole_sum(n_sure)::bigint as n_sure,
    whole_sum(n_hyp_sure)::bigint as n_hyp_sure,
    whole_sum(n_hyp_possible)::bigint as n_hyp_possible
  from query_table(counts)
  where (select fine from _checked)
  group by all
)
-- Figures are computed before they are unnested, which would plan them for each.
select * exclude (_figures), unnest(_figures)
from (
  select
    * exclude (n_hyp, n_sure, n_hyp_sure, n_hyp_possible),
    n_hyp as links,
    link_figures(alpha, n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as _figures
  from _sums
)
order by all;

-- Corpus scores from stored counts: the columns of link_scores(). `counts` is a table as from
-- link_counts() or `alignframe links score --counts -o`, or one of their sums, with the same column names.
-- `by` is a column or a list of columns to group by.
-- Port of alignframe.links.score.
--   from scores('counts.parquet')
--   from scores('counts.parquet', alpha := 0.1, by := ['domain'])
create or replace temp macro scores(counts, alpha := 0.5, "by" := []) as table
with
_counts as (
  select * from counted_links(counts, others := [])
)
select * from scores_of_counts('_counts', alpha := alpha, "by" := "by");

-- Corpus scores by system: system, the columns of `by`, sentences, links, precision, recall, aer, f (at
-- `alpha`, 0.5 by default).
-- Port of alignframe.links.score.
--   select * from link_scores('hyp/*.parquet', 'gold.parquet')
--   select * from link_scores('hyp.parquet', 'gold.parquet', alpha := 0.1)
--   select * from link_scores('hyp', 'gold', key := ['domain', 'sid'], by := ['domain'])
create or replace temp macro link_scores(hyp, gold, alpha := 0.5, key := ['sid'], "by" := []) as table
with
_counts as (
  select * from link_counts(hyp, gold, key := key)
)
select * from scores_of_counts('_counts', alpha := alpha, "by" := "by");

-- Error analysis of links: where a system is wrong, which systems agree, what differs. Tables and
-- `key` are as in 02_links.sql; `bitext` is a table with the columns of `key`, src and tgt (lists
-- of words).

-- The band of a sentence's length in words, the mean of both sides: '1-5', '6-10', ..., '41+'.
-- `bands` has the last length of each band except the open one.
-- Port of alignframe.links.gold.band_names.
--   select length_band(src, tgt) as length, count(*) from 'text.parquet' group by length
create or replace temp macro length_band(src, tgt, bands := [5, 10, 15, 20, 30, 40]) as
  list_transform(
    [list_filter(bands::bigint[], lambda _end: _end < (len(src::varchar[]) + len(tgt::varchar[]) + 1) // 2)],
    lambda _passed: case
      when not coalesce(
        list_min(bands::bigint[]) >= 1
        and bands::double[] = list_sort(list_distinct(bands::bigint[]))::double[],
        false
      )
        then error(
          'the bands ' || coalesce(bands::varchar, 'null') || '; expected ascending lengths from 1, such as [10, 20]'
        )
      when src is null or tgt is null then null
      when len(_passed) = len(bands::bigint[]) then ((bands::bigint[])[-1] + 1) || '+'
      else (coalesce(_passed[-1], 0) + 1) || '-' || (bands::bigint[])[len(_passed) + 1]
    end
  )[1];

-- The rows of link_rows(); a duplicate sentence of a system is an error.
--   select * from single_links('hyp.parquet')
create or replace temp macro single_links(source, key := ['sid']) as table
with
_rows as (
  select * from link_rows(source, key := key)
),
_checked as (
  select fine
  from checked_once(
    '_rows',
    key := key,
    todo := 'name the columns that identify a sentence, such as key := [''domain'', ''sid'']'
  )
)
select * from _rows where (select fine from _checked);

-- The sentences with the most errors of each system: system, the columns of `key`, errors, aer, and
-- the other columns of link_counts(). `errors` are those in AER: links that are not Possible, and
-- Sure links not found; their sum divided by the sum of n_hyp and n_sure is the corpus AER. The top
-- `n` (10) per system, most errors first; ties are broken by higher AER, then by key.
--   select * from worst_sentences('hyp.parquet', 'gold.parquet', n := 5) where system = 'giza'
create or replace temp macro worst_sentences(hyp, gold, n := 10, key := ['sid']) as table
with
_judged as (
  select *, n_hyp - n_hyp_possible + n_sure - n_hyp_sure as errors
  from link_counts(hyp, gold, key := key)
),
-- Few sentences have as many errors as the last one wanted, so that few are sorted.
_least as (
  select
    system,
    case
      when n > 999999 then 0 -- max() takes no more
      when n >= 0 then list_min(max(errors, least(greatest(coalesce(n, 1), 1), 999999)::bigint))
      else error('n is ' || coalesce(n::varchar, 'null') || '; expected 0 or more')
    end as least
  from _judged
  group by system
),
_many as (
  select
    system,
    columns(lambda c: is_named(c, name_list(key))),
    errors,
    aer(n_hyp, n_sure, n_hyp_sure, n_hyp_possible) as aer,
    columns(lambda c: not is_named(c, list_concat(name_list(key), ['system', 'errors'])))
  from _judged
  semi join _least on _judged.system = _least.system and errors >= least
),
_placed as (
  select
    *,
    row_number() over (
      partition by system
      order by errors desc, aer desc nulls last, row(*columns(lambda c: is_named(c, name_list(key))))
    ) as _place
  from _many
)
select * exclude (_place) from _placed where _place <= coalesce(n, 0)
order by system, _place;

-- The agreement of every two systems, each pair once: system, other, sentences (in both), links,
-- other_links, shared (links in both), agreement (2 shared / (links + other_links): the F of one
-- against the other). A sentence missing from one of them has no links there.
--   select * from system_agreement('hyp/*.parquet') order by agreement
create or replace temp macro system_agreement(hyp, key := ['sid']) as table
with
_mine as (
  select
    system,
    0 as _whole,
    columns(lambda c: is_named(c, name_list(key))),
    sorted_links(links) as _links
  from single_links(hyp, key := key)
),
_theirs as (
  select * exclude (system, _links), system as other, _links as _other_links from _mine
),
_sizes as (
  select system, coalesce(sum(len(_links)), 0)::bigint as links from _mine group by system
),
_met as (
  select
    system,
    other,
    count(*) as sentences,
    sum(struct_extract(count_links(_links, coalesce(_other_links, [])), 'n_hyp_possible')) as n_both
  from _mine
  natural join _theirs
  where system < other
  group by system, other
)
select
  one.system,
  two.system as other,
  coalesce(_met.sentences, 0) as sentences,
  one.links,
  two.links as other_links,
  coalesce(_met.n_both, 0)::bigint as shared,
  2 * coalesce(_met.n_both, 0) / nullif(one.links + two.links, 0) as agreement
from _sizes as one
join _sizes as two on one.system < two.system
left join _met on _met.system = one.system and _met.other = two.system
order by one.system, two.system;

-- A link as one number, in the order of (i, j).
create or replace temp macro link_number(link) as (link.i::uinteger << 16) | link.j;

-- Those of some links that others lack, each as a number of its position, label and `side`.
create or replace temp macro lacking(links, others, side) as list_transform(
  list_filter(links, lambda l: not list_contains(others, link_number(l))),
  lambda l: (link_number(l)::bigint << 2) | if(coalesce(l.sure, true), 2, 0) | side
);

-- The links in only one of two tables: the columns of `key`, i, j, sure, only_in ('a' or 'b'), in
-- this order. Each table has one system, and each sentence once; labels are not compared.
--   select * from link_differences('giza.parquet', 'gold.parquet')
create or replace temp macro link_differences(a, b, key := ['sid']) as table
with
-- Sentences are joined, not links, of which there are many more.
_of_a as (
  select
    system as _system_a,
    columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))),
    sorted_links(links) as _links_a
  from (select 0 as _whole, * from link_rows(a, key := key))
),
_of_b as (
  select
    system as _system_b,
    columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))),
    sorted_links(links) as _links_b
  from (select 0 as _whole, * from link_rows(b, key := key))
),
_met as (
  select
    * replace (coalesce(_links_a, []) as _links_a, coalesce(_links_b, []) as _links_b),
    coalesce(list_transform(_links_a, lambda l: link_number(l)), []) as _numbers_a,
    coalesce(list_transform(_links_b, lambda l: link_number(l)), []) as _numbers_b
  from _of_a
  natural full join _of_b
),
_different as (
  select
    * exclude (_links_a, _links_b, _numbers_a, _numbers_b),
    list_sort(
      list_concat(lacking(_links_a, _numbers_b, 0), lacking(_links_b, _numbers_a, 1))
    ) as _links
  from _met
),
_faults as (
  select
    0 as place,
    given || ' has the systems ' || string_agg(system, ', ' order by system)
      || '; expected one; choose it in a view or a common table expression, such as '
      || 'with one as (from hyp where system = ''' || min(system) || ''')'
      as fault
  from (
    select distinct 'a' as side, a as given, _system_a as system from _different
    union all
    select distinct 'b', b, _system_b from _different
  )
  group by side, given
  having count(system) > 1
  union all
  select
    1,
    'a table gives sentence ' || _name || ' more than once; expected other values of '
      || listed(name_list(key)) || ' in each; name the columns that identify a sentence, such as '
      || 'key := [''domain'', ''sid'']'
  from (
    select concat_ws(', ', *columns(lambda c: is_named(c, name_list(key)))) as _name
    from (
      select columns(lambda c: is_named(c, list_append(name_list(key), '_whole')))
      from _different
      group by all
      having count(*) > 1
    )
  )
),
_checked as (
  select case when count(*) = 0 then true else error(arg_min(fault, (place, fault))) end as fine
  from _faults
),
_listed as (
  select columns(lambda c: is_named(c, name_list(key))), unnest(_links) as _link
  from (from _different order by columns(lambda c: is_named(c, name_list(key))))
  where (select fine from _checked)
)
select
  * exclude (_link),
  (_link >> 18)::integer as i,
  ((_link >> 2) & 65535)::integer as j,
  _link & 2 > 0 as sure,
  if(_link & 1 = 0, 'a', 'b') as only_in
from _listed;

-- The gold links missing from a system, with their words: system, the columns of `key`, i, j, sure,
-- src, tgt. A sentence missing from a system misses all its links. One missing from the text, and a
-- link outside its sentence pair, are errors.
--   select src, tgt, count(*) from missing_links('hyp.parquet', 'gold.parquet', 'text.parquet')
--   where sure group by all order by count(*) desc limit 20
create or replace temp macro missing_links(hyp, gold, bitext, key := ['sid']) as table
with
_given as (
  select system, columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))), links
  from (select 0 as _whole, * from single_links(hyp, key := key))
),
_found as (
  select * exclude (links, _link), _link.i as i, _link.j as j, true as _known
  from (select *, unnest(sorted_links(links)) as _link from _given)
),
_wanted as (
  select columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))), i, j, sure
  from (select 0 as _whole, * from long_links(gold, key := key))
),
_words as (
  select columns(lambda c: is_named(c, list_append(name_list(key), '_whole'))), src as _src, tgt as _tgt
  from (select 0 as _whole, * from text_rows(bitext, key := key))
),
_missing as (
  select *, concat_ws(', ', *columns(lambda c: is_named(c, name_list(key)))) as _name
  from (select distinct system from _given)
  cross join _wanted
  natural left join _found
  where _known is null
)
select
  system,
  columns(lambda c: is_named(c, name_list(key))),
  i,
  j,
  sure,
  case
    when _src is null or _tgt is null
      then error('the text has no sentence ' || _name)
    when i >= len(_src) or j >= len(_tgt)
      then error(
        'the link ' || i || '-' || j || ' of sentence ' || _name || ' lies outside its '
        || len(_src) || ' and ' || len(_tgt) || ' words'
      )
    else _src[i + 1]
  end as src,
  _tgt[j + 1] as tgt
from _missing
natural left join _words
order by all;

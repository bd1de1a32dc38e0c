-- Notes on tables that are compared: macros score any tables, and take them as they are.

-- The rows of a table with the parts of their sentence's, document's or word's name, sorted, as
-- tables may have the columns of a key in any order. Words in another Unicode form are those of NFC.
create or replace temp macro noted_rows(source, key := []) as table
with
_given as not materialized (
  select * from rows_of(source)
  union all by name
  select null as sid, null as doc, null as src where false
)
select
  * exclude (_unit),
  list_sort(string_split(
    nfc_normalize(concat_ws('/', *columns(lambda c: is_named(c, list_append(name_list(key), '_unit'))))), '/'
  )) as _name
from (
  select *, coalesce(sid::varchar, doc::varchar, src::varchar, '') as _unit from _given
);

-- What looks wrong about two tables of links, beads, translations (sid, text), lexicons, or scores of
-- segments and human rankings: what, place (a table, or both), expected and todo; no row if nothing
-- does. They are the warnings and the error that Python gives for the same rows: those of the
-- sentences, documents or words in the first rows of gold. `key` is as elsewhere, by default sid, doc
-- or src.
--   from alignframe_notes('hyp.parquet', 'gold.parquet', key := ['domain', 'sid'])
create or replace temp macro alignframe_notes(hyp, gold, key := [], most := 1000) as table
with
_mine as not materialized (from noted_rows(hyp, key := key)),
_other as not materialized (from noted_rows(gold, key := key)),
_units as materialized (
  select distinct _name from (from _other limit most)
),
_golden as not materialized (
  select * exclude (_name) from _other where _name in (select _name from _units)
),
_same as materialized (
  select * exclude (_name) from _mine where _name in (select _name from _units)
),
-- If the tables have nothing in common, this is what looks wrong.
_compared as (
  select * from _same
  union all
  select * exclude (_name)
  from (from _mine limit most)
  where (select count(*) = 0 from _same)
)
select
  unnest(
    table_notes(
      to_json((select list(_row) from _compared as _row))::varchar,
      to_json((select list(_row) from _golden as _row))::varchar,
      [hyp::varchar, gold::varchar],
      name_list(key)
    ),
    recursive := true
  );

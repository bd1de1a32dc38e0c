-- What every macro that takes a table asks of it.

-- The names of a table's columns: one row with names, a list. Nothing of the table is read.
--   select names from column_names('segments.parquet')
create or replace temp macro column_names(source) as table
with
_named as (
  select alias(columns(_given.*))
  from (select 1)
  left join (select * from query_table(source) where false) as _given on true
)
-- Aggregated, so that what is made of the names is not computed row by row of another table, which may
-- be empty.
select list(name) as names
from (select unnest(string_split(concat_ws(chr(31), *columns(*)), chr(31))) as name from _named);

-- Whether a table has the columns that are needed, or those of another layout: fine, which is true.
-- Else an error that names its columns and those that are expected, and what to do.
--   select * from checked_columns('segments.parquet', ['sid', 'score'], 'name them')
create or replace temp macro checked_columns(source, needed, todo, other := ['']) as table
with
_found as (
  select names, list_transform(names, lambda n: lower(n)) as known from column_names(source)
)
select
  case
    when list_has_all(known, list_transform(needed, lambda n: lower(n))) then true
    when list_has_all(known, list_transform(other, lambda n: lower(n))) then true
    else error(
      'a table with the columns ' || array_to_string(names, ', ') || '; expected '
      || array_to_string(needed, ', ')
      || case when other = [''] then '' else ', or ' || array_to_string(other, ', ') end
      || '; ' || todo
    )
  end as fine
from _found;

-- Whether a column is among those named, in any case.
create or replace temp macro is_named(name, names) as
  list_contains(list_transform(names, lambda n: lower(n)), lower(name));

-- What every macro that takes a table asks of it.

-- Whether a table has the columns that are needed, or those of another layout: fine, which is true.
-- Else an error that names its columns and those that are expected, and what to do.
--   select * from checked_columns('segments.parquet', ['sid', 'score'], 'name them')
create or replace temp macro checked_columns(source, needed, todo, other := ['']) as table
with
_found as (
  select column_name as name from (describe select * from query_table(source))
)
select
  case
    when list_has_all(list(lower(name)), list_transform(needed, lambda n: lower(n))) then true
    when list_has_all(list(lower(name)), other) then true
    else error(
      'a table with the columns ' || string_agg(name, ', ') || '; expected '
      || array_to_string(needed, ', ')
      || case when other = [''] then '' else ', or ' || array_to_string(other, ', ') end
      || '; ' || todo
    )
  end as fine
from _found;

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
select first([*columns(*)]) as names from _named;

-- Names in lower case. By way of text: every function costs a query that is planned anew.
create or replace temp macro lowered(names) as lower(names::varchar)::varchar[];

-- Whether a table has the columns that are needed, or those of another layout: fine, which is true.
-- Else an error that names its columns and those that are expected, and what to do.
--   select * from checked_columns('segments.parquet', ['sid', 'score'], 'name them')
create or replace temp macro checked_columns(source, needed, todo, other := ['']) as table
select
  case
    when list_has_all(lowered(names), lowered(needed)) or list_has_all(lowered(names), lowered(other))
      then true
    else error(
      'a table with the columns ' || listed(names) || '; expected ' || listed(needed)
      || if(other = [''], '', ', or ' || listed(other)) || '; ' || todo
    )
  end as fine
from column_names(source);

-- Names as text: 'a, b'.
create or replace temp macro listed(names) as (names::varchar)[2:-2];

-- Whether a column is among those named, in any case.
create or replace temp macro is_named(name, names) as list_contains(lowered(names), lower(name));

-- Whether a table of counts with these columns can be grouped by those of `by`: true. Else an error that
-- lists what can: counts, whose names begin with n_, cannot, and systems are told apart in any case.
create or replace temp macro groupable(names, "by") as
  case
    when list_has_all(lowered(names), lowered("by")) then true
    else error(
      'no column ' || listed(list_filter("by"::varchar[], lambda b: not is_named(b, names)))
      || ' to group by; expected of '
      || listed(list_filter(names, lambda n: not starts_with(n, 'n_') and lower(n) <> 'system'))
    )
  end;

-- Whether a table of counts can be grouped so: fine, which is true; else an error as of groupable().
--   select * from checked_groups('counts.parquet', ['domain'])
create or replace temp macro checked_groups(source, "by") as table
select groupable(names, "by") as fine from column_names(source);

-- Whether columns can identify a sentence: true, else an error.
create or replace temp macro identifying(key) as
  case
    when list_contains(lowered(key), 'system')
      then error('a key that names system; omit it, as each system has its own sentences')
    when len(key) > 0 then true
    else error(
      'the key ' || coalesce(key::varchar, 'null')
      || '; expected columns that identify a sentence, such as [''sid'']'
    )
  end;

-- A part of a sentence's key; a missing one is an error that says who gives it.
create or replace temp macro keyed(part, giver, key) as
  case
    when part is null then error(giver || ' gives a sentence without ' || listed(key))
    else part
  end;

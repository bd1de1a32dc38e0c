-- Input tables and checks of them, shared by all macros.

-- The rows of a table, by its name or path. The columns of several files are united by name; one
-- that has the name of a folder, such as system=giza, must have its value.
--   select * from rows_of('lake/**/*.parquet')
create or replace temp macro rows_of(source) as table
from query(
  if(
    regexp_matches(source::varchar, '^\[|[*?\[=].*[.](parquet|csv|tsv|json|jsonl|ndjson)(.gz|.zst)?$'),
    'from files_of(''',
    'from query_table('''
  ) || replace(source::varchar, '''', '''''') || ''')'
);

-- The rows of files by their path or pattern; see rows_of(), which plans faster without this.
create or replace temp macro files_of(files) as table
from query(
  case
    when starts_with(files, '[') then error(
      'a list given as a table: ' || files || '; expected the name of a table, in quotes; name one '
      || 'with --table NAME=PLACE or tables= of connect(), and pass ''NAME'''
    )
    when ends_with(files, '.parquet') then format(
      'from read_parquet(''{0}'', union_by_name := true, hive_types_autocast := false) '
      || 'where (from checked_folders(''{0}''))',
      replace(files, '''', '''''')
    )
    else format(
      'from read_{}_auto(''{}'', union_by_name := true)',
      if(contains(files, 'json'), 'json', 'csv'),
      replace(files, '''', '''''')
    )
  end
);

-- Whether Parquet files lie in folders of the same keys, such as system=giza, none of them hidden or
-- in a Delta table, and columns of these names have the values of the folders: fine, which is true;
-- otherwise an error that names a file.
create or replace temp macro checked_folders(files) as table
select
  case
    when count(*) filter (regexp_matches('/' || file_name[len(_root) + 1:], '/(_[^/=]*|[.][^/]+)/')) > 0
      or (select count(*) from glob(regexp_replace(files, '[^/]*[*?\[].*$', '') || '_delta_log/*')) > 0
      then error(
        files || ': a pattern that also finds replaced or hidden files; expected the files of one '
        || 'table; name its folder with --table NAME=PLACE, or tables= of connect()'
      )
    when count(_other) > 0 then error(
      min(file_name || ': a column ' || path_in_schema || ' with ''' || _other || '''')
      || ' in a folder of another value; expected the same value in both; drop the column from the '
      || 'file, or rename the folder'
    )
    when count(distinct _keys) > 1 or bool_or(_doubtful) then error(
      arg_max(file_name, (_doubtful, _keys::varchar)) || ': a file in folders of other keys than the '
      || 'rest, or of a value with =; expected the same keys; name the place with --table NAME=PLACE, '
      || 'or tables= of connect()'
    )
    when min(_empty) is not null and bool_or(regexp_matches(path_in_schema, '^(links|i|text)(,|$)'))
      then error(
        files || ': the partition ' || min(_empty) || ' has no rows; expected rows of each system; '
        || 'remove its folder, or write its sentences with empty links or texts'
      )
    else true
  end as fine
from (
  select
    file_name,
    path_in_schema,
    (
      select min(_system)
      from (
        select regexp_extract('/' || file_name, '/(system=[^/]+)/', 1) as _system
        from parquet_file_metadata(files)
        group by _system
        having sum(num_rows) = 0 and _system <> ''
      )
    ) as _empty,
    regexp_replace(files, '[^/]*[*?\[].*$', '') as _root,
    regexp_extract_all('/' || file_name, '/([^/=]+)=', 1) as _keys,
    regexp_matches('/' || file_name, '/[^/=]+=[^/]*=') as _doubtful,
    case
      when contains('/' || file_name, '/' || path_in_schema || '=')
        and not (
          stats_min_value = stats_max_value
          and contains(
            '/' || url_decode(file_name), '/' || path_in_schema || '=' || stats_min_value || '/'
          )
        )
        then stats_max_value
    end as _other
  from parquet_metadata(files)
);

-- The names of a table's columns: one row with names, a list. No rows of the table are read.
--   select names from column_names('segments.parquet')
create or replace temp macro column_names(source) as table
with
_named as (
  select alias(columns(_given.*))
  from (select 1)
  left join (select * from rows_of(source) where false) as _given on true
)
-- Aggregated, so that checks of the names are not computed per row of another table, which may be
-- empty.
select first([*columns(*)]) as names from _named;

-- Names as a list, given as a list or as a single name.
create or replace temp macro name_list(names) as coalesce(try_cast(names as varchar[]), [names::varchar]);

-- Names in lower case, through text, because every function adds planning time to a query.
create or replace temp macro lowered(names) as lower(names::varchar)::varchar[];

-- Whether a table has the columns needed, or those of another layout: one row with fine, which is
-- true; otherwise an error with its columns, the expected ones, and what to do.
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

-- Whether a column is among the named ones, ignoring case.
create or replace temp macro is_named(name, names) as list_contains(lowered(names), lower(name));

-- Whether a table of counts with these columns can be grouped by those of `by`: true. Otherwise an
-- error that lists possible columns: all but counts, whose names begin with n_, and system, which
-- is always a group.
create or replace temp macro groupable(names, "by") as
  case
    when list_has_all(lowered(names), lowered(name_list("by"))) then true
    else error(
      'no column ' || listed(list_filter(name_list("by"), lambda b: not is_named(b, names)))
      || ' to group by; expected one of '
      || listed(list_filter(names, lambda n: not starts_with(n, 'n_') and lower(n) <> 'system'))
    )
  end;

-- Whether a table of counts can be grouped by columns: fine, which is true; otherwise the error of groupable().
--   select * from checked_groups('counts.parquet', ['domain'])
create or replace temp macro checked_groups(source, "by") as table
select groupable(names, "by") as fine from column_names(source);

-- Whether columns can identify a sentence: true, or an error.
create or replace temp macro identifying(key) as
  case
    when list_contains(lowered(name_list(key)), 'system')
      then error('a key that names system; omit it, as each system has its own sentences')
    when list_count(name_list(key)) > 0 then true
    else error(
      'the key ' || coalesce(key::varchar, 'null')
      || '; expected columns that identify a sentence, such as [''sid'']'
    )
  end;

-- Whether every system has each sentence once: fine, which is true; otherwise an error.
--   select * from checked_once('segments.parquet')
create or replace temp macro checked_once(source, key := ['sid'], todo := 'give each sentence once')
as table
with
_repeated as (
  select system, columns(lambda c: is_named(c, name_list(key)))
  from rows_of(source)
  group by all
  having count(*) > 1
)
select
  case
    when count(*) = 0 then true
    else error(
      min('the system ' || system || ' gives sentence ' || _name || ' more than once') || '; ' || todo
    )
  end as fine
from (
  select system, concat_ws(', ', *columns(lambda c: is_named(c, name_list(key)))) as _name
  from _repeated
);

-- A part of a sentence's key; null is an error that names its origin.
create or replace temp macro keyed(part, giver, key) as
  case
    when part is null then error(giver || ' gives a sentence without ' || listed(name_list(key)))
    else part
  end;

-- The error for null in a row of a table, whose sid may be unknown.
create or replace temp macro null_error(names, source, sid, expected) as error(
  concat(
    source, ': null ', names, ' of sentence ' || sid, '; expected ', expected,
    '; to leave such rows out, filter: where ', names, ' is not null'
  )
);

-- The name of a system as text; null where other rows have one is an error.
create or replace temp macro system_name(system, source, sid) as
  case
    when typeof(system) = '"NULL"' then 'hypothesis'
    when system is null then null_error('system', source, sid, 'the name of its system in each row')
    when typeof(system) = 'BLOB' then decode(system::varchar::blob)
    else system::varchar
  end;

-- Whether both sides of a sentence have all their words: true; otherwise an error.
create or replace temp macro whole_pair(src, tgt, bitext, sid) as
  case
    when src is null then null_error('src', bitext, sid, 'an empty list if it has no words')
    when tgt is null then null_error('tgt', bitext, sid, 'an empty list if it has no words')
    when list_count(src) = len(src) and list_count(tgt) = len(tgt) then true
    else error(coalesce('sentence ' || sid || ' of ', '') || 'the text has a missing word')
  end;

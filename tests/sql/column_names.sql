-- given empty
select 1 as sid, 'a' as "a, b" limit 0
-- query
select names from column_names('empty')
-- expect
['sid', 'a, b']

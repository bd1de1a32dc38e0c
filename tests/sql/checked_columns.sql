-- given given_table
select 1 as SID, 0.5 as score, 'x' as extra
-- query
select fine from checked_columns('given_table', ['sid', 'score'], 'name them')
-- expect
True

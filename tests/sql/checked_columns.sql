-- given given_table
select 1 as SID, 0.5 as score, 'x' as extra
-- given given_systems
select * from (values ('a', 0), ('a', 1), ('b', 0)) as t(system, sid)
-- query
select
  fine,
  is_named('a, B', ['A, b']),
  is_named('b', ['A, b']),
  lowered(['it''s', 'A, b']),
  listed(['domain', 'sid']),
  groupable(['n_hyp', 'DOMAIN'], ['domain']),
  keyed(3, 'gold', ['sid']),
  identifying('sid'),
  (select fine from checked_once('given_systems', key := 'sid'))
from checked_columns('given_table', ['sid', 'score'], 'name them')
-- expect
True | True | False | ["it's", 'a, b'] | domain, sid | True | 3 | True | True

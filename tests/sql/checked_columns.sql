-- given given_table
select 1 as SID, 0.5 as score, 'x' as extra
-- query
select
  fine,
  is_named('a, B', ['A, b']),
  is_named('b', ['A, b']),
  lowered(['it''s', 'A, b']),
  listed(['domain', 'sid']),
  groupable(['n_hyp', 'DOMAIN'], ['domain']),
  keyed(3, 'gold', ['sid']),
  identifying(['domain', 'sid'])
from checked_columns('given_table', ['sid', 'score'], 'name them')
-- expect
True | True | False | ["it's", 'a, b'] | domain, sid | True | 3 | True

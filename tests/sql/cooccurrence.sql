-- given words
select * from (values
  (0, ['a', 'a', 'b'], ['x', 'y', 'x']),
  (1, ['a', 'c'], ['y']),
  (2, ['a'], []::varchar[]),
  (3, []::varchar[], ['x']),
  (4, ['b', 'c'], ['x'])
) as t(sid, src, tgt)
-- query
select * from cooccurrence('words') order by all
-- expect
a | x | 1 | 2 | 2 | 3
a | y | 2 | 2 | 2 | 3
b | x | 2 | 2 | 2 | 3
b | y | 1 | 2 | 2 | 3
c | x | 1 | 2 | 2 | 3
c | y | 1 | 2 | 2 | 3

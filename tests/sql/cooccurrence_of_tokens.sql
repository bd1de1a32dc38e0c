-- given words
select * from (values
  (0, ['a', 'a', 'a', 'b'], ['x', 'y', 'x']),
  (1, ['a', 'c'], ['y', 'y', 'y']),
  (2, ['a'], []::varchar[])
) as t(sid, src, tgt)
-- query
select * from cooccurrence('words', count := 'tokens') order by all
-- expect
a | x | 2 | 4 | 2 | 7
a | y | 2 | 4 | 4 | 7
b | x | 1 | 1 | 2 | 7
b | y | 1 | 1 | 4 | 7
c | y | 1 | 1 | 4 | 7

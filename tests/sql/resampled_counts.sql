-- given counts
select * from (values ('a', 0, 'x', 4, 2), ('a', 1, 'x', 4, 2), ('a', 2, 'y', 6, 3), ('b', 2, 'y', 6, 3))
  as t(system, sid, genre, n_both, n_hyp)
-- query
select * exclude (sentences), is_named('Genre', ['genre']), sentences
from resampled_counts('counts', by := ['genre'], bootstrap := 2)
order by all
-- expect
a | x | 0 | 2 | 8.0000 | 4.0000 | True | 2
a | x | 1 | 2 | 8.0000 | 4.0000 | True | 2
a | x | 2 | 2 | 8.0000 | 4.0000 | True | 2
a | y | 0 | 1 | 6.0000 | 3.0000 | True | 1
a | y | 1 | 1 | 6.0000 | 3.0000 | True | 1
a | y | 2 | 1 | 6.0000 | 3.0000 | True | 1
b | y | 0 | 1 | 6.0000 | 3.0000 | True | 1
b | y | 1 | 1 | 6.0000 | 3.0000 | True | 1
b | y | 2 | 1 | 6.0000 | 3.0000 | True | 1

-- given counts
select * from (values ('b', 'news', 2, 1, 1, 2), ('a', 'news', 1, 1, 2, 4), ('a', 'law', 0, 0, 1, 0))
  as t(system, genre, n_hyp_possible, n_hyp_sure, n_sure, n_hyp)
-- query
select * from scores('counts', by := ['genre'])
-- expect
a | law | 1 | 0 | None | 0.0000 | 1.0000 | 0.0000
a | news | 1 | 4 | 0.2500 | 0.5000 | 0.6667 | 0.3333
b | news | 1 | 2 | 1.0000 | 1.0000 | 0.0000 | 1.0000

-- given counts
select * from (values ('a', 0, 'news', 2, 1, 1, 2))
  as t(system, sid, genre, n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
-- query
select system, sid, n_hyp, n_sure, n_hyp_sure, n_hyp_possible, genre from counted_links('counts')
-- expect
a | 0 | 2 | 1 | 1 | 2 | news

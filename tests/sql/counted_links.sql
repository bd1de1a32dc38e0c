-- given counts
select * from (values ('a', 0, 'news', 2, 1, 1, 2))
  as t(system, sid, genre, n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
-- query
select system, sid, n_hyp, n_sure, n_hyp_sure, n_hyp_possible, genre from counted_links('counts')
-- expect
a | 0 | 2 | 1 | 1 | 2 | news
-- query sids_with_gaps
with gaps as (select * replace (unnest([9, 2, 0]) as sid) from counts union all select * replace ('b' as system) from counts)
select system, count(*), sum(sid) from counted_links('gaps') group by system order by system
-- expect
a | 3 | 11
b | 1 | 0

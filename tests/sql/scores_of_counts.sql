-- given counts
select * from (values ('a', 0, 'x', 2, 2, 1, 1), ('a', 1, 'y', 1, 1, 1, 1))
  as t(system, sid, domain, n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
-- query
select system, domain, aer, (select whole_sum(n_hyp) = 3 from counts) and (select fine from checked_groups('counts', ['DOMAIN']))
from scores_of_counts('counts', by := ['domain'])
union all
select system, null, aer, true from scores('counts')
order by domain
-- expect
a | x | 0.5000 | True
a | y | 0.0000 | True
a | None | 0.3333 | True

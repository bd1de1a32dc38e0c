-- given counts
select * from (values ('a', 4, 2, 2, 3), ('a', 6, 3, 1, 3), ('b', 1, 5, 1, 1))
  as c(system, n_hyp, n_sure, n_hyp_sure, n_hyp_possible)
-- query
select
  system,
  aer(sum(n_hyp), sum(n_sure), sum(n_hyp_sure), sum(n_hyp_possible)),
  f_alpha(0.1, sum(n_hyp), sum(n_sure), sum(n_hyp_sure), sum(n_hyp_possible))
from counts
group by system
order by system
-- expect
a | 0.4000 | 0.6000
b | 0.6667 | 0.2174

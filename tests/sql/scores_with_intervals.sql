-- given counts
select * from (values ('a', 0, 2, 2, 2, 1, 1), ('a', 1, 2, 2, 2, 1, 1))
  as t(system, sid, n_hyp, n_sure, n_possible, n_hyp_sure, n_hyp_possible)
-- query
from scores_with_intervals('counts', bootstrap := 5)
-- expect
a | 2 | 4 | 0.5000 | 0.5000 | 0.5000 | 0.5000 | 0.5000 | 0.5000 | 0.5000 | 0.5000 | 0.5000 | 0.5000 | 0.5000 | 0.5000

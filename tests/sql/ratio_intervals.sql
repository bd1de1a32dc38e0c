-- given counts
select * from (values ('a', 'one', 4, 2), ('a', 'two', 4, 2), ('b', 'two', 6, 3))
  as t(system, doc, n_both, n_hyp)
-- query
from ratio_intervals('counts', n_hyp / n_both, unit := 'doc', bootstrap := 9)
-- expect
a | 0.5000 | 0.5000 | 0.5000
b | 0.5000 | 0.5000 | 0.5000

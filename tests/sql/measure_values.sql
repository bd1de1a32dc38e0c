-- given counts
select * from (values
  ('a', 0, 4, 4, 6, 3, 4), ('a', 1, 0, 1, 1, 0, 0), ('b', 0, 100, 100, 300, 25, 75), ('b', 1, 0, 0, 0, 0, 0)
) as c(system, sid, n_hyp, n_sure, n_possible, n_hyp_sure, n_hyp_possible)
-- query
select * from measure_values('counts', alphas := [0.5, 0.25, 0.5]) order by all
-- expect
a | 1-aer | sure-possible | None | 0.7778
a | f_0.25 | possible | 0.2500 | 0.6400
a | f_0.25 | sure | 0.2500 | 0.6316
a | f_0.25 | sure-possible | 0.2500 | 0.6667
a | f_0.5 | possible | 0.5000 | 0.7273
a | f_0.5 | sure | 0.5000 | 0.6667
a | f_0.5 | sure-possible | 0.5000 | 0.7500
b | 1-aer | sure-possible | None | 0.5000
b | f_0.25 | possible | 0.2500 | 0.3000
b | f_0.25 | sure | 0.2500 | 0.2500
b | f_0.25 | sure-possible | 0.2500 | 0.3000
b | f_0.5 | possible | 0.5000 | 0.3750
b | f_0.5 | sure | 0.5000 | 0.2500
b | f_0.5 | sure-possible | 0.5000 | 0.3750

-- given counts
select * from (values
  ('a', 1, 10, 10, 20, 5, 10), ('a', 2, 10, 10, 20, 10, 10), ('b', 1, 10, 10, 20, 5, 5)
) as c(system, piece, n_hyp, n_sure, n_possible, n_hyp_sure, n_hyp_possible)
-- query
select * from measure_values('counts', alphas := [0.5]) order by system, annotation, measure
-- expect
a | f_0.5 | possible | 0.5000 | 0.6667
a | f_0.5 | sure | 0.5000 | 0.7500
a | 1-aer | sure-possible | None | 0.8750
a | f_0.5 | sure-possible | 0.5000 | 0.8333
b | f_0.5 | possible | 0.5000 | 0.3333
b | f_0.5 | sure | 0.5000 | 0.5000
b | 1-aer | sure-possible | None | 0.5000
b | f_0.5 | sure-possible | 0.5000 | 0.5000

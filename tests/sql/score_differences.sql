-- given counts
select * from (values
  ('a', 0, 2, 2, 2, 1, 1), ('a', 1, 2, 2, 2, 1, 1), ('b', 0, 2, 2, 2, 2, 2), ('b', 1, 2, 2, 2, 2, 2)
) as t(system, sid, n_hyp, n_sure, n_possible, n_hyp_sure, n_hyp_possible)
-- query
select * exclude (difference_low, difference_high) from score_differences('counts', 'a', bootstrap := 4)
-- expect
b | a | precision | 1.0000 | 0.5000 | 0.5000 | 0.7035 | 0.7035
b | a | recall | 1.0000 | 0.5000 | 0.5000 | 0.7035 | 0.7035
b | a | aer | 0.0000 | 0.5000 | -0.5000 | 0.7035 | 0.7035
b | a | f | 1.0000 | 0.5000 | 0.5000 | 0.7035 | 0.7035

-- given measured
select * from (values
  ('a', 'f_0.2', 'sure', 0.2, 1.0), ('b', 'f_0.2', 'sure', 0.2, 2.0), ('c', 'f_0.2', 'sure', 0.2, 4.0),
  ('a', 'f_0.4', 'sure', 0.4, 3.0), ('b', 'f_0.4', 'sure', 0.4, 2.0), ('c', 'f_0.4', 'sure', 0.4, 1.0),
  ('a', 'f_0.6', 'sure', 0.6, 0.3), ('b', 'f_0.6', 'sure', 0.6, 0.2), ('c', 'f_0.6', 'sure', 0.6, 0.1)
) as m(system, measure, annotation, alpha, value)
-- given ter
select * from (values ('a', 10.0), ('b', 20.0), ('c', 30.0)) as s(system, score)
-- query
select alpha, pearson, best from correlations('measured', 'ter', lower_is_better := true)
-- expect
0.2000 | 0.9820 | False
0.4000 | -1.0000 | True
0.6000 | -1.0000 | False

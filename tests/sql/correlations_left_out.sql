-- given measured
select * from (values
  ('a', 'f_0.1', 'sure', 0.1, 1.0), ('b', 'f_0.1', 'sure', 0.1, 2.0), ('c', 'f_0.1', 'sure', 0.1, 3.0),
  ('d', 'f_0.1', 'sure', 0.1, 5.0),
  ('a', 'f_0.5', 'sure', 0.5, 4.0), ('b', 'f_0.5', 'sure', 0.5, 3.0), ('c', 'f_0.5', 'sure', 0.5, 2.0),
  ('d', 'f_0.5', 'sure', 0.5, 1.0),
  ('a', '1-aer', 'sure', null, 1.0), ('b', '1-aer', 'sure', null, 1.0), ('c', '1-aer', 'sure', null, 1.0),
  ('d', '1-aer', 'sure', null, 1.0)
) as m(system, measure, annotation, alpha, value)
-- given bleu
select * from (values ('a', 10), ('b', 20), ('c', 30), ('d', 50)) as s(system, score)
-- query
select * from correlations_left_out('measured', 'bleu')
-- expect
1-aer | sure | None | 4 | None
f_0.1 | sure | 0.1000 | 4 | 1.0000
f_0.5 | sure | 0.5000 | 4 | 0.8848
f_chosen | sure | None | 4 | 1.0000

-- given measured
select * from (values
  ('a', 'f_0.1', 'sure', 0.1, 1.0), ('b', 'f_0.1', 'sure', 0.1, 2.0), ('c', 'f_0.1', 'sure', 0.1, 3.0),
  ('d', 'f_0.1', 'sure', 0.1, 3.0),
  ('a', 'f_0.5', 'sure', 0.5, 4.0), ('b', 'f_0.5', 'sure', 0.5, 3.0), ('c', 'f_0.5', 'sure', 0.5, 2.0),
  ('d', 'f_0.5', 'sure', 0.5, 1.0),
  ('a', 'f_0.9', 'sure', 0.9, 0.7), ('b', 'f_0.9', 'sure', 0.9, 0.7), ('c', 'f_0.9', 'sure', 0.9, 0.7),
  ('d', 'f_0.9', 'sure', 0.9, 0.7),
  ('a', '1-aer', 'sure', null, 1.0), ('b', '1-aer', 'sure', null, null), ('c', '1-aer', 'sure', null, 2.0),
  ('d', '1-aer', 'sure', null, 5.0)
) as m(system, measure, annotation, alpha, value)
-- given bleu
select * from (values ('a', 10), ('b', 20), ('c', 30), ('d', 40), ('e', 50)) as s(system, score)
-- query
select * from correlations('measured', 'bleu')
-- expect
1-aer | sure | None | 4 | None | None | None | None | None | None | False
f_0.1 | sure | 0.1000 | 4 | 0.9439 | 0.8909 | 0.9487 | 0.9129 | 12.7273 | -3.6364 | True
f_0.5 | sure | 0.5000 | 4 | -1.0000 | 1.0000 | -1.0000 | -1.0000 | -10.0000 | 50.0000 | False
f_0.9 | sure | 0.9000 | 4 | None | None | None | None | None | None | False

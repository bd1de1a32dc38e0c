-- given rankings
select * from (values
  (1, 7, 'b', 1), (1, 7, 'a', 2), (1, 7, 'c', 2),
  (2, 7, 'b', 2), (2, 7, 'a', 1),
  (3, 8, 'a', 1), (3, 8, 'b', 2), (3, 8, 'd', 3)
) as r(ranking, sid, system, rank)
-- given segments
select * from (values
  ('m', 'a', 7, 0.1), ('m', 'b', 7, 0.3), ('m', 'c', 7, 0.3), ('m', 'a', 8, 0.0), ('m', 'b', 8, 0.5),
  ('n', 'a', 7, 0.9), ('n', 'b', 7, 'nan'::double)
) as s(metric, system, sid, score)
-- query
select * from agreement_counts('rankings', 'segments') order by metric, sid, system, other
-- expect
m | 7 | a | b | 1 | 1 | 0 | 0 | 0
m | 7 | a | c | 0 | 0 | 0 | 1 | 0
m | 7 | b | c | 0 | 0 | 1 | 0 | 0
m | 8 | a | b | 0 | 1 | 0 | 0 | 0
m | 8 | a | d | 0 | 0 | 0 | 0 | 1
m | 8 | b | d | 0 | 0 | 0 | 0 | 1
n | 7 | a | b | 0 | 0 | 0 | 0 | 2
n | 7 | a | c | 0 | 0 | 0 | 0 | 1
n | 7 | b | c | 0 | 0 | 0 | 0 | 1
n | 8 | a | b | 0 | 0 | 0 | 0 | 1
n | 8 | a | d | 0 | 0 | 0 | 0 | 1
n | 8 | b | d | 0 | 0 | 0 | 0 | 1

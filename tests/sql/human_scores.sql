-- given rankings
select * from (values
  (1, 7, 'b', 1), (1, 7, 'a', 2), (1, 7, 'c', 2),
  (2, 7, 'b', 3), (2, 7, 'c', 1),
  (3, 8, 'd', 1), (3, 8, 'e', 1)
) as r(ranking, sid, system, rank)
-- query
select * from human_scores('rankings') order by system
-- expect
a | 0 | 1 | 1 | 0.0000 | 0.5000
b | 2 | 1 | 0 | 0.6667 | 0.6667
c | 1 | 1 | 1 | 0.5000 | 0.6667
d | 0 | 0 | 1 | None | 1.0000
e | 0 | 0 | 1 | None | 1.0000

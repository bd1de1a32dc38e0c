-- given rankings
select * from (values
  (1, 7, 'b', 1), (1, 7, 'a', 2), (1, 7, 'c', 2),
  (2, 7, 'b', 3), (2, 7, 'c', 1),
  (3, 8, 'a', 1), (3, 8, 'c', 4)
) as r(ranking, sid, system, rank)
-- query
select * from ranking_wins('rankings') order by all
-- expect
a | 7 | 0 | 1 | 1
a | 8 | 1 | 0 | 0
b | 7 | 2 | 1 | 0
c | 7 | 1 | 1 | 1
c | 8 | 0 | 1 | 0

-- given rankings
select * from (values
  (1, 7, 'ann', 'b', 1), (1, 7, 'ann', 'a', 2), (1, 7, 'ann', 'c', 2), (1, 7, 'ann', 'd', -1), (1, 7, 'ann', 'e', null),
  (2, 7, null, 'b', 3), (2, 7, null, 'c', 1),
  (3, 8, 'ann', 'a', 1)
) as r(ranking, sid, judge, system, rank)
-- query
select * from ranking_pairs('rankings') order by ranking, system, other
-- expect
1 | 7 | ann | a | b | -1
1 | 7 | ann | a | c | 0
1 | 7 | ann | b | c | 1
2 | 7 | None | b | c | -1

-- given hyp
select * from (values ('a', 0, 0, 0), ('a', 0, 1, 1), ('a', 1, 0, 0)) as h(system, sid, i, j)
-- given gold
select * from (values (0, 0, 0, true), (0, 1, 1, false), (1, 0, 1, true))
  as g(sid, i, j, sure)
-- query
select * from link_scores('hyp', 'gold', alpha := 0.1)
-- expect
a | 2 | 3 | 0.6667 | 0.5000 | 0.4000 | 0.5128

-- given hyp
select * from (values ('a', 'news', 0, 0, 0), ('a', 'law', 0, 0, 1), ('a', 'law', 0, 2, 2))
  as h(system, domain, sid, i, j)
-- given gold
select * from (values ('news', 0, 0, 0), ('law', 0, 0, 1)) as g(domain, sid, i, j)
-- query
select * from link_scores('hyp', 'gold', key := ['domain', 'sid'], by := ['domain'])
-- expect
a | law | 1 | 2 | 0.5000 | 1.0000 | 0.3333 | 0.6667
a | news | 1 | 1 | 1.0000 | 1.0000 | 0.0000 | 1.0000

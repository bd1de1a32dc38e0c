-- given hyp
select * from (values ('a', 0, '0-0 1-1'), ('a', 1, '0-0'), ('b', 1, '0-1'), ('b', 9, '0-0'))
  as h(system, sid, text)
-- given nested
select system, sid, parse_links(text) as links from hyp
-- given gold
select 0 as sid, parse_links('0-0 1p1 2p2') as links union all select 1, parse_links('0-1')
-- query
select system, sid, n_hyp, n_sure, n_possible, n_hyp_sure, n_hyp_possible
from link_counts('nested', 'gold') order by system, sid
-- expect
a | 0 | 2 | 1 | 3 | 1 | 2
a | 1 | 1 | 1 | 1 | 0 | 0
b | 0 | 0 | 1 | 3 | 0 | 0
b | 1 | 1 | 1 | 1 | 1 | 1

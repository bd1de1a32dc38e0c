-- given hyp
select * from (values ('a', 'news', 0, '0-0'), ('a', 'law', 0, '0-1 2-2')) as h(system, domain, sid, text)
-- given nested
select 'run 7' as run, * exclude (text), parse_links(text) as links from hyp
-- given gold
select * from (values ('news', 'hard', 0, '0-0'), ('law', 'easy', 0, '0-0 2p2'), ('law', 'easy', 1, '1-1'))
  as g(domain, band, sid, text)
-- given gold_links
select * exclude (text), parse_links(text) as links from gold
-- query
select * from link_counts('nested', 'gold_links', key := ['domain', 'sid']) order by domain, sid
-- expect
a | law | 0 | 2 | 1 | 2 | 0 | 1 | easy | run 7
a | law | 1 | 0 | 1 | 1 | 0 | 0 | easy | None
a | news | 0 | 1 | 1 | 1 | 1 | 1 | hard | run 7

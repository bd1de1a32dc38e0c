-- given words
select * from (values
  (0, ['the', 'old', 'cat'], ['le', 'chat', 'vieux']),
  (1, ['the', 'old', 'cat'], ['le', 'vieux', 'chat']),
  (2, ['the', 'the'], ['le', 'la'])
) as t(sid, src, tgt)
-- given hyp
select system, sid, parse_links(text) as links
from (values
  ('a', 0, '0-0 1-2 2-1'), ('a', 1, '0-0'), ('a', 2, '0-0 1-1'),
  ('b', 0, '0-0'), ('b', 1, ''), ('b', 2, '0-0 1-0')
) as h(system, sid, text)
-- query
select *, links + null_links from link_sizes('hyp', 'words')
-- expect
a | 3 | 6 | 4 | 10
b | 3 | 3 | 11 | 14

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
-- given gold
select sid, parse_links(text) as links
from (values (0, '0-0 1-2 2p1'), (1, '0-0 1-1 2-2'), (2, '0-0 1-0')) as g(sid, text)
-- given mine
select * from phrase_entries('hyp', 'words', by_sentence := true)
-- given golden
select * from phrase_entries('gold', 'words', by_sentence := true)
-- query
select * from entry_scores('mine', 'golden')
-- expect
a | 0 | 3 | 3 | 1.0000 | 1.0000 | 1.0000
a | 1 | 1 | 3 | 1.0000 | 0.3333 | 0.5000
a | 2 | 2 | 1 | 0.0000 | 0.0000 | 0.0000
b | 0 | 1 | 3 | 1.0000 | 0.3333 | 0.5000
b | 1 | 0 | 3 | None | 0.0000 | 0.0000
b | 2 | 1 | 1 | 1.0000 | 1.0000 | 1.0000

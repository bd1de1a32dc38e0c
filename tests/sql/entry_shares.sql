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
select * from phrase_entries('hyp', 'words')
-- given golden
select * from phrase_entries('gold', 'words')
-- given shares
select * from entry_shares('mine', 'golden')
-- query
select src, tgt, n, in_gold, found_by, systems, share, class
from entry_words('shares', 'words') order by all
-- expect
cat | chat | 2 | True | 1 | 2 | 0.5000 | None
old | vieux | 2 | True | 1 | 2 | 0.5000 | None
the | la | 1 | False | 1 | 2 | 0.5000 | None
the | le | 2 | True | 2 | 2 | 1.0000 | correct
the the | le | 1 | True | 1 | 2 | 0.5000 | None

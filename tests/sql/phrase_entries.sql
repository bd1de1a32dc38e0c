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
-- given mine
select * from phrase_entries('hyp', 'words')
-- query
select system, sid, src, tgt, n, src_words, tgt_words, place // 18446744073709551616 as first
from entry_words('mine', 'words') order by all
-- expect
a | None | cat | chat | 1 | 1 | 1 | 0
a | None | old | vieux | 1 | 1 | 1 | 0
a | None | the | la | 1 | 1 | 1 | 2
a | None | the | le | 3 | 1 | 1 | 0
b | None | the | le | 1 | 1 | 1 | 0
b | None | the the | le | 1 | 2 | 1 | 2

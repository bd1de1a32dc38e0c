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
select * from phrase_entries(
  'hyp', 'words', kind := 'exhaustive', max_length := 2, by_sentence := true
)
-- query
select system, sid, src, tgt, n from entry_words('mine', 'words') order by all
-- expect
a | 0 | cat | chat | 1
a | 0 | old | vieux | 1
a | 0 | old cat | chat vieux | 1
a | 0 | the | le | 1
a | 1 | the | le | 1
a | 2 | the | la | 1
a | 2 | the | le | 1
a | 2 | the the | le la | 1
b | 0 | the | le | 1
b | 2 | the the | le | 1

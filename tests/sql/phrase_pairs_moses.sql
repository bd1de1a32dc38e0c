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
select * from phrase_pairs('hyp', 'words', kind := 'moses', max_length := 2)
where system = 'b' order by all
-- expect
b | 0 | 0 | 1 | 0 | 1 | the | le
b | 0 | 0 | 1 | 0 | 2 | the | le chat
b | 0 | 0 | 2 | 0 | 1 | the old | le
b | 0 | 0 | 2 | 0 | 2 | the old | le chat
b | 2 | 0 | 2 | 0 | 1 | the the | le
b | 2 | 0 | 2 | 0 | 2 | the the | le la

-- given words
select * from (values
  (0, ['the', 'old', 'cat'], ['le', 'chat', 'vieux']),
  (1, ['the', 'old', 'cat'], ['le', 'vieux', 'chat']),
  (2, ['the', 'the'], ['le', 'la'])
) as t(sid, src, tgt)
-- given gold
select sid, parse_links(text) as links
from (values (0, '0-0 1-2 2p1'), (1, '0-0 1-1 2-2'), (2, '0-0 1-0')) as g(sid, text)
-- query
select * from text_dic2('gold', 'words')
-- expect
hypothesis | cat | chat | 2
hypothesis | old | vieux | 2
hypothesis | the | le | 2
hypothesis | old cat | chat vieux | 1
hypothesis | old cat | vieux chat | 1
hypothesis | the old | le vieux | 1
hypothesis | the old cat | le chat vieux | 1
hypothesis | the old cat | le vieux chat | 1
hypothesis | the the | le | 1

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
-- query phrase_pairs
select * from phrase_pairs('hyp', 'words') order by all
-- expect
a | 0 | 0 | 1 | 0 | 1 | the | le
a | 0 | 1 | 2 | 2 | 3 | old | vieux
a | 0 | 2 | 3 | 1 | 2 | cat | chat
a | 1 | 0 | 1 | 0 | 1 | the | le
a | 2 | 0 | 1 | 0 | 1 | the | le
a | 2 | 1 | 2 | 1 | 2 | the | la
b | 0 | 0 | 1 | 0 | 1 | the | le
b | 2 | 0 | 2 | 0 | 1 | the the | le
-- query phrase_pairs_moses
select * from phrase_pairs('hyp', 'words', kind := 'moses', max_length := 2)
where system = 'b' order by all
-- expect
b | 0 | 0 | 1 | 0 | 1 | the | le
b | 0 | 0 | 1 | 0 | 2 | the | le chat
b | 0 | 0 | 2 | 0 | 1 | the old | le
b | 0 | 0 | 2 | 0 | 2 | the old | le chat
b | 2 | 0 | 2 | 0 | 1 | the the | le
b | 2 | 0 | 2 | 0 | 2 | the the | le la
-- query align_dic1
select * from align_dic1('hyp', 'words')
-- expect
a | 0 | cat | chat | 1
a | 0 | old | vieux | 1
a | 0 | the | le | 1
a | 1 | the | le | 1
a | 2 | the | la | 1
a | 2 | the | le | 1
b | 0 | the | le | 1
b | 2 | the the | le | 1
-- query text_dic1
select * from text_dic1('hyp', 'words')
-- expect
a | the | le | 3
a | cat | chat | 1
a | old | vieux | 1
a | the | la | 1
b | the | le | 1
b | the the | le | 1
-- given gold
select sid, parse_links(text) as links
from (values (0, '0-0 1-2 2p1'), (1, '0-0 1-1 2-2'), (2, '0-0 1-0')) as g(sid, text)
-- query text_dic2
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
-- query text_dictionary
select * from text_dictionary('gold', 'words', kind := 'exhaustive', max_length := 2)
-- expect
hypothesis | cat | chat | 2
hypothesis | old | vieux | 2
hypothesis | the | le | 2
hypothesis | old cat | chat vieux | 1
hypothesis | old cat | vieux chat | 1
hypothesis | the old | le vieux | 1
hypothesis | the the | le | 1
-- query link_sizes
select *, links + null_links from link_sizes('hyp', 'words')
-- expect
a | 3 | 6 | 4 | 10
b | 3 | 3 | 11 | 14
-- given mine
select * from phrase_entries('hyp', 'words')
-- query phrase_entries
select system, sid, src, tgt, n, src_words, tgt_words, place // 18446744073709551616 as first
from entry_words('mine', 'words') order by all
-- expect
a | None | cat | chat | 1 | 1 | 1 | 0
a | None | old | vieux | 1 | 1 | 1 | 0
a | None | the | la | 1 | 1 | 1 | 2
a | None | the | le | 3 | 1 | 1 | 0
b | None | the | le | 1 | 1 | 1 | 0
b | None | the the | le | 1 | 2 | 1 | 2
-- given short_phrases
select * from phrase_entries(
  'hyp', 'words', kind := 'exhaustive', max_length := 2, by_sentence := true
)
-- query phrase_entries_by_sentence
select system, sid, src, tgt, n from entry_words('short_phrases', 'words') order by all
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
-- given golden
select * from phrase_entries('gold', 'words')
-- query entry_counts
select * from entry_counts('mine', 'golden') order by all
-- expect
a | None | 4 | 4 | 3
b | None | 2 | 4 | 2
-- query dictionary_scores
select * from dictionary_scores('mine', 'golden')
-- expect
a | 4 | 4 | 0.7500 | 0.7500 | 0.7500
b | 2 | 4 | 1.0000 | 0.5000 | 0.6667
-- given mine_of_a
select * from phrase_entries('hyp', 'words') where system = 'a'
-- query entry_classes
select * from entry_classes('mine_of_a', 'golden', 'words')
-- expect
correct | 3 | 3 | 0
missing | 1 | 0 | 1
noise | 1 | 1 | 0
-- given shares
select * from entry_shares('mine', 'golden')
-- query entry_shares
select src, tgt, n, in_gold, found_by, systems, share, class
from entry_words('shares', 'words') order by all
-- expect
cat | chat | 2 | True | 1 | 2 | 0.5000 | None
old | vieux | 2 | True | 1 | 2 | 0.5000 | None
the | la | 1 | False | 1 | 2 | 0.5000 | None
the | le | 2 | True | 2 | 2 | 1.0000 | correct
the the | le | 1 | True | 1 | 2 | 0.5000 | None
-- given shares_of_4
select * from entry_shares('mine', 'golden', n_systems := 4)
-- query entry_shares_of_more_systems
select src, tgt, found_by, systems, share, class
from entry_words('shares_of_4', 'words') order by all
-- expect
cat | chat | 1 | 4 | 0.2500 | None
old | vieux | 1 | 4 | 0.2500 | None
the | la | 1 | 4 | 0.2500 | None
the | le | 2 | 4 | 0.5000 | None
the the | le | 1 | 4 | 0.2500 | None
-- given mine_by_sentence
select * from phrase_entries('hyp', 'words', by_sentence := true)
-- given golden_by_sentence
select * from phrase_entries('gold', 'words', by_sentence := true)
-- query entry_counts_by_sentence
select * from entry_counts('mine_by_sentence', 'golden_by_sentence') order by all
-- expect
a | 0 | 3 | 3 | 3
a | 1 | 1 | 3 | 1
a | 2 | 2 | 1 | 0
b | 0 | 1 | 3 | 1
b | 1 | 0 | 3 | 0
b | 2 | 1 | 1 | 1
-- query entry_scores_by_sentence
select * from entry_scores('mine_by_sentence', 'golden_by_sentence')
-- expect
a | 0 | 3 | 3 | 1.0000 | 1.0000 | 1.0000
a | 1 | 1 | 3 | 1.0000 | 0.3333 | 0.5000
a | 2 | 2 | 1 | 0.0000 | 0.0000 | 0.0000
b | 0 | 1 | 3 | 1.0000 | 0.3333 | 0.5000
b | 1 | 0 | 3 | None | 0.0000 | 0.0000
b | 2 | 1 | 1 | 1.0000 | 1.0000 | 1.0000
-- query dictionary_scores_by_sentence
select * from dictionary_scores('mine_by_sentence', 'golden_by_sentence')
-- expect
a | 6 | 7 | 0.6667 | 0.4444 | 0.5000
b | 2 | 7 | 1.0000 | 0.4444 | 0.5000

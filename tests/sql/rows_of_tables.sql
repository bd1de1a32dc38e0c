-- given text
select 0 as sid, ['a', 'b'] as src, ['x'] as tgt, 'more' as other
-- given links
select 's' as system, 0 as sid, 0 as i, 0 as j
-- given entries
select * from phrase_entries('links', 'text')
-- given lexicon
select 'a' as src, 'x' as tgt, 1 as rank, 2.5::double as llr
-- given measures
select 'f' as measure, 's' as system, null as annotation, 0.5::double as value, null as alpha
-- given external
select 's' as system, 3 as score, 'more' as other
-- given alignments
select 0 as sid, 's' as system, [{'i': 1, 'j': 0}] as links, [0.5::float] as probabilities
-- given sentences
select 0 as sid, 'A text.' as text
-- query
select
  (select [sid::varchar, src[2], tgt[1]] from text_rows('text')) as texts,
  (select [src[2], tgt[1], src_words::varchar, tgt_words::varchar] from pair_rows('text')) as pairs,
  (select sum(n) from entry_rows('entries')) as n,
  (select [src, tgt, rank::varchar, llr::varchar] from lexicon_rows('lexicon')) as lexicon,
  (select [system, measure, alpha::varchar, value::varchar] from measured_rows('measures')) as measures,
  (select [system, score::varchar] from external_rows('external')) as external,
  (select [system, links::varchar, probabilities::varchar] from alignment_rows('alignments')) as links,
  (select [doc, sid::varchar, text] from sentence_rows('sentences')) as sentences
-- expect
['0', 'b', 'x'] | ['b', 'x', '2', '1'] | 1 | ['a', 'x', '1', '2.5'] | ['s', 'f', None, '0.5'] | ['s', '3.0'] | ['s', "[{'i': 1, 'j': 0}]", '[0.5]'] | ['document', '0', 'A text.']

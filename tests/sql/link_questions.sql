-- given hyp
select * from (values ('a', 0, '0-0 1-1'), ('b', 0, '0-1 1-1')) as h(system, sid, text)
-- given nested
select system, sid, parse_links(text) as links from hyp
-- given a
select * from nested where system = 'a'
-- given gold
select 0 as sid, parse_links('0-0 1p0 1-1') as links
-- given bitext
select 0 as sid, ['the', 'house'] as src, ['la', 'maison'] as tgt
-- given unlabelled
select 0 as sid, [{'i': 2, 'j': 2}] as links
-- query
select
  (select [system, sid::varchar, errors::varchar] from worst_sentences('nested', 'gold', n := 1) order by errors desc limit 1) as worst,
  (select [system, other, shared::varchar, agreement::varchar] from system_agreement('nested')) as agree,
  (select [i, j] from link_differences('a', 'gold')) as different,
  (select list([system, src, tgt]) from missing_links('nested', 'gold', 'bitext')) as missing,
  (select count(*) from single_links('nested')) as rows,
  (select length_band(src, tgt) from bitext) as length
-- expect
['b', '0', '2'] | ['a', 'b', '1', '0.5'] | [1, 0] | [['a', 'house', 'la'], ['b', 'the', 'la'], ['b', 'house', 'la']] | 2 | 1-5
-- query
select link_number({'i': 1, 'j': 2}), lacking(links, [0::uinteger], 1) from gold
-- expect
65538 | [262145, 262151]
-- query
from link_differences('unlabelled', 'gold')
-- expect
0 | 0 | 0 | True | b
0 | 1 | 0 | False | b
0 | 1 | 1 | True | b
0 | 2 | 2 | True | a

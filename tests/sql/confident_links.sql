-- given found
select * from (values
  ('b', 0, '0-0 1-1', [0.5::float, 0.25::float]),
  ('a', 7, '2-0', [1.0::float]),
  ('a', 3, '', []),
  ('a', 2, '1-1', [0.4::float])
) as f(system, sid, text, probabilities)
-- given alignments
select system, sid, parse_links(text) as links, probabilities from found
-- query
select * from confident_links('alignments')
union all
select system || ' 0.3', sid, i, j, probability from confident_links('alignments', threshold := 0.3)
-- expect
a | 7 | 2 | 0 | 1.0000
b | 0 | 0 | 0 | 0.5000
a 0.3 | 2 | 1 | 1 | 0.4000
a 0.3 | 7 | 2 | 0 | 1.0000
b 0.3 | 0 | 0 | 0 | 0.5000

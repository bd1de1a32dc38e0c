-- given bitext
select * from (values
  (0, ['a', 'b', 'c', 'd'], ['x', 'y']),
  (1, ['a', 'b'], ['x']),
  (2, [], ['x']),
  (9, ['not'], ['aligned'])
) as t(sid, src, tgt)
-- given found
select * from (values
  ('hmm', 1, '', null),
  ('hmm', 0, '0-0 0-1 2-1', [0.9, 0.5, 0.1]::double[]),
  ('hmm', 2, '', []),
  ('hmm', 4, '0-0', [1.0]),
  ('ibm1', 1, '0-0 1-0', [1.0, 0.5])
) as f(system, sid, text, probabilities)
-- given alignments
select system, sid, parse_links(text) as links, probabilities from found
-- query
select * from sentence_confidence('alignments', 'bitext')
-- expect
hmm | 0 | 3 | 0.5000 | 0.1000 | 4 | 2 | 0.5000 | 0.0000
hmm | 1 | 0 | None | None | 2 | 1 | 1.0000 | 1.0000
hmm | 2 | 0 | None | None | 0 | 1 | None | 1.0000
ibm1 | 1 | 2 | 0.7500 | 0.5000 | 2 | 1 | 0.0000 | 0.0000

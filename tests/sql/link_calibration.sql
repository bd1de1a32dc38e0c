-- given found
select * from (values
  ('s', 0, '0-0 1-1 2-2 3-3', [1.0, 0.9, 0.5, 0.24]),
  ('s', 1, '0-0', [0.1]),
  ('s', 2, '0-0', [0.1])
) as f(system, sid, text, probabilities)
-- given alignments
select system, sid, parse_links(text) as links, probabilities from found
-- given gold
select 0 as sid, parse_links('0-0 1p1 3-2') as links union all select 2, parse_links('0-0')
-- query
select * from link_calibration('alignments', 'gold', bins := 4)
-- expect
s | 0.0000 | 0.2500 | 2 | 0.1700 | 0.5000 | 0.0945 | 0.9055
s | 0.5000 | 0.7500 | 1 | 0.5000 | 0.0000 | 0.0000 | 0.7935
s | 0.7500 | 1.0000 | 2 | 0.9500 | 1.0000 | 0.3424 | 1.0000

-- given given_scores
select system, sid, score::double as score, ms_1::double as ms_1, pos_1::double as pos_1 from (values
  ('new', 0, 0.5, 0.4, 0.6), ('new', 1, 0.9, 0.8, 1.0), ('new', 2, null, null, null),
  ('old', 0, 0.6, 0.5, 0.7), ('old', 1, 0.4, 0.4, 0.4), ('old', 2, null, null, null)
) as t(system, sid, score, ms_1, pos_1)
-- query
select * from tesla_features('given_scores') where system = 'old' order by all
-- expect
old | 0 | ms_1 | 0.5000
old | 0 | pos_1 | 0.7000
old | 1 | ms_1 | 0.4000
old | 1 | pos_1 | 0.4000

-- given given_scores
select system, sid, score::double as score, ms_1::double as ms_1, pos_1::double as pos_1 from (values
  ('new', 0, 0.5, 0.4, 0.6), ('new', 1, 0.9, 0.8, 1.0), ('new', 2, null, null, null),
  ('old', 0, 0.6, 0.5, 0.7), ('old', 1, 0.4, 0.4, 0.4), ('old', 2, null, null, null)
) as t(system, sid, score, ms_1, pos_1)
-- given given_groups
select * from (values (0, 'news'), (1, 'talks')) as t(sid, "group")
-- query
select * from tesla_scores_by('given_scores', 'given_groups')
-- expect
news | old | 0.6000 | 1
news | new | 0.5000 | 1
talks | new | 0.9000 | 1
talks | old | 0.4000 | 1

-- given given_scores
select system, sid, score::double as score, ms_1::double as ms_1, pos_1::double as pos_1 from (values
  ('new', 0, 0.5, 0.4, 0.6), ('new', 1, 0.9, 0.8, 1.0), ('new', 2, null, null, null),
  ('old', 0, 0.6, 0.5, 0.7), ('old', 1, 0.4, 0.4, 0.4), ('old', 2, null, null, null)
) as t(system, sid, score, ms_1, pos_1)
-- query tesla_scores
select * from tesla_scores('given_scores')
-- expect
new | 0.7000 | 2
old | 0.5000 | 2
-- given given_groups
select * from (values (0, 'news'), (1, 'talks')) as t(sid, "group")
-- query tesla_scores_by
select * from tesla_scores_by('given_scores', 'given_groups')
-- expect
news | old | 0.6000 | 1
news | new | 0.5000 | 1
talks | new | 0.9000 | 1
talks | old | 0.4000 | 1
-- query tesla_differences
select * from tesla_differences('given_scores', 'new', 'old')
-- expect
1 | 0.9000 | 0.4000 | 0.5000
0 | 0.5000 | 0.6000 | -0.1000
-- query tesla_wins
select * from tesla_wins('given_scores')
-- expect
new | old | 1 | 1 | 0 | 0.2000
old | new | 1 | 1 | 0 | -0.2000
-- query tesla_features
select * from tesla_features('given_scores') where system = 'old' order by all
-- expect
old | 0 | ms_1 | 0.5000
old | 0 | pos_1 | 0.7000
old | 1 | ms_1 | 0.4000
old | 1 | pos_1 | 0.4000
-- query tesla_feature_means
select * from tesla_feature_means('given_scores')
-- expect
new | ms_1 | 0.6000 | 2
new | pos_1 | 0.8000 | 2
old | ms_1 | 0.4500 | 2
old | pos_1 | 0.5500 | 2

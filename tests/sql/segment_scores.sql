-- given one
select * from (values ('a', 0, 0.5), ('b', 0, null)) as s(system, sid, score)
-- given several
select * from (values (2, 'bleu', 3, 'a'), (1, 'ter', 3, 'a')) as s(score, metric, sid, system)
-- query
select * from segment_scores('one') union all select * from segment_scores('several') order by all
-- expect
bleu | a | 3 | 2.0000
score | a | 0 | 0.5000
score | b | 0 | None
ter | a | 3 | 1.0000

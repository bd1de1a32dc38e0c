-- given one
select 0 as sid, 0.5::float as score, 0.25 as ms_1
-- query
select system, sid, score, ms_1 from tesla_segments('one')
-- expect
hypothesis | 0 | 0.5000 | 0.25

-- given nested
select 3 as sid, parse_links('1p0 0-0') as links union all select 4, parse_links('')
-- query
select * from long_links('nested')
-- expect
hypothesis | 3 | 0 | 0 | True
hypothesis | 3 | 1 | 0 | False

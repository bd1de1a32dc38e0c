-- given long
select * from (values ('s', 1, 2, 0), ('s', 0, 1, 1), ('s', 0, 0, 0)) as l(system, sid, i, j)
-- query
select system, sid, format_links(links) from link_rows('long') order by sid
-- expect
s | 0 | 0-0 1-1
s | 1 | 2-0

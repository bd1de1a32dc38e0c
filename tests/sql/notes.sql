-- given gold
select n as sid, parse_links('0-0 1-1 2-2 3-3') as links from range(30) as t(n)
-- given from_one
select n as sid, parse_links('1-1 2-2 3-3 4-4') as links from range(2, 30) as t(n)
-- query
select what, place, todo from alignframe_notes('from_one', 'gold')
-- expect
from_one and gold share 84 links in the sentences 2 to 29, and 112 if the words of from_one count from 1, as it has no position 0 | from_one | subtract 1 from its i and j, or read it with `base=1`
from_one has no row for 2 of 30 gold sentences, scored as empty | from_one and gold |
-- query
select count(*) from alignframe_notes('gold', 'gold')
-- expect
0
-- given words
select 'le' as src, 'b' as "domain" union all select 'cafe' || chr(769), 'a'
-- query
select array_to_string(_name, ' ') from noted_rows('words', key := 'domain') order by all
-- expect
a café
b le

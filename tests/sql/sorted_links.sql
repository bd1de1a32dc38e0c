-- query
select format_links(sorted_links(parse_links('1-0 0p1 0-0 0-1')))
-- expect
0-0 0-1 1-0

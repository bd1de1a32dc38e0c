-- given induced
select * from (values ('a', 'x', 1), ('a', 'y', 2), ('b', 'x', 1)) as l(src, tgt, rank)
-- given listed
select * from (values ('a', 'z', 1), ('a', 'y', 2), ('c', 'w', 1)) as l(src, tgt, rank)
-- query
select 'induced' as first, * from merge_lexicons('induced', 'listed', first := 'induced')
union all
select 'dictionary', * from merge_lexicons('induced', 'listed') where src = 'a'
union all
select 'agreed', * from merge_lexicons('induced', 'listed', first := 'agreed') where src = 'a'
order by first desc, src, rank
-- expect
induced | a | x | 1 | induced | 1 | None
induced | a | y | 2 | both | 2 | 2
induced | a | z | 3 | dictionary | None | 1
induced | b | x | 1 | induced | 1 | None
induced | c | w | 1 | dictionary | None | 1
dictionary | a | y | 1 | both | 2 | 2
dictionary | a | z | 2 | dictionary | None | 1
dictionary | a | x | 3 | induced | 1 | None
agreed | a | y | 1 | both | 2 | 2
agreed | a | x | 2 | induced | 1 | None
agreed | a | z | 3 | dictionary | None | 1

-- Every score of a system, a domain or a length band is a ratio of sums of these counts.
select * from link_counts('{{ source("lake", "hyp") }}', '{{ source("lake", "gold") }}', key := {{ var('key') }})

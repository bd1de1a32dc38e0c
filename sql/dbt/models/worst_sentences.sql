select *
from worst_sentences(
  '{{ source("lake", "hyp") }}', '{{ source("lake", "gold") }}', n := 10, key := {{ var('key') }}
)

-- Combining and comparing lexicons. Tables are those of 05_lexicon.sql.

-- Cascaded back-off (section 5): for each source word the entries of the first lexicon that has it,
-- with all columns of the given table, which has the rows of all lexicons with src, tgt, rank and
-- `place`; the lexicon with place 1 comes first.
--   create table several as
--     select 1 as place, * from 'precise.parquet' union all by name select 2, * from 'large.parquet';
--   select * exclude (place) from back_off('several')
create or replace temp macro back_off(lexicons) as table
with
_columns_known as (
  select null as src, null as tgt, null as rank, null as place where false
),
_given as (
  select * from rows_of(lexicons)
  where (
    select fine
    from checked_columns(
      lexicons,
      ['src', 'tgt', 'rank', 'place'],
      'join lexicons with the place of each, such as select 1 as place, * from lexicon'
    )
  )
  union all by name
  select * from _columns_known
)
select *
from _given
where whole_entry(src, tgt, rank) and case
  when place is null then error('an entry without a place; expected the place of its lexicon')
  else true
end
qualify place = min(place) over (partition by src)
order by src, rank;

-- An induced lexicon and a dictionary as one lexicon (section 4.2): src, tgt, rank, origin ('both',
-- 'induced' or 'dictionary'), induced_rank and listed_rank (null where one lacks the entry). Each
-- has src, tgt and rank. A word's first entries are those of the 'dictionary', the 'induced' ones,
-- or the 'agreed' ones in both, followed by the induced ones; they are sorted by induced rank, then
-- by the dictionary's.
--   select * from merge_lexicons('lexicon.parquet', 'dictionary.parquet') where src = 'house'
create or replace temp macro merge_lexicons(lexicon, dictionary, first := 'dictionary') as table
with
_checked as (
  select
    case
      when first in ('induced', 'dictionary', 'agreed') then first
      else error(
        'first is ' || coalesce(first::varchar, 'null') || '; expected induced, dictionary or agreed'
      )
    end as kind
),
_merged as (
  select
    coalesce(induced.src, listed.src) as src,
    coalesce(induced.tgt, listed.tgt) as tgt,
    induced.rank as induced_rank,
    listed.rank as listed_rank,
    case
      when listed.src is null then 'induced'
      when induced.src is null then 'dictionary'
      else 'both'
    end as origin
  from lexicon_rows(lexicon) as induced
  full join lexicon_rows(dictionary) as listed
    on induced.src = listed.src
    and induced.tgt = listed.tgt
),
_placed as (
  select
    _merged.*,
    case _checked.kind
      when 'induced' then (origin = 'dictionary')::integer
      when 'dictionary' then (origin = 'induced')::integer
      else list_position(['both', 'induced', 'dictionary'], origin)
    end as tier
  from _merged
  cross join _checked
)
select
  src,
  tgt,
  (row_number() over (
    partition by src
    order by tier, induced_rank nulls last, listed_rank nulls last
  ))::integer as rank,
  origin,
  induced_rank,
  listed_rank
from _placed
order by src, rank;

-- The words in both whose best translation in `lexicon` differs from that in `baseline` (tables 1,
-- 3 and 4): src, before and after (the best of the baseline and of the lexicon), before_place (the
-- rank of `before` in the lexicon; null if gone), after_place (the rank of `after` in the baseline;
-- null if new), before_list and after_list (all translations, best first).
--   select * from changed_words('filtered.parquet', 'plain.parquet') order by after_place desc
create or replace temp macro changed_words(lexicon, baseline) as table
with
_after as (
  select src, list(tgt order by rank) as translations from lexicon_rows(lexicon) group by src
),
_before as (
  select src, list(tgt order by rank) as translations from lexicon_rows(baseline) group by src
)
select
  src,
  _before.translations[1] as before,
  _after.translations[1] as after,
  nullif(list_position(_after.translations, _before.translations[1]), 0)::integer as before_place,
  nullif(list_position(_before.translations, _after.translations[1]), 0)::integer as after_place,
  _before.translations as before_list,
  _after.translations as after_list
from _after
join _before using (src)
where _before.translations[1] <> _after.translations[1]
order by src;

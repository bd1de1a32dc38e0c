-- Macros for alignments with link probabilities, and for saved models.
-- `alignments` is a table with the columns system, sid, links and probabilities (one per link), as
-- `alignframe align --posterior` writes it; `bitext` one with sid, src and tgt. All are names of
-- tables, views or Python frames, or Parquet paths and globs, as strings.

-- Any table of alignments with probabilities: system, the columns of `key`, links, probabilities.
--   select * from alignment_rows('links.parquet')
create or replace temp macro alignment_rows(alignments, key := ['sid']) as table
with
_columns_known as (
  select
    null::varchar as system,
    null::bigint as sid,
    null::struct(i usmallint, j usmallint)[] as links,
    null::float[] as probabilities
  where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(alignments)
)
select system::varchar as system, columns(lambda c: is_named(c, name_list(key))), links, probabilities
from _given
where (
  select fine
  from checked_columns(
    alignments,
    case when identifying(key) then list_concat(['system'], name_list(key), ['links', 'probabilities']) end,
    'alignframe align --posterior -o writes such a table'
  )
) and case
  when links is not null then true
  else null_error('links', alignments, sid, 'an empty list if the sentence has no links')
end;

-- The links at or above a probability threshold (0.5 by default): system, the columns of `key`, i,
-- j, probability. They can be scored like any other table of links.
-- Port of alignframe.aligners.confidence.long_links.
--   select * from confident_links('links.parquet', threshold := 0.9)
--   create table kept as select * from confident_links('links.parquet');
--   select * from link_scores('kept', 'gold.parquet')
create or replace temp macro confident_links(alignments, threshold := 0.5, key := ['sid']) as table
with
_checked as (
  select
    case
      when threshold >= 0 and threshold <= 1 then threshold::float
      else error('the threshold is ' || coalesce(threshold::varchar, 'null') || '; expected 0 to 1')
    end as least
),
_rows as (
  select *
  from (
    select *, concat_ws(', ', *columns(lambda c: is_named(c, name_list(key)))) as _name
    from alignment_rows(alignments, key := key)
  )
  where case
    when len(links) <> coalesce(list_count(probabilities), 0)
      then error('sentence ' || _name || ' has different numbers of links and probabilities')
    when list_min(probabilities) < 0 or list_max(probabilities) > 1
      then error('sentence ' || _name || ' has a probability that is not from 0 to 1')
    else true
  end
),
_links as (
  select
    system,
    columns(lambda c: is_named(c, name_list(key))),
    unnest(links) as _link,
    unnest(probabilities) as probability
  from _rows
)
select
  system, columns(lambda c: is_named(c, name_list(key))), _link.i as i, _link.j as j, probability
from _links
join _checked on probability >= _checked.least
order by all;

-- The confidence of each sentence's alignment: system, the columns of `key`, links,
-- mean_probability and least_probability (null without links), src_words, tgt_words, and
-- src_unaligned and tgt_unaligned (the shares of words without a link; null without words).
-- Sentences missing from the bitext are left out.
--   select * from sentence_confidence('links.parquet', 'text.parquet')
--   where mean_probability < 0.5 or src_unaligned > 0.3
create or replace temp macro sentence_confidence(alignments, bitext, key := ['sid']) as table
with
_links as (
  select
    system,
    columns(lambda c: is_named(c, name_list(key))),
    count(*) as _n,
    avg(probability order by i, j) as mean_probability,
    min(probability) as least_probability,
    count(distinct i) as _src_linked,
    count(distinct j) as _tgt_linked
  from confident_links(alignments, threshold := 0, key := key)
  group by all
),
_words as (
  select
    columns(lambda c: is_named(c, name_list(key))),
    coalesce(len(src), 0) as src_words,
    coalesce(len(tgt), 0) as tgt_words
  from text_rows(bitext, key := key)
),
_given as (
  select * exclude (links, probabilities) from alignment_rows(alignments, key := key)
),
_rows as (
  select *
  from _given
  natural join _words
  where (select fine from checked_once('_given', key := key))
)
select
  system,
  columns(lambda c: is_named(c, name_list(key))),
  coalesce(_n, 0) as links,
  mean_probability,
  least_probability,
  src_words,
  tgt_words,
  (src_words - coalesce(_src_linked, 0)) / nullif(src_words, 0) as src_unaligned,
  (tgt_words - coalesce(_tgt_linked, 0)) / nullif(tgt_words, 0) as tgt_unaligned
from _rows
natural left join _links
order by all;

-- The share of correct links by probability: system, low and high (the bin of probabilities,
-- by default tenths), links (their number), probability (their mean), correct (the share that is
-- Sure or Possible in gold), correct_low and correct_high (its 95% interval, Wilson 1927).
-- Sentences missing from gold are left out.
-- Port of alignframe.aligners.confidence.calibration.
--   select * from link_calibration('links.parquet', 'gold.parquet')
create or replace temp macro link_calibration(
  alignments, gold, bins := 10, key := ['sid']
) as table
with
_checked as (
  select
    case
      when bins >= 1 and bins = bins::bigint then bins
      else error(coalesce(bins::varchar, 'null') || ' bins; expected an integer of 1 or more')
    end as n
),
_gold as (
  select columns(lambda c: is_named(c, name_list(key))), i, j, true as _in_gold
  from long_links(gold, key := key)
),
_gold_listed as (
  select distinct columns(lambda c: is_named(c, name_list(key))) from link_rows(gold, key := key)
),
_found as (
  select *
  from confident_links(alignments, threshold := 0, key := key)
  natural semi join _gold_listed
),
_judged as (
  select
    system,
    least(floor(probability::double * _checked.n), _checked.n - 1) as place,
    probability::double as probability,
    _in_gold is not null as is_right
  from _found
  natural left join _gold
  cross join _checked
),
_ranges as (
  select
    system,
    place,
    count(*) as links,
    avg(probability) as probability,
    count(*) filter (is_right) / count(*) as correct,
    1.96::double ** 2 / count(*) as _width
  from _judged
  group by system, place
),
_reached as (
  select
    *,
    (correct + _width / 2) / (1 + _width) as _middle,
    sqrt(_width * correct * (1 - correct) + _width ** 2 / 4) / (1 + _width) as _reach
  from _ranges
)
select
  system,
  place / bins as low,
  (place + 1) / bins as high,
  links,
  probability,
  correct,
  greatest(_middle - _reach, 0) as correct_low,
  least(_middle + _reach, 1) as correct_high
from _reached
order by system, place;

-- The `n` most probable translations of each word in a saved model: src, tgt, rank (from 1), p; a
-- lexicon for macros such as bible(). `translations` is translations.parquet in the model's folder;
-- in a reverse model, src has words of the target side. Translations of NULL are left out.
--   select * from best_translations('model/forward/translations.parquet', 3) where src = 'house'
create or replace temp macro best_translations(translations, n) as table
with
_checked as (
  select
    case
      when n >= 1 then n
      else error('n is ' || coalesce(n::varchar, 'null') || '; expected 1 or more')
    end as most
),
_known as (
  select fine
  from checked_columns(
    translations, ['src', 'tgt', 'p'], 'the folder of a saved model has it as translations.parquet'
  )
),
_columns_known as (
  select null::varchar as src, null::varchar as tgt, null::float as p where false
),
_every as (
  select * from _columns_known
  union all by name
  select * from rows_of(translations)
),
_given as (
  -- Keeps the optimizer from dropping the check of columns when a filter is empty.
  select case when _known.fine then src::varchar else '' end as src, tgt::varchar as tgt, p
  from _every
  cross join _known
),
_ranked as (
  select src, tgt, p, row_number() over (partition by src order by p desc, tgt) as place
  from _given
  where src is not null
)
select src, tgt, place::integer as rank, p
from _ranked
join _checked on place <= _checked.most
order by src, rank;

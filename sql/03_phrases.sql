-- Macros for phrase dictionaries (Carl & Fissaha 2003). `source` is a table of links as in
-- 02_links.sql; `bitext` a table with sid, src and tgt (lists of words), one row per sentence; both
-- are names of tables, views or Python frames, or Parquet paths and globs, as strings. Sure and
-- Possible links count alike. `kind` is 'minimal', 'exhaustive' or 'moses'; see extract_phrases().

-- Any table of text, reduced to the columns needed: those of `key`, src, tgt.
--   select * from text_rows('text.parquet')
create or replace temp macro text_rows(bitext, key := ['sid']) as table
with
_columns_known as (
  select null::bigint as sid, null as src, null as tgt where false
),
_given as (
  select * from _columns_known
  union all by name
  select * from rows_of(bitext)
)
select columns(lambda c: is_named(c, name_list(key))), src::varchar[] as src, tgt::varchar[] as tgt
from _given
where (
  select fine
  from checked_columns(
    bitext,
    case when identifying(key) then list_concat(name_list(key), ['src', 'tgt']) end,
    'alignframe convert SRC TGT text.parquet makes such a table'
  )
) and whole_pair(src::varchar[], tgt::varchar[], bitext, sid);

-- Any table of entries, as from phrase_entries().
--   select * from entry_rows('mine')
create or replace temp macro entry_rows(entries) as table
with
_columns_known as (
  select
    null::varchar as system,
    null::bigint as sid,
    null::ubigint as src_key,
    null::ubigint as tgt_key,
    null::bigint as n,
    null::hugeint as place
  where false
),
_given as (
  select * from rows_of(entries)
  union all by name
  select * from _columns_known
)
select *
from _given
where (
  select fine
  from checked_columns(
    entries,
    ['system', 'sid', 'src_key', 'tgt_key', 'n', 'place'],
    'phrase_entries(links, text) gives such a table'
  )
);

-- The phrase pairs of every sentence with their words: system, the columns of `key`, src_start,
-- src_end, tgt_start, tgt_end (0-based, half-open), src, tgt. A sentence missing from the text, or
-- duplicated in it, is an error.
--   select * from phrase_pairs('hyp.parquet', 'text.parquet')
--   select * from phrase_pairs('hyp.parquet', 'text.parquet', kind := 'moses', max_length := 5)
create or replace temp macro phrase_pairs(
  source, bitext, kind := 'minimal', max_length := null, key := ['sid']
) as table
with
_words as (
  select
    columns(lambda c: is_named(c, name_list(key))),
    src as _src,
    tgt as _tgt,
    concat_ws(', ', *columns(lambda c: is_named(c, name_list(key)))) as _name
  from text_rows(bitext, key := key)
),
_linked as (
  select
    system,
    columns(lambda c: is_named(c, name_list(key))),
    links as _links,
    concat_ws(', ', *columns(lambda c: is_named(c, name_list(key)))) as _linked_name
  from link_rows(source, key := key)
),
_faults as (
  select 'the text has sentence ' || _name || ' twice' as fault
  from _words group by _name having count(*) > 1
  union all
  select 'the text has a sentence without ' || listed(name_list(key))
  from _words where _name = ''
  union all
  select 'the system ' || system || ' gives sentence ' || _linked_name || ' more than once'
  from _linked group by system, _linked_name having count(*) > 1
),
_checked as (
  select case when count(*) = 0 then true else error(min(fault)) end as fine from _faults
),
_found as (
  select
    * exclude (_links),
    unnest(
      case
        when _name is null then error('the text has no sentence ' || _linked_name)
        else extract_phrases(_links, kind, max_length, len(_src), len(_tgt))
      end
    ) as _span
  from _linked
  natural left join _words
  where (select fine from _checked)
)
select
  system,
  columns(lambda c: is_named(c, name_list(key))),
  _span.src_start,
  _span.src_end,
  _span.tgt_start,
  _span.tgt_end,
  array_to_string(_src[_span.src_start + 1 : _span.src_end], ' ') as src,
  array_to_string(_tgt[_span.tgt_start + 1 : _span.tgt_end], ' ') as tgt
from _found;

-- Dictionaries as keys: one row per entry (a pair of word strings), without the strings. Columns:
-- system, sid (null unless `by_sentence`), src_key, tgt_key (64-bit hashes of the strings), n
-- (occurrences), place (the first occurrence: sid and spans in one number, for entry_words()). All
-- columns have a fixed width, so that grouping can spill to disk.
--   create table mine as select * from phrase_entries('hyp.parquet', 'text.parquet')
create or replace temp macro phrase_entries(
  source, bitext, kind := 'minimal', max_length := null, by_sentence := false
) as table
select
  system,
  case when by_sentence then sid end as sid,
  hash(src) as src_key,
  hash(tgt) as tgt_key,
  count(*) as n,
  min(
    sid::hugeint * 18446744073709551616
    + (((src_start::hugeint * 65536 + src_end - 1) * 65536 + tgt_start) * 65536 + tgt_end - 1)
  ) as place
from phrase_pairs(source, bitext, kind := kind, max_length := max_length)
group by all;

-- The words of entries: all their columns, src, tgt, the numbers of words, src_words and tgt_words,
-- and the first occurrence: first_sid, first_src and first_tgt.
--   select system, src, tgt, n from entry_words('mine', 'text.parquet')
create or replace temp macro entry_words(entries, bitext) as table
with
_columns_known as (
  select null::hugeint as place where false
),
_given as (
  select * from rows_of(entries)
  where (
    select fine
    from checked_columns(entries, ['place'], 'phrase_entries(links, text) gives such a table')
  )
  union all by name
  select * from _columns_known
),
_placed as (
  select
    *,
    (place % 18446744073709551616 + 18446744073709551616) % 18446744073709551616 as spans,
    ((place - spans) // 18446744073709551616)::bigint as place_sid,  -- which may be negative
    (spans // 281474976710656)::integer as src_start,
    (spans // 4294967296 % 65536)::integer + 1 as src_end,
    (spans // 65536 % 65536)::integer as tgt_start,
    (spans % 65536)::integer + 1 as tgt_end
  from _given
),
_words as (
  select sid as place_sid, src as src_list, tgt as tgt_list from text_rows(bitext)
)
select
  _placed.* exclude (spans, place_sid, src_start, src_end, tgt_start, tgt_end),
  array_to_string(src_list[src_start + 1 : src_end], ' ') as src,
  array_to_string(tgt_list[tgt_start + 1 : tgt_end], ' ') as tgt,
  src_end - src_start as src_words,
  tgt_end - tgt_start as tgt_words,
  place_sid as first_sid,
  src_start as first_src,
  tgt_start as first_tgt
from _placed
join _words using (place_sid);

-- The dictionary of a whole text: system, src, tgt, n (occurrences), most frequent first.
-- Port of alignframe.phrases.dictionary.
--   select * from text_dictionary('hyp.parquet', 'text.parquet', kind := 'moses')
create or replace temp macro text_dictionary(source, bitext, kind := 'minimal', max_length := null)
as table
with
_entries as (
  select * from phrase_entries(source, bitext, kind := kind, max_length := max_length)
)
select system, src, tgt, n
from entry_words('_entries', bitext)
order by system, n desc, src, tgt;

-- The three dictionaries of the paper, by system, with n, the occurrences.
--   select * from align_dic1('hyp.parquet', 'text.parquet')
--   select * from text_dic2('hyp.parquet', 'text.parquet') where system = 'giza' limit 10

-- A minimal dictionary per sentence: system, sid, src, tgt, n.
-- Port of alignframe.phrases.dictionary.
create or replace temp macro align_dic1(source, bitext) as table
with
_entries as (
  select * from phrase_entries(source, bitext, by_sentence := true)
)
select system, sid, src, tgt, n
from entry_words('_entries', bitext)
order by system, sid, src, tgt;

-- The minimal dictionary of the whole text: system, src, tgt, n.
-- Port of alignframe.phrases.dictionary.
create or replace temp macro text_dic1(source, bitext) as table
select * from text_dictionary(source, bitext, kind := 'minimal');

-- The exhaustive dictionary of the whole text: system, src, tgt, n.
-- Port of alignframe.phrases.dictionary.
create or replace temp macro text_dic2(source, bitext) as table
select * from text_dictionary(source, bitext, kind := 'exhaustive');

-- Links by system, and unaligned words, each of which takes a null link: system, sentences, links,
-- null_links. A sentence missing from the text is an error.
--   select *, links + null_links as alignment_points from link_sizes('hyp.parquet', 'text.parquet')
create or replace temp macro link_sizes(source, bitext, key := ['sid']) as table
with
_words as (
  select columns(lambda c: is_named(c, name_list(key))), len(src) as _src_length, len(tgt) as _tgt_length
  from text_rows(bitext, key := key)
),
_linked as (
  select system, columns(lambda c: is_named(c, name_list(key))), links as _links
  from link_rows(source, key := key)
)
select
  system,
  count(*) as sentences,
  sum(len(_links))::bigint as links,
  sum(
    case
      when _src_length is null
        then error('the system ' || system || ' has a sentence that the text lacks')
      else count_null_links(_links, _src_length, _tgt_length)
    end
  )::bigint as null_links
from _linked
natural left join _words
group by system
order by system;

-- Additive counts of dictionaries against gold's, from two tables of entries: system, sid, n_hyp,
-- n_gold, n_both. Entries of a whole text give one row per system (sid null); entries by sentence
-- give one per system and sentence with entries on either side.
--   select * from entry_counts('mine', 'golden')
create or replace temp macro entry_counts(hyp, gold) as table
with
_found as (
  select system, sid, src_key, tgt_key from entry_rows(hyp)
),
_wanted as (
  select sid, src_key, tgt_key from entry_rows(gold)
),
_hits as (
  select _found.system, _found.sid, count(*) as n_hyp, count(_wanted.src_key) as n_both
  from _found
  left join _wanted
    on _found.src_key = _wanted.src_key
    and _found.tgt_key = _wanted.tgt_key
    and _found.sid is not distinct from _wanted.sid
  group by all
),
_sizes as (
  select sid, count(*) as n_gold from _wanted group by all
),
_expected as (
  select systems.system, _sizes.sid, _sizes.n_gold
  from (select distinct system from _found) as systems
  cross join _sizes
)
select
  coalesce(_hits.system, _expected.system) as system,
  coalesce(_hits.sid, _expected.sid) as sid,
  coalesce(_hits.n_hyp, 0) as n_hyp,
  coalesce(_expected.n_gold, 0) as n_gold,
  coalesce(_hits.n_both, 0) as n_both
from _hits
full join _expected
  on _hits.system = _expected.system
  and _hits.sid is not distinct from _expected.sid;

-- Precision, recall and F of each row of entry_counts(): system, sid, entries, gold_entries,
-- precision, recall, f. F = 2PR / (P + R), and 0 if nothing is correct; precision is null if the
-- system has no entries, recall and F if gold has none.
--   select * from entry_scores('mine', 'golden') where sid = 91
create or replace temp macro entry_scores(hyp, gold) as table
select
  system,
  sid,
  n_hyp as entries,
  n_gold as gold_entries,
  n_both / nullif(n_hyp, 0) as precision,
  n_both / nullif(n_gold, 0) as recall,
  case when n_gold > 0 then 2 * n_both / (n_hyp + n_gold) end as f
from entry_counts(hyp, gold)
order by system, sid;

-- Precision, recall and F of dictionaries: system, entries, gold_entries, precision, recall, f. For
-- entries by sentence, they are means over the sentences where they are not null.
--   select * from dictionary_scores('mine', 'golden')
create or replace temp macro dictionary_scores(hyp, gold) as table
select
  system,
  sum(entries)::bigint as entries,
  sum(gold_entries)::bigint as gold_entries,
  avg(precision order by sid) as precision,
  avg(recall order by sid) as recall,
  avg(f order by sid) as f
from entry_scores(hyp, gold)
group by system
order by system;

-- How many systems find each entry: src_key, tgt_key, place, n (occurrences in gold, or else the
-- maximum in a system), in_gold, found_by (systems), systems (all of them), share, class
-- ('correct': in gold and found by all; 'missing': in gold and found by none; 'noise': not in gold
-- and found by all; else null). For entries of a whole text. A system without entries is not in
-- `hyp`, so pass the number of all systems as `n_systems`.
--   select * from entry_shares('mine', 'golden') where in_gold order by share
create or replace temp macro entry_shares(hyp, gold, n_systems := null) as table
with
_found as (
  select
    src_key,
    tgt_key,
    min(place) as place,
    max(n) as n,
    count(distinct system) as found_by
  from entry_rows(hyp)
  group by all
),
_wanted as (
  select src_key, tgt_key, min(place) as place, sum(n)::bigint as n
  from entry_rows(gold)
  group by all
),
_everyone as (
  select
    case
      when coalesce(n_systems, count(distinct system)) >= count(distinct system)
        then coalesce(n_systems, count(distinct system))
      else error(
        'n_systems is ' || n_systems || ', but ' || count(distinct system) || ' systems have entries'
      )
    end as systems
  from entry_rows(hyp)
),
_merged as (
  select
    coalesce(_found.src_key, _wanted.src_key) as src_key,
    coalesce(_found.tgt_key, _wanted.tgt_key) as tgt_key,
    coalesce(_wanted.place, _found.place) as place,
    coalesce(_wanted.n, _found.n) as n,
    _wanted.src_key is not null as in_gold,
    coalesce(_found.found_by, 0) as found_by
  from _found
  full join _wanted on _found.src_key = _wanted.src_key and _found.tgt_key = _wanted.tgt_key
)
select
  _merged.*,
  _everyone.systems,
  _merged.found_by / _everyone.systems as share,
  case
    when in_gold and found_by = systems then 'correct'
    when in_gold and found_by = 0 then 'missing'
    when not in_gold and found_by = systems then 'noise'
  end as class
from _merged
cross join _everyone;

-- Sizes of the classes of entry_shares(): class ('correct', 'missing', 'noise'), entries, one_word
-- (those with one word on both sides), multi_word.
--   select * from entry_classes('mine', 'golden', 'text.parquet')
-- Port of alignframe.phrases.study.
create or replace temp macro entry_classes(hyp, gold, bitext, n_systems := null) as table
with
_shared as (
  select * from entry_shares(hyp, gold, n_systems := n_systems) where class is not null
),
_classes as (
  select unnest(['correct', 'missing', 'noise']) as class
)
select
  _classes.class,
  count(worded.class) as entries,
  count(worded.class) filter (src_words = 1 and tgt_words = 1) as one_word,
  count(worded.class) filter (src_words > 1 or tgt_words > 1) as multi_word
from _classes
left join entry_words('_shared', bitext) as worded using (class)
group by _classes.class
order by _classes.class;

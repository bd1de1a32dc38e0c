-- Plain SQL for comparing spelling.

-- A letter whose case DuckDB does not know, and accents that only Python tells apart.
create or replace macro _alignframe_uncased() as
  '[ŉևẚﬅﬆﬓ-ﬗ\x{345}Ꭰ-Ᏽᏸ-ᏽꭰ-ꮿᾀ-ᾯᾲ-ᾴᾷᾼῂ-ῄῇῌῲ-ῴῷῼ]';
create or replace macro _alignframe_unaccented() as
  '[\p{Mc}\p{Me}ஔᬆᬈᬊᬌᬎᬒ\x{ece}\x{10efd}-\x{10eff}\x{11241}\x{11f00}-\x{11f42}\x{13440}-\x{13455}\x{1e08f}\x{1e4ec}-\x{1e4ef}]';

-- A word in NFC without case, as str.casefold() has it, and without accents if it is to be `bare`.
create or replace macro _alignframe_folded_word(word, bare) as list_transform(
  [{'word': word::varchar, 'bare': coalesce(bare, false)}],
  lambda given: case
    when bit_length(given.word) = 8 * length(given.word) then lower(given.word)
    when regexp_matches(nfc_normalize(given.word), _alignframe_uncased())
      or given.bare and regexp_matches(nfc_normalize(given.word), _alignframe_unaccented())
      then error(
        given.word || ' has letters that only Python folds: pip install alignframe, then '
        || 'alignframe sql, or alignframe.register(connection) in Python'
      )
    else list_transform(
      [nfc_normalize(lower(
        replace(replace(replace(replace(replace(replace(replace(replace(
          translate(nfc_normalize(given.word), 'µſςϐϑϕϖϰϱϵẛᲀᲁᲂᲃᲄᲅᲆᲇᲈ', 'μsσβθφπκρεṡвдосттъѣꙋ'),
          'ß', 'ss'), 'ẞ', 'ss'), 'İ', 'i̇'), 'ﬃ', 'ffi'), 'ﬄ', 'ffl'), 'ﬀ', 'ff'), 'ﬁ', 'fi'),
          'ﬂ', 'fl'
        )
      ))],
      lambda plain: if(given.bare, nfc_normalize(strip_accents(plain)), plain)
    )[1]
  end
)[1];

-- The length of the longest common subsequence of two lists of letters, the second of at most 120:
-- a row of the table is a number, whose bit is unset where it grows (Hyyrö 2004).
create or replace macro _alignframe_common_letters(a, b) as list_transform(
  [{'a': a, 'b': b, 'every': (1::hugeint << len(b)) - 1}],
  lambda given: len(given.b) - bit_count(list_reduce(
    list_transform(
      given.a,
      lambda letter: coalesce(
        list_bit_or(list_transform(
          given.b, lambda other, k: if(other = letter, 1::hugeint << (k - 1), 0::hugeint)
        )),
        0::hugeint
      )
    ),
    lambda bits, places: ((bits + (bits & places)) | xor(bits & places, bits)) & given.every,
    given.every
  ))
)[1];

-- Twin of lcsr (alignframe.functions.spelling).
create or replace macro lcsr(a, b, fold_accents := false) as list_transform(
  [list_sort(
    [
      {
        'size': length(_alignframe_folded_word(a, fold_accents)),
        'letters': string_split(_alignframe_folded_word(a, fold_accents), '')
      },
      {
        'size': length(_alignframe_folded_word(b, fold_accents)),
        'letters': string_split(_alignframe_folded_word(b, fold_accents), '')
      }
    ],
    'desc',
    'nulls first'
  )],
  lambda words: case
    when a is null or b is null or words[1].size = 0 then null
    when words[2].size = 0 then 0e0
    when words[2].size > 120 then error(
      'two words of more than 120 letters, which only Python compares: pip install alignframe, then '
      || 'alignframe sql, or alignframe.register(connection) in Python'
    )
    else _alignframe_common_letters(words[1].letters, words[2].letters) / words[1].size
  end
)[1];

-- What two words must have in common: the first letters, null if it has too few; a word with other
-- characters counts as a whole.
create or replace macro _alignframe_beginning(word, letters) as list_transform(
  [{'word': word, 'letters': letters}],
  lambda given: case
    when not regexp_full_match(given.word, '\p{L}+') then ' ' || given.word
    when length(given.word) >= given.letters then left(given.word, given.letters)
  end
)[1];

-- Twin of same_prefix (alignframe.functions.spelling).
create or replace macro same_prefix(a, b, letters := 4, fold_accents := false) as case
  when not coalesce(letters > 0, false)
    then error(coalesce(letters, 0) || ' letters; expected a whole number from 1')
  when a is null or b is null then null
  else coalesce(
    _alignframe_beginning(_alignframe_folded_word(a, fold_accents), letters::bigint)
      = _alignframe_beginning(_alignframe_folded_word(b, fold_accents), letters::bigint),
    false
  )
end;

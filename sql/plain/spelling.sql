-- Plain SQL for comparing spelling.

-- Letters that lower() leaves as they are, and what str.casefold() makes of them; beside these,
-- Cherokee has its small letters folded into large ones.
create or replace macro _alignframe_small_letters() as
  'µ ſ ς ϐ ϑ ϕ ϖ ϰ ϱ ϵ ẛ ᲀ ᲁ ᲂ ᲃ ᲄ ᲅ ᲆ ᲇ ᲈ ß ŉ և ẚ ﬀ ﬁ ﬂ ﬃ ﬄ ﬅ ﬆ ﬓ ﬔ ﬕ ﬖ ﬗ '
  || 'ᾀ ᾁ ᾂ ᾃ ᾄ ᾅ ᾆ ᾇ ᾐ ᾑ ᾒ ᾓ ᾔ ᾕ ᾖ ᾗ ᾠ ᾡ ᾢ ᾣ ᾤ ᾥ ᾦ ᾧ ᾲ ᾳ ᾴ ᾷ ῂ ῃ ῄ ῇ ῲ ῳ ῴ ῷ';
create or replace macro _alignframe_small_folded() as map(
  string_split(_alignframe_small_letters(), ' '),
  string_split(
    'μ s σ β θ φ π κ ρ ε ṡ в д о с т т ъ ѣ ꙋ ss ʼn եւ aʾ ff fi fl ffi ffl st st մն մե մի վն մխ '
    || 'ἀι ἁι ἂι ἃι ἄι ἅι ἆι ἇι ἠι ἡι ἢι ἣι ἤι ἥι ἦι ἧι ὠι ὡι ὢι ὣι ὤι ὥι ὦι ὧι '
    || 'ὰι αι άι ᾶι ὴι ηι ήι ῆι ὼι ωι ώι ῶι',
    ' '
  )
);
create or replace macro _alignframe_caseless(word) as list_transform(
  [lower(replace(replace(nfc_normalize(word), 'İ', 'i' || chr(775)), chr(837), 'ι'))],
  lambda small: if(
    regexp_matches(small, '[ᏸ-ᏽꭰ-ꮿ' || replace(_alignframe_small_letters(), ' ', '') || ']'),
    nfc_normalize(array_to_string(
      list_transform(
        string_split(small, ''),
        lambda letter: case
          when letter between 'ꭰ' and 'ꮿ' then chr(unicode(letter) - 38864)
          when letter between 'ᏸ' and 'ᏽ' then chr(unicode(letter) - 8)
          else coalesce(_alignframe_small_folded()[letter], letter)
        end
      ),
      ''
    )),
    nfc_normalize(small)
  )
)[1];

-- Marks that strip_accents() takes for accents, and letters that are composed with them; some lose
-- an accent.
create or replace macro _alignframe_marks() as '[\p{Mc}\p{Me}ஔᬆᬈᬊᬌᬎᬒ]';
create or replace macro _alignframe_bare_marks() as map(
  list_transform(
    [2888, 3264, 3271, 3272, 3274, 3275, 3546, 3549, 6971, 6973, 6979, 70843], lambda c: chr(c)
  ),
  list_transform(
    [
      [2887], [3285], [3285], [3286], [3266], [3266, 3285], [3545], [3548], [6965], [6965], [6965],
      [70841]
    ],
    lambda all_of: array_to_string(list_transform(all_of, lambda c: chr(c)), '')
  )
);
create or replace macro _alignframe_accentless(word) as list_transform(
  [word],
  lambda given: nfc_normalize(if(
    regexp_matches(given, _alignframe_marks()),
    array_to_string(
      list_transform(
        string_split(given, ''),
        lambda letter: if(
          regexp_matches(letter, _alignframe_marks()),
          coalesce(_alignframe_bare_marks()[letter], letter),
          strip_accents(letter)
        )
      ),
      ''
    ),
    strip_accents(given)
  ))
)[1];

-- A word in NFC without case, as str.casefold() has it, and without accents if it is to be `bare`.
create or replace macro _alignframe_folded_word(word, bare) as list_transform(
  [word::varchar],
  lambda given: case
    when bit_length(given) = 8 * length(given) then lower(given)
    when coalesce(bare, false) then _alignframe_accentless(_alignframe_caseless(given))
    else _alignframe_caseless(given)
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

-- The same of any length, eight times slower: place n of a list is where the earliest common
-- subsequence of n letters ends in b, or else behind it (Hunt & Szymanski 1977).
create or replace macro _alignframe_common_of_long(a, b) as list_transform(
  [b],
  lambda other: len(list_filter(
    list_reduce(
      list_transform(
        a, lambda letter: list_filter(range(1, len(other) + 1), lambda k: other[k] = letter)
      ),
      lambda ends, places: list_transform(
        ends,
        lambda place, n: coalesce(
          least(place, list_min(list_filter(places, lambda k: k > coalesce(ends[n - 1], 0)))),
          place
        )
      ),
      list_transform(other, lambda letter: len(other) + 1)
    ),
    lambda place: place <= len(other)
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
    when words[2].size > 120
      then _alignframe_common_of_long(words[1].letters, words[2].letters) / words[1].size
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

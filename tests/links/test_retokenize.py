"""Links carried from one splitting of a text to another, against sets of characters."""

import random
import warnings
from itertools import chain

import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import json_of, run
from helpers.formats import quietly, refusal_of, saved
from helpers.sql import connected
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import splittings as slow

from alignframe import formats, functions, links, phrases
from alignframe.core.schemas import GOLD_LINKS, TOKENS
from alignframe.errors import DataWarning, InputError

STYLES = ("sentencepiece", "subword-nmt", "wordpieces", "spaces")
HOME = "datasets/en-fr"
BOTH = (f"{HOME}/text.en", f"{HOME}/text.fr")


def row(words):
    return pa.array([words], TOKENS)


def column(found):
    return [[{"i": i, "j": j, "sure": sure} for (i, j), sure in sorted(found.items())]]


def carry(text, old, new):
    """Carry links, as text, between sentence pairs, as texts."""
    sides = [row(side.split()) for side in (*old, *new)]
    given_links = functions.parse_links(pa.array([text]))
    return functions.format_links(functions.retokenize(given_links, *sides))[0].as_py()


@st.composite
def cut_sides(draw):
    """Draw the words of both sides, each cut in two ways, and links of the first way."""
    sides = []
    for _ in range(2):
        text = draw(st.lists(slow.words, min_size=1, max_size=5))
        cuts = [
            [slow.parts(word, draw(st.sets(st.integers(1, 5)))) for word in text] for _ in range(2)
        ]
        sides.append((text, *cuts))
    sizes = [sum(map(len, side[1])) for side in sides]
    places = st.tuples(*(st.integers(0, size - 1) for size in sizes))
    return sides, draw(st.dictionaries(places, st.booleans(), max_size=9))


@settings(max_examples=150)
@given(cut_sides(), st.sampled_from(STYLES), st.sampled_from(STYLES))
def test_links_are_those_of_tokens_that_share_a_character(drawn, style, other):
    sides, given_links = drawn
    old, new = ([list(chain(*side[k])) for side in sides] for k in (1, 2))
    wanted = slow.carried(given_links, old, new)
    tokens = [row(slow.marked(side[1], style)) for side in sides]
    tokens += [row(slow.marked(side[2], other)) for side in sides]
    found = functions.retokenize(pa.array(column(given_links), GOLD_LINKS), *tokens)
    assert found.to_pylist() == column(wanted)


@settings(max_examples=60)
@given(cut_sides(), st.sampled_from(STYLES))
def test_links_of_words_come_back_as_they_were(drawn, style):
    sides, _ = drawn
    text = tuple([side[0]] for side in sides)
    pieces = tuple([slow.marked(side[1], style)] for side in sides)
    sizes = [len(side[0]) for side in sides]
    given_links = [sorted({*((i, 0) for i in range(sizes[0])), (0, sizes[1] - 1)})]
    there = links.retokenize(given_links, text, pieces)
    back = links.retokenize(there, pieces, text)
    letters = links.retokenize(given_links, text, new_splitting="characters")
    again = links.retokenize(letters, text, text, splitting="characters")
    for found in (back, again):
        assert [(link["i"], link["j"]) for link in found["links"][0]] == given_links[0]


def bpe_like(path):
    """Return the words of a text cut like subwords: common beginnings, then pairs of letters."""
    draw = random.Random(path)
    cut = {}
    lines = []
    for sentence in formats.read_tokens(path):
        pieces = []
        for word in sentence:
            if word not in cut:
                cut[word] = slow.parts(word, {draw.randint(1, 4), *range(4, len(word), 2)})
            pieces.append(cut[word])
        lines.append(pieces)
    return lines


@pytest.mark.parametrize("style", STYLES)
def test_scores_are_the_same_after_a_way_there_and_back(style):
    systems = {name: f"{HOME}/{name}.talp" for name in ("eager", "cautious", "gold")}
    new = tuple([slow.marked(line, style) for line in bpe_like(side)] for side in BOTH)
    there = {name: links.retokenize(path, BOTH, new) for name, path in systems.items()}
    back = {name: links.retokenize(found, new, BOTH) for name, found in there.items()}
    for name, path in systems.items():
        assert back[name]["links"].to_list() == links.read(path)["links"].to_list()
    gold, again = systems.pop("gold"), back.pop("gold")
    wanted = links.score(systems, gold).scores
    assert links.score(back, again).scores.equals(wanted)
    assert there["gold"]["links"].list.len().sum() > back["eager"]["links"].list.len().sum()


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("a mill x", "▁a ▁m ill ▁x", "0-0 1-0 2-0 3-0"),
        ("你好 x y", "▁ 你好 ▁x y", "0-0 1-0 2-0 3-0"),  # a mark alone belongs to the next word
        ("a mill x", "▁a ▁mill ▁x ▁", "0-0 1-0 2-0"),
        ("a mill x", "[CLS] a mi ##ll x [SEP]", "1-0 2-0 3-0 4-0"),
        ("<s> a x", "[CLS] a x [PAD]", "0-0 1-0 2-0"),
        ("a mill x", "▁a ▁mi <pad> ll ▁x", "0-0 1-0 3-0 4-0"),
        ("a mill x", "a@@ mi@@ llx", "0-0 1-0 2-0"),  # the last one has a part of two words
        ("Été à x", "ete a x", "0-0 1-0 2-0"),  # as uncased wordpieces
        ("ﬁne ２ x", "▁fine ▁2 ▁x", "0-0 1-0 2-0"),  # NFKC
        ("a\u200b ju\u00adly x\u00a0", "▁a ▁ju ly ▁x", "0-0 1-0 2-0 3-0"),
        ("a € x", "▁a ▁ <0xE2> <0x82> <0xAC> ▁x", "0-0 1-0 2-0 3-0 4-0 5-0"),
        ("a é x", "▁a <0xc3> <0xa9> <0x78>", "0-0 1-0 2-0 3-0"),
        ("a mill x", "a <unk> x", "0-0 1-0 2-0"),
        ("a mill x", "[UNK] mill [UNK]", "0-0 1-0 2-0"),
        ("a bxc x", "a <unk> x", "0-0 1-0 2-0"),  # the last part is at the end
        ("a mill x", "<unk> <unk> ▁x", "0-0 1-0 2-0"),
        ("a <unk> x", "▁a ▁< un k > ▁x", "0-0 1-0 2-0 3-0 4-0 5-0"),
        ("a@@ ##b x", "▁a @@ ▁## b ▁x", "0-0 1-0 2-0 3-0 4-0"),  # marks that are text
        ("a@@ ##b x", "a@@ ##b x", "0-0 1-0 2-0"),
        ("@@ ## x", "▁@ @ ▁## ▁x", "0-0 1-0 2-0 3-0"),
        ("a ||| x", "▁a ▁| | | ▁x", "0-0 1-0 2-0 3-0 4-0"),
    ],
)
def test_marks_and_special_tokens(old, new, wanted):
    assert carry("0-0 1-0 2-0", (old, "y"), (new, "y")) == wanted
    sides = carry("0-0 0-1 0-2", ("y", old), ("y", new))
    assert sides == " ".join("-".join(one.split("-")[::-1]) for one in wanted.split())


def test_labels_and_probabilities_are_carried():
    text, new = (["a bcd"], ["x"]), (["ab cd"], ["x"])
    rows = {"sid": [0, 0], "i": [0, 1], "j": [0, 0], "sure": [True, False]}
    table = pl.DataFrame({**rows, "probability": [0.25, 0.75]})
    found = links.retokenize(table, text, new)
    assert found.rows() == [
        (
            "hypothesis",
            0,
            [{"i": 0, "j": 0, "sure": True}, {"i": 1, "j": 0, "sure": False}],
            [0.75, 0.75],
        )
    ]
    bare = links.retokenize(table.drop("sure", "probability"), text, new)
    assert bare.columns == ["system", "sid", "links"]
    assert bare["links"].to_list() == [[{"i": 0, "j": 0}, {"i": 1, "j": 0}]]


def test_the_end_of_sentence_is_carried_or_left_out():
    marian, text = ["0-0 1-0 2-1"], (["a mill"], ["x"])
    new = (["▁a ▁mi ll"], ["▁x"])
    with pytest.warns(DataWarning, match=r"1 link one past the last token .*`drop_outside`"):
        kept = links.retokenize(marian, text, new)
    assert [(link["i"], link["j"]) for link in kept["links"][0]] == [(0, 0), (1, 0), (2, 0), (3, 1)]
    with pytest.warns(DataWarning, match="left out 1 link outside their sentence pair"):
        kept = links.retokenize(marian, text, new, drop_outside=True)
    assert [(link["i"], link["j"]) for link in kept["links"][0]] == [(0, 0), (1, 0), (2, 0)]
    # A token of the end stands for the place after the last one, and the other way round.
    ended = (["▁a ▁mi ll </s>"], ["▁x </s>"])
    there = quietly(links.retokenize, marian, text, ended)
    assert [(link["i"], link["j"]) for link in there["links"][0]][-1] == (3, 1)
    with pytest.warns(DataWarning, match=r"1 link one past the last token"):
        back = links.retokenize(there, ended, text)
    assert functions.format_links(back["links"].to_arrow()).to_pylist() == marian
    dropped = quietly(links.retokenize, there, ended, text, drop_outside=True)
    assert functions.format_links(dropped["links"].to_arrow()).to_pylist() == ["0-0 1-0"]
    # Words linked to nothing have links to that place of the other side.
    nulls = links.add_null_links(["0-0"], text)
    there = links.retokenize(nulls, text, new)
    assert there["links"].list.len().to_list() == [3]
    # Tokens that the new text lacks take their links with them.
    with pytest.warns(DataWarning, match="left out 1 link of tokens without a character"):
        links.retokenize(["0-0 1-0"], (["<s> a"], ["x"]), (["a"], ["x"]))


def test_texts_that_differ_are_shown_or_left_without_links():
    text, new = (["a", "the old mill"], ["x", "y"]), (["▁a", "▁the ▁new ▁mi ll"], ["x", "y"])
    message = refusal_of(links.retokenize, ["0-0", "2-0"], text, new)
    assert message == (
        "sentence 1 (counted from 0): both texts of src differ at character 4 (without spaces): "
        "'the old mill', and '▁the ▁new ▁mi ll' in the new one; expected the same "
        "text, split otherwise; leave links of such sentences out with `skip_differing`"
    )
    with pytest.warns(DataWarning, match="texts differ left without links, the first is 1 "):
        found = links.retokenize(["0-0", "2-0"], text, new, skip_differing=True)
    assert found["links"].list.len().to_list() == [1, 0]
    longer = refusal_of(links.retokenize, ["0-0"], (["a"], ["x"]), (["a b"], ["x"]))
    assert "src differ at character 2 (without spaces): 'a', and 'a b'" in longer


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (
            {"new_splitting": "wordpieces"},
            "src of the new text is not split as wordpieces, but the",
        ),
        (
            {"new_splitting": "sentencepiece,auto"},
            "sentence fit: correct `new_splitting`, or leave",
        ),
    ],
)
def test_a_splitting_that_the_text_is_not_in_is_said(tmp_path, named, said):
    (tmp_path / "new.en").write_text("x\na@@ mill b\n")
    (tmp_path / "new.fr").write_text("x\ny\n")
    text, new = (["x", "amill b"], ["x", "y"]), (["x", "a@@ mill b"], ["x", "y"])
    paths = tmp_path / "new.en", tmp_path / "new.fr"
    message = refusal_of(links.retokenize, ["0-0", "0-0"], text, new, **named)
    assert said in message
    assert "skip_differing" not in message
    assert message.startswith("sentence 1 (counted from 0): ")
    message = refusal_of(links.retokenize, ["0-0", "0-0"], text, paths, **named)
    assert message.startswith(f"{paths[0]}:2: sentence 1 (counted from 0): both texts of src")
    paths[0].write_text("id1\tx\nid2\ta@@ mill b\n")
    message = refusal_of(links.retokenize, ["0-0", "0-0"], text, paths, **named)
    assert message.startswith(f"{paths[0]}: sentence 1 ")


def test_the_shell_counts_what_was_skipped(tmp_path):
    for name, text in (("l.talp", "0-0\n0-0\n"), ("en", "a\nb\n"), ("fr", "x\ny\n")):
        (tmp_path / name).write_text(text)
    (tmp_path / "new").write_text("a\nc\n")
    given = ["l.talp", "--src", "en", "--tgt", "fr", "--new-src", "new", "--skip-differing"]
    done = run("links", "retokenize", *given, "--json", "-o", "o.talp", folder=tmp_path)
    assert json_of(done.stdout) == {"sentences": 2, "skipped": 1, "links": 1, "output": "o.talp"}


def test_the_old_splitting_may_be_the_wrong_one():
    text, new = (["a@@ mill"], ["x"]), (["amill"], ["x"])
    message = refusal_of(links.retokenize, ["0-0"], text, new, splitting="wordpieces,auto")
    assert "src of the text is not split as wordpieces, but" in message
    assert "correct `splitting`" in message


def test_other_texts_and_links_are_refused(tmp_path):
    one, two = (["a"], ["x"]), (["a", "b"], ["x", "y"])
    for old, new, found in (
        (one, two, "the text has 1 sentence, the new text 2"),
        (two, one, "the new text has no sentence 1, which a table has"),
        (one, one, "the text has no sentence 1"),
        (two, (["a", "b"], ["x"]), "2 source sentences and 1 target"),
        (two, (["a ||| x", "b"], ["x", "y"]), "differ at character 2"),
        (two, None, "no new text; expected `new`, or `new_splitting='characters'`"),
        ({"src": ["a"], "tgt": ["x"]}, (None, ["x"]), "both sides of the new one"),
    ):
        given_links = ["0-0"] if old is one and new is two else ["0-0", "0-0"]
        assert found in refusal_of(links.retokenize, given_links, old, new), found
    for text, found in (("0-2", "0-2 .*1 source and 1 target"), ("3-0", "3-0 .*`drop_outside`")):
        with pytest.raises(InputError, match=found):
            links.retokenize([text], one, one)
    for name in ("bpe", "spaces,bpe"):
        assert "unknown `splitting`" in refusal_of(
            links.retokenize, ["0-0"], one, one, splitting=name
        )
    assert "unknown `splitting` '3'" in refusal_of(links.retokenize, ["0-0"], one, one, splitting=3)
    assert "an object of type tuple" in refusal_of(links.retokenize, ["0-0"], one, (["a"],) * 3)
    assert "two for SRC,TGT" in refusal_of(
        links.retokenize, ["0-0"], one, one, new_splitting="auto,auto,auto"
    )
    most = refusal_of(
        links.retokenize, ["0-0"], (["a" * 70_000], ["x"]), new_splitting="characters"
    )
    assert "a sentence of 70,000 tokens" in most
    for name, line in (("a.src", "a ||| b"), ("a.tgt", "x"), ("a.talp", "0-0")):
        saved(tmp_path / name, line + "\n")
    sides = str(tmp_path / "a.src"), str(tmp_path / "a.tgt")
    assert "a line with '|||'" in refusal_of(links.retokenize, ["0-0"], sides, sides)


def test_no_links_are_none_of_the_new_text():
    empty, text = (
        pl.DataFrame(schema={"sid": pl.Int64, "i": pl.UInt16, "j": pl.UInt16}),
        (["a"],) * 2,
    )
    found = links.retokenize(empty, text, text)
    assert (found.columns, found.height) == (["system", "sid", "links"], 0)
    blank = (["", "a"], ["", "b"])
    found = links.retokenize(["", "0-0"], blank, blank)
    assert found["links"].list.len().to_list() == [0, 1]


def test_tokens_may_be_spans_of_texts(tmp_path):
    words = {"src": ["A mill!"], "tgt": ["Un moulin"]}
    spans = [[(0, 0), (0, 1), (2, 4), (4, 6), (6, 7), (7, 7)]]
    named = [[{"start": 0, "end": 2}, {"start": 3, "end": 9}]]
    table = pa.table({"sid": [4], **words, "src_spans": spans, "tgt_spans": named})
    formats.write(table, tmp_path / "spans.parquet")
    rows = pl.DataFrame({"sid": [4], "links": [[{"i": 0, "j": 0}, {"i": 1, "j": 1}]]})
    for new in (table, str(tmp_path / "spans.parquet")):
        text = {"sid": [4], "src": [["a", "mill", "!"]], "tgt": [["un", "moulin"]]}
        found = links.retokenize(rows, text, new, with_words=True)
        made = functions.format_links(found["links"].to_arrow()).to_pylist()
        assert made == ["1-0 2-1 3-1"]
        assert found["src"].to_list() == [["", "A", "mi", "ll", "!", ""]]
        assert links.retokenize(found, new, text)["links"].to_list() == rows["links"].to_list()
    for spans, said in (
        ([[(0, 9)]], r"the span \(0, 9\) of src"),
        ([[(0, 1, 2)]], r"the span \(0, 1, 2\)"),
        ([[(2, 9)]], "from 0, the end exclusive"),
        ([[(2, 1)]], r"the span \(2, 1\) of src in sentence 4"),
        ([[(0, 1), None]], r"the span None of src in sentence 4"),
    ):
        with pytest.raises(InputError, match=said):
            links.retokenize(rows, text, {"sid": [4], **words, "src_spans": spans})
    worded = {"src": [["a"]], "tgt": [["b"]], "src_spans": [[(0, 1)]]}
    assert "src_spans of a column src" in refusal_of(links.retokenize, ["0-0"], worded, worded)


def test_one_side_may_stay_and_be_of_characters():
    text = (["▁a ▁mi ll"], ["le@@ s é"])
    found = links.retokenize(["1-1 2-2"], text, (None, ["les é"]))
    assert functions.format_links(found["links"].to_arrow()).to_pylist() == ["1-0 2-1"]
    found = links.retokenize(["1-0 2-1"], text, new_splitting="characters,auto", with_words=True)
    assert found.select("src", "tgt").row(0) == ([*"amill"], ["le@@", "s", "é"])
    assert functions.format_links(found["links"].to_arrow()).to_pylist() == ["1-0 2-0 3-1 4-1"]
    found = links.retokenize(["0-1"], text, new_splitting="auto,characters", with_words=True)
    assert found["tgt"].to_list() == [[*"lesé"]]


def test_texts_are_read_along_with_links(tmp_path, monkeypatch):
    """In pieces, again for another system, out of order, and with more sentences than links."""
    monkeypatch.setattr("alignframe.read.lines.CHUNK", 16)
    monkeypatch.setattr("alignframe.links.retokenizing._ROWS", 3)
    sizes = [1 + k % 4 for k in range(40)]
    for name, line in (("old", "ab " * 4), ("new", "a b " * 4)):
        saved(
            tmp_path / name,
            "".join(f"{line[: size * (3 if name == 'old' else 4)]}\n" for size in sizes),
        )
    old, new = ((str(tmp_path / name),) * 2 for name in ("old", "new"))
    pairs = [(sid, size - 1) for sid, size in enumerate(sizes)]
    rows = [(name, sid, [{"i": at, "j": at}]) for name in "ab" for sid, at in pairs if sid % 7]
    table = pl.DataFrame(rows, ["system", "sid", "links"], orient="row")
    found = quietly(links.retokenize, table, old, new)
    assert found.select("system", "sid").rows() == [row[:2] for row in rows]
    for (_, _, own), made in zip(rows, found["links"], strict=True):
        at = 2 * own[0]["i"]
        assert [(one["i"], one["j"]) for one in made] == [
            (at, at), (at, at + 1), (at + 1, at), (at + 1, at + 1)
        ]  # fmt: skip
    texts = [
        quietly(formats.read_bitext, *sides).take(pa.array([*range(39, -1, -1)]))
        for sides in (old, new)
    ]
    again = links.retokenize(table.reverse(), *texts)
    assert again.reverse().equals(found)
    twice = pa.concat_tables([texts[0], texts[0]])
    assert "more than once" in refusal_of(links.retokenize, table, twice, texts[1])


def test_rows_without_a_value_are_null_and_numbered():
    rows = [
        ("0-0", "ab", "a b"),
        (None, "ab", "a b"),
        ("0-0", None, "a b"),
        ("0-0", "ab", "a c"),
    ]
    table = pl.DataFrame(rows, ["links", "old", "new"], orient="row")
    query = (
        "select format_links(retokenize(parse_links(links), string_split(old, ' '), ['x'], "
        "string_split(new, ' '), ['x'])) from given_rows"
    )
    with connected() as connection:
        connection.register("given_rows", table[:3])
        assert connection.sql(query).fetchall() == [("0-0 1-0",), (None,), (None,)]
        connection.register("given_rows", table)
        with pytest.raises(Exception, match="row 3: both texts of src differ at character 2"):
            connection.sql(query).fetchall()
    far = (row(["a"]),) * 4
    with pytest.raises(InputError, match="row 0: the link 0-2"):
        functions.retokenize(functions.parse_links(pa.array(["0-2"])), *far)
    with pytest.raises(InputError, match="a missing word"):
        functions.retokenize(functions.parse_links(pa.array(["0-0"])), *[row([None])] * 4)


@pytest.mark.parametrize("form", formats.FORMATS)
def test_the_command_writes_every_format(tmp_path, form):
    new = [tmp_path / name for name in ("new.en", "new.fr")]
    for path, side in zip(new, BOTH, strict=True):
        lines = (" ".join(slow.marked(line, "sentencepiece")) for line in bpe_like(side))
        saved(path, "".join(f"{line}\n" for line in lines))
    kept = tmp_path / ("out.csv" if form == "table" else "out")
    there = ["--src", BOTH[0], "--tgt", BOTH[1], "--new-src", new[0], "--new-tgt", new[1]]
    said = run("links", "retokenize", f"{HOME}/eager.talp", *there, "--to", form, "-o", kept).stderr
    wanted = quietly(links.retokenize, f"{HOME}/eager.talp", BOTH, tuple(map(str, new)))
    number = wanted["links"].list.len().sum()
    assert f"72 sentences, {number:,} links written to {kept}" in said
    found = quietly(links.read, kept, form)
    assert found["links"].list.len().to_list() == wanted["links"].list.len().to_list()
    back = ["--src", new[0], "--tgt", new[1], "--new-src", BOTH[0], "--new-tgt", BOTH[1]]
    out = run("links", "retokenize", kept, "--from", form, *back, "-o", "-").stdout
    assert out == run("convert", f"{HOME}/eager.talp", "-").stdout


def test_links_carried_past_the_end_of_the_new_text_are_counted():
    old, new = (["a b </s>"] * 2, ["x </s>"] * 2), (["a b"] * 2, ["x"] * 2)
    with pytest.warns(DataWarning, match="2 links one past the last token"):
        found = links.retokenize(["0-0 2-1"] * 2, old, new)
    assert [(one["i"], one["j"]) for one in found["links"][0]] == [(0, 0), (2, 1)]
    # Of links that were past the end before, each counts once.
    with pytest.warns(DataWarning, match="3 links one past the last token"):
        links.retokenize(["3-2 2-1", "2-1"], old, new)


RAW = ["1984年我们都在北京。"] * 12
WORDED = ["1984 年 我 们 都 在 北 京 。"] * 12


def raw_text(tmp_path):
    src, tgt = tmp_path / "a.en", tmp_path / "a.zh"
    saved(src, "in 1984 we were all in Beijing .\n" * 12)
    saved(tgt, "".join(f"{line}\n" for line in RAW))
    return str(src), str(tgt)


def test_links_of_words_given_as_those_of_subwords():
    words = (["the miller sleeps"] * 12, ["le meunier dort bien"] * 12)
    pieces = (["the mi@@ ll@@ er sle@@ eps"] * 12, ["le meunier dort bien"] * 12)
    with pytest.warns(DataWarning) as said:
        links.retokenize(["0-0 2-3"] * 12, pieces, words)
    (message,) = (str(one.message) for one in said)
    assert "no link of src is beyond the tokens of the new text, though 12 sentences" in message
    assert message.endswith("give the text whose tokens they count")
    # A single link beyond them shows that subwords are counted, and few sentences show nothing.
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        links.retokenize(["0-0 2-3"] * 11 + ["3-3"], pieces, words)
        links.retokenize(
            ["0-0"] * 9, *(tuple(side[:9] for side in text) for text in (pieces, words))
        )
        links.retokenize(["0-0 2-3"] * 12, words, pieces)
        # Padding is no text that links could reach.
        padded = ([f"{line} [PAD] [PAD] [PAD]" for line in words[0]], words[1])
        links.retokenize(["0-0 2-3"] * 12, padded, words)


def test_links_of_words_of_raw_text(tmp_path):
    text = raw_text(tmp_path)
    given_links = ["1-0 2-2 7-8"] * 12
    new = {"new_splitting": "characters"}
    way = f"tgt looks like raw text .*alignframe words {text[1]}"
    with pytest.raises(InputError, match=f"1 target words; {way}.*drop_outside"):
        links.retokenize(given_links, text, new_splitting="characters")
    with pytest.warns(DataWarning, match=f"no link of tgt is beyond .* 12 sentences .*{way}"):
        links.retokenize(given_links, text, splitting="spaces,characters", **new)
    with pytest.warns(DataWarning, match=f"the new text: {way}"):
        links.retokenize(given_links, (text[0], WORDED), text)
    # Links of characters, and words of other texts, are as they should be.
    links.retokenize(["7-11"] * 12, text, splitting="auto,characters", new_splitting="characters")
    links.retokenize(given_links, (text[0], WORDED), (text[0], WORDED))


def test_links_of_words_beside_raw_text(tmp_path):
    text = raw_text(tmp_path)
    given_links = saved(tmp_path / "h.talp", "1-0 2-2 7-8\n" * 12)
    way = "1 target words; tgt looks like raw text .*alignframe words"
    for run_one in (
        lambda: links.score(given_links, given_links, bitext=text).scores,
        lambda: links.add_null_links(given_links, text),
        lambda: formats.read(given_links, bitext=formats.read_bitext(*text)),
        lambda: phrases.extract(given_links, bitext=text),
    ):
        with pytest.raises(InputError, match=way):
            run_one()

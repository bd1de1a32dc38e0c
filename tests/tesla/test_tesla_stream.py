"""Scoring candidates as they arrive, for tuners."""

import io
import math
import os
import queue
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alignframe import tesla
from alignframe.errors import DataWarning, InputError
from alignframe.language import Analysis
from alignframe.tesla import stream as streaming
from alignframe.tesla.scorer import Scorer
from alignframe.tesla.stream import Stream

ANALYSIS = Analysis.of(tagger="given", lemmas="given", synonyms="none")
WORDS = ["cat|NN|cat", "cats|NN|cat", "sat|VB|sit", "on|IN|on", "mat|NN|mat", "sees|VB|see"]

texts = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
REFS = ["cat|NN|cat sat|VB|sit", "on|IN|on mat|NN|mat", "cat|NN|cat sees|VB|see mat|NN|mat"]
OTHERS = ["cats|NN|cat sat|VB|sit on|IN|on", "mat|NN|mat", "cat|NN|cat sees|VB|see cat|NN|cat"]


def stream(references=(REFS, OTHERS), **options):
    return Stream(list(references), Scorer(ANALYSIS, **options))


@settings(max_examples=10)
@given(
    st.lists(texts, min_size=1, max_size=9),
    st.lists(st.integers(1, 4), min_size=9, max_size=9),
    st.sampled_from(["mean", "max"]),
)
def test_scores_do_not_depend_on_batches(lines, sizes, combined):
    full = [*lines, *[""] * (-len(lines) % 3)]
    wanted = []
    for start in range(0, len(full), 3):
        found = tesla.score(
            {"a": full[start : start + 3]},
            [REFS, OTHERS],
            analysis=ANALYSIS,
            references_combined=combined,
            bootstrap=0,
        )
        wanted += found.segments["score"].to_list()
    one = stream(references_combined=combined)
    assert one.scores(full) == wanted
    one, found, at = stream(references_combined=combined), [], 0
    for size in sizes:
        found += one.scores(full[at : at + size])
        at += size
    assert found == wanted[: len(found)]
    numbered = [f"{k % 3} ||| {line} ||| 0.5 -1" for k, line in enumerate(full)]
    order = np.random.default_rng(1).permutation(len(full))
    again = stream(references_combined=combined).scores([numbered[k] for k in order])
    assert again == [wanted[k] for k in order]


def test_plain_lines_use_the_references_in_turn():
    one = stream([REFS])
    assert one.scores(REFS) == pytest.approx([4 / 6, 4 / 6, 1.0])
    assert one.scores([REFS[0], f"2 ||| {REFS[2]}", REFS[1]]) == pytest.approx([4 / 6, 1.0, 4 / 6])
    assert one.scores([REFS[2]]) == [1.0]


def test_lines_of_bytes_are_answered_one_by_one():
    source = io.BytesIO(f"{REFS[0]}\r\n\n2 ||| {REFS[2]}\n0|||{REFS[0]}".encode())
    out = io.BytesIO()
    stream([REFS]).serve(source, out)
    lines = out.getvalue().decode().splitlines()
    assert lines == ["0.6666666666666666", "0.0", "1.0", "0.6666666666666666"]


def test_each_score_is_written_before_the_next_line_arrives():
    """Through pipes, as a tuner that waits for each score."""
    (ask_end, ask), (answer, answer_end) = os.pipe(), os.pipe()
    source, out = os.fdopen(ask_end, "rb"), os.fdopen(answer_end, "wb")
    asking, answers = os.fdopen(ask, "wb", buffering=0), os.fdopen(answer, "rb")
    found = queue.Queue()
    server = threading.Thread(target=stream([REFS]).serve, args=(source, out), daemon=True)
    reader = threading.Thread(target=lambda: [*map(found.put, answers)], daemon=True)
    server.start()
    reader.start()
    with asking:
        asking.write(REFS[0][:5].encode())
        asking.write(f"{REFS[0][5:]}\n".encode())
        assert float(found.get(timeout=600)) == pytest.approx(4 / 6)
        asking.write(f"1 ||| {REFS[1]}\n2 ||| {REFS[2]}\n".encode())
        assert [float(found.get(timeout=600)) for _ in range(2)] == pytest.approx([4 / 6, 1.0])
    server.join(600)
    assert not server.is_alive()
    out.close()
    reader.join(600)
    source.close()
    answers.close()


def test_lines_that_arrive_in_pieces_are_joined():
    pieces = iter([b"ab", b"c\nd", b"e\n\nf", b""])

    class Source(io.RawIOBase):
        def read(self, size=-1):
            return next(pieces)

    assert list(streaming._batches(Source())) == [[b"abc"], [b"de", b""], [b"f"]]


def test_a_reference_without_words_has_no_score():
    with pytest.warns(DataWarning, match="1 empty line"):
        one = stream([["", REFS[2]]])
    found = one.scores([REFS[2], REFS[2]])
    assert math.isnan(found[0])
    assert found[1] == 1.0
    out = io.BytesIO()
    one.serve(io.BytesIO(b"0 ||| x|NN|x\n"), out)
    assert out.getvalue() == b"nan\n"


def test_a_long_stream_drops_cached_words(monkeypatch):
    monkeypatch.setattr(streaming, "_MORE_LEMMAS", 2)
    one = stream([REFS])
    before = one.scores(REFS)
    first = one._vocabulary
    one.scores([f"x{k}|NN|x{k}" for k in range(3)])
    assert one.scores(REFS) == before
    assert one._vocabulary is not first


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("3 ||| a|NN|a", r"line 2: the reference 3 of 3; expected a number from 0 to 2"),
        ("x ||| a|NN|a", r"line 2: 'x' before the first \|\|\|; expected the number"),
        ("-1 ||| a|NN|a", r"line 2: '-1' before"),
    ],
)
def test_bad_lines_are_named(line, said):
    with pytest.raises(InputError, match=said):
        stream([REFS]).scores([REFS[0], line])


def test_bad_bytes_are_named():
    with pytest.raises(InputError, match=r"line 2: .*0xff"):
        stream([REFS]).serve(io.BytesIO(b"cat|NN|cat\nca\xfft|NN|cat\n"), io.BytesIO())


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b"7 ||| x|NN|x", "line 4: the reference 7 of 3"),
        (b"0 ||| cat", "line 4: 'cat' is not a word with a tag"),
        (b"ca\xfft|NN|cat", "line 4: the byte 0xff"),
    ],
)
@pytest.mark.parametrize("after", [0, 1, 4])
def test_lines_before_a_bad_one_are_answered(bad, said, after):
    good = [line.encode() for line in (REFS[0], f"2 ||| {REFS[2]}", REFS[1])]
    source, out = io.BytesIO(b"\n".join([*good, bad, *[good[0]] * after])), io.BytesIO()
    one = stream([REFS])
    with pytest.raises(InputError, match=said):
        one.serve(source, out)
    assert [float(score) for score in out.getvalue().split()] == pytest.approx([4 / 6, 1.0, 4 / 6])


def test_a_failed_call_has_no_effect():
    one = stream([REFS])
    for bad in ("9 ||| a|NN|a", "cat"):
        with pytest.raises(InputError, match="line 2"):
            one.scores([REFS[0], bad])
    assert one.scores(REFS) == stream([REFS]).scores(REFS)


def test_a_long_line_is_named(monkeypatch):
    one = stream([REFS])
    monkeypatch.setattr("alignframe.functions.bags.MAX_TOKENS", 3)
    with pytest.raises(InputError, match=r"line 2: sentence 0 .* 4 tokens"):
        one.scores([REFS[0], " ".join(["cat|NN|cat"] * 4), REFS[0]])


def test_a_byte_order_mark_is_not_part_of_the_first_line():
    for head in (f"\ufeff{REFS[0]}", f"\ufeff0 ||| {REFS[0]}\r"):
        out = io.BytesIO()
        stream([REFS]).serve(io.BytesIO(f"{head}\n{REFS[1]}\r\n".encode()), out)
        assert float(out.getvalue().split()[0]) == pytest.approx(4 / 6)


def test_candidates_of_zmert(corpora, wordnet):
    """Its n-best list, streamed, scores like its candidates, one reference set after another."""
    folder = corpora / "zmert" / "zmert_ex_orig"
    lines = (folder / "cand_database.txt").read_text("utf-8").splitlines()
    refs = [folder / f"ref.{k}" for k in range(4)]
    analysis = Analysis.of(tokens="spaces", wordnet=wordnet)
    out = io.BytesIO()
    Stream(refs, Scorer(analysis)).serve(
        io.BytesIO("".join(f"{line}\n" for line in lines).encode()), out
    )
    streamed = [float(line) for line in out.getvalue().split()]
    numbers = [int(line.split("|||")[0]) for line in lines]
    candidates = [line.split("|||")[1] for line in lines]
    sentences = [path.read_text("utf-8").splitlines() for path in refs]
    found = tesla.score(
        {"all": candidates},
        [[one[number] for number in numbers] for one in sentences],
        analysis=analysis,
        bootstrap=0,
    )
    assert len(streamed) == 500
    assert found.segments["score"].to_list() == streamed
    assert 0 < min(streamed) < max(streamed) < 1


def test_a_word_without_a_tag_is_named_by_line():
    one = stream([REFS])
    one.scores(REFS)
    with pytest.raises(InputError, match=r"^line 5: 'cat'"):
        one.scores([REFS[0], "0 ||| cat", "dog"])


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_candidates_of_lines_that_are_not_bytes_are_refused(encoding):
    with pytest.raises(InputError, match=f"candidates in {encoding}; expected an encoding in"):
        Stream([["a cat"]], Scorer(Analysis.of(tagger="none")), encoding=encoding)

"""Aligning new text with a saved model, also as a row-wise function."""

import warnings
from itertools import product

import polars as pl
import pyarrow as pa
import pytest
from helpers.sql import check_engines
from hypothesis import example, given, settings
from hypothesis import strategies as st

from alignframe import aligners
from alignframe.aligners import sampled
from alignframe.aligners.bidirectional import Linking, decode_directions, read_directions
from alignframe.aligners.function import align_words
from alignframe.core.schemas import LINKS
from alignframe.engines import polars as expressions
from alignframe.errors import DataWarning, InputError

pytestmark = pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")

SRC, TGT = ["a", "b", "name", "new"], ["u", "v", "name", "names", "new"]
ALIKE = {("name", "name"): 1, ("name", "names"): 0.6, ("new", "new"): 1}
sides = (st.lists(st.sampled_from(one), min_size=1, max_size=3) for one in (SRC, TGT))
sentences = st.tuples(*sides)
LEARNT = pl.DataFrame(
    {
        "src": [["a", "b"], ["b", "a", "b"], ["b"], ["a", "name"], ["a", "a", "b"]],
        "tgt": [["u", "v"], ["v", "u", "v", "v"], ["v"], ["u", "u", "names"], ["u", "w", "v"]],
    }
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("models")
    for kind, options in (("bayes", {"samplers": 2, "sweeps": (1, 1, 4)}), ("hmm", {})):
        for name in ("forward", "reverse"):
            model = aligners.fit(LEARNT, model=kind, reverse=name == "reverse", **options)
            model.save(home / kind / name)
    return home


@pytest.fixture(scope="module")
def models(folder):
    return aligners.load_directions(folder / "bayes")


@pytest.fixture(scope="module")
def model(models):
    return models[0]


def expected(models, pair):
    """Return the probabilities of links, by target word, found by enumerating all alignments.

    There are those of each model; two of both directions favour each other's links.
    """
    ways = [slow(model, *(pair[::-1] if model.reverse else pair)) for model in models]
    shares = [begin() for begin, _ in ways]
    for _ in range(2):
        last = shares
        shares = []
        for k, (_, again) in enumerate(ways):
            own, others = last[k], last[1 - k] if len(ways) > 1 else None
            more = models[0].parameters.agreement - 1
            favours = [
                [1 + more * others[i][j] ** 2 if others else 1 for i in range(len(row))]
                for j, row in enumerate(own)
            ]
            shares.append(again(own, favours))
    return [[[0.97 * share for share in row] for row in found] for found in shares]


def slow(model, src, tgt):
    """Return how the probabilities of a sentence pair's links begin, and those after a round."""
    known = model.parameters
    words, targets = (side.to_pylist() for side in model.turned)
    counts = {}
    for row, e in enumerate([None, *words]):
        for c in range(known.pairs.starts[row], known.pairs.starts[row + 1]):
            counts[e, targets[known.pairs.targets[c]]] = float(known.pairs.values[c])

    def of_forms(e, f):
        """Return what the forms of a stem share; here, a stem is a word's first letter."""
        own = counts.get((e, f), 0.0)
        both = sum(n for (s, t), n in counts.items() if s and (s[0], t[0]) == (e[0], f[0]))
        every = sum(known.totals[row] for row, s in enumerate(words, 1) if s[0] == e[0])
        return known.stems * (both - own) / (1 + every)

    def pseudo(e, f):
        alike = known.spelling * ALIKE.get((f, e) if model.reverse else (e, f), 0)
        return known.concentration + alike + (of_forms(e, f) if e else 0)

    def probability(e, f):
        total = known.totals[words.index(e) + 1 if e else 0] if e in [None, *words] else 0.0
        met = [one for (row, one), n in counts.items() if row == e and n > 0]
        beside = sum(known.concentration + (of_forms(e, one) if e else 0) for one in met)
        if e is not None:
            beside = max(beside, sum(pseudo(e, one) for one in set(tgt)))
        return (counts.get((e, f), 0.0) + pseudo(e, f)) / (total + beside)

    jumps = (known.jumps + 0.5) / (known.jumps + 0.5).sum()

    def jump(a, b):
        return jumps[b - a + 100]

    def growth(e, k):
        """Return how much more probable k + 1 words for e are than k, interpolating in k."""
        own = known.fertilities[words.index(e)] if e in words else [0.0] * 9
        low = min(int(k), 7)
        at = [(own[one + 1] + 0.5) / (own[one] + 0.5) for one in (low, min(low + 1, 7))]
        return at[0] + (at[1] - at[0]) * (k - low)

    odds = 2 * known.null / (1 - known.null)

    def begin():
        shares = []
        for f in tgt:
            row = [probability(e, f) / (len(src) + 1) for e in src]
            shares.append([p / (sum(row) + odds * probability(None, f)) for p in row])
        return shares

    def again(shares, favours):
        weights = [[0.0] * len(src) for _ in tgt]
        whole = 0.0
        for places in product(range(-1, len(src)), repeat=len(tgt)):
            weight, last = 1.0, -1
            for j, i in enumerate(places):
                if i < 0:
                    weight *= odds * probability(None, tgt[j])
                    continue
                weight *= probability(src[i], tgt[j]) * jump(last, i) * favours[j][i]
                others = sum(row[i] for row in shares) - shares[j][i]
                weight *= growth(src[i], others)
                last = i
            weight *= jump(last, len(src))
            whole += weight
            for j, i in enumerate(places):
                if i >= 0:
                    weights[j][i] += weight
        return [[weight / whole for weight in row] for row in weights]

    return begin, again


@settings(max_examples=25)
@given(sentences)
@example((["name", "new"], ["name", "new"]))
def test_probabilities_of_new_text_against_every_alignment(models, pair):
    text = pl.DataFrame({"src": [pair[0]], "tgt": [pair[1]]})
    both = decode_directions(read_directions(models, text), Linking("union", posterior=True))
    found = [models[0].align(text, posterior=True, threshold=0.01), *(one.every for one in both)]
    wanted = expected(models[:1], pair) + expected(models, pair)
    for links, every, reverse in zip(found, wanted, (False, False, True), strict=True):
        check_links(links, every, reverse=reverse)


def check_links(links, wanted, *, reverse):
    """Compare the probabilities of a sentence pair's links above 0.01 with those wanted."""
    row = links.row(0, named=True)
    likely = {
        (link["i"], link["j"]): p
        for link, p in zip(row["links"], row["probabilities"], strict=True)
    }
    for j, shares in enumerate(wanted):
        for i, share in enumerate(shares):
            if abs(share - 0.01) > 1e-4:
                assert likely.get((j, i) if reverse else (i, j), 0.0) == pytest.approx(
                    share if share > 0.01 else 0.0, abs=1e-4
                )


@pytest.mark.parametrize("agreement", [1, 10])
def test_agreement_is_saved(agreement, tmp_path):
    """With 1, directions align other text as each does alone."""
    for reverse, name in enumerate(("forward", "reverse")):
        options = {"samplers": 2, "sweeps": (1, 1, 4), "agreement": agreement}
        aligners.fit(LEARNT, reverse=bool(reverse), **options).save(tmp_path / name)
    models = aligners.load_directions(tmp_path)
    pair = ["a", "name", "b"], ["v", "u", "names"]
    text = pl.DataFrame({"src": [pair[0]], "tgt": [pair[1]]})
    both = decode_directions(read_directions(models, text), Linking("union", posterior=True))
    for one, wanted, model in zip(both, expected(models, pair), models, strict=True):
        check_links(one.every, wanted, reverse=model.reverse)
        alone = model.align(text, posterior=True, threshold=0.01)
        assert one.every["probabilities"].equals(alone["probabilities"]) == (agreement == 1)


def test_models_trained_apart_favour_each_other(models):
    """Words have other numbers in the other direction, if its model knows others."""
    other = LEARNT.with_columns(src=pl.concat_list(pl.lit("b"), "src", pl.lit("new")))
    apart = [models[0], aligners.fit(other, reverse=True, samplers=2, sweeps=(1, 1, 4))]
    pair = ["a", "name", "b"], ["v", "u", "names"]
    text = pl.DataFrame({"src": [pair[0]], "tgt": [pair[1]]})
    both = decode_directions(read_directions(apart, text), Linking("union", posterior=True))
    for one, wanted, reverse in zip(both, expected(apart, pair), (False, True), strict=True):
        check_links(one.every, wanted, reverse=reverse)


def test_models_of_other_limits_align_alone(models):
    """A sentence pair that is too long for one direction is still aligned in the other."""
    short = aligners.fit(LEARNT, reverse=True, samplers=2, sweeps=(1, 1, 4), max_length=2)
    pair = ["a", "b", "b"], ["u", "v"]
    text = pl.DataFrame({"src": [pair[0]], "tgt": [pair[1]]})
    apart = [models[0], short]
    one, other = decode_directions(read_directions(apart, text), Linking("union", posterior=True))
    check_links(one.every, expected(models[:1], pair)[0], reverse=False)
    assert other.every["links"].list.len().to_list() == [0]
    assert aligners.Aligner(apart, symmetrize="union").links(*pair) == [
        (link["i"], link["j"])
        for link in aligners.align_with(apart, text, symmetrize="union")["links"][0]
    ]


def test_a_sentence_pair_that_one_direction_leaves_out_changes_no_other(models):
    """Pairs that both directions align agree, whatever stands between them."""
    short = aligners.fit(LEARNT, reverse=True, samplers=2, sweeps=(1, 1, 4), max_length=3)
    apart = [models[0], short]
    long = ["b", "a", "b", "a"], ["v", "u"]
    pairs = [(["a", "name", "b"], ["v", "u", "names"]), (["a", "b"], ["v", "v", "w"])]
    mixed = [long, pairs[0], long, *pairs, long, pairs[1]]
    text = pl.DataFrame({"src": [src for src, _ in mixed], "tgt": [tgt for _, tgt in mixed]})
    for method in ("union", "agree"):
        found = aligners.align_with(apart, text, symmetrize=method, posterior=True).drop("sid")
        for row in range(len(mixed)):
            one = aligners.align_with(apart, text[row], symmetrize=method, posterior=True)
            assert found[row].equals(one.drop("sid"))


rows = st.lists(st.none() | sentences, min_size=1, max_size=6)


@settings(max_examples=8)
@given(rows, st.sampled_from(["bayes", "hmm"]), st.sampled_from(["union", "agree", None]))
def test_rows_are_aligned_as_in_a_batch(folder, pairs, kind, method):
    """Nothing depends on other sentences, or on the words they have."""
    home = str(folder / kind)
    models = aligners.load_directions(home)
    columns = [pa.array([p and p[k] for p in pairs], pa.list_(pa.string())) for k in (0, 1)]
    found = align_words(*columns, home, method)
    found.validate(full=True)
    assert found.type == LINKS
    options = {"symmetrize": method} if method else {}
    kept = [pair for pair in pairs if pair]
    batch = pl.DataFrame({"src": [p[0] for p in kept], "tgt": [p[1] for p in kept]})
    if kept:
        together = iter(aligners.align_with(models, batch, **options)["links"].to_list())
        assert found.to_pylist() == [next(together) if pair else None for pair in pairs]
        last = aligners.align_with(models, batch.tail(1), **options)["links"].to_list()
        assert [one for one in found.to_pylist() if one is not None][-1:] == last


def test_engines_agree(folder):
    table = LEARNT.with_columns(
        model=pl.Series([str(folder / kind) for kind in ("bayes", "hmm", "bayes", "hmm")] + [None])
    )
    columns = [table[name].to_arrow().cast(pa.list_(pa.string())) for name in ("src", "tgt")]
    home = str(folder / "bayes")
    wanted = {
        "align_words(src, tgt, model)": align_words(*columns, table["model"].to_arrow()),
        f"align_words(src, tgt, '{home}', symmetrize := 'agree', threshold := 0.2)": align_words(
            *columns, home, "agree", 0.2
        ),
        f"align_words(src, tgt, '{home}', 'none')": align_words(*columns, home, "none"),
    }
    alone = aligners.load(folder / "bayes" / "forward").align(LEARNT)["links"].to_list()
    assert wanted[f"align_words(src, tgt, '{home}', 'none')"].to_pylist() == alone
    made = [
        expressions.align_words("src", "tgt", pl.col("model")),
        expressions.align_words("src", "tgt", home, symmetrize="agree", threshold=0.2),
        expressions.align_words("src", "tgt", home, symmetrize="none"),
    ]
    check_engines(table.to_arrow(), wanted, made)


def test_one_direction_needs_one_model(folder, tmp_path):
    columns = [LEARNT[name].to_arrow().cast(pa.list_(pa.string())) for name in ("src", "tgt")]
    for kind, home in (("bayes", tmp_path / "forward"), ("hmm", tmp_path)):
        aligners.load(folder / kind / "forward").save(home)
        found = align_words(*columns, str(tmp_path), "none")
        assert found.equals(align_words(*columns, str(folder / kind), "none"))
    with pytest.raises(InputError, match=r"only a forward.*`direction='forward'`, or the method"):
        align_words(*columns, str(tmp_path))
    aligners.load(folder / "hmm" / "reverse").save(tmp_path)
    with pytest.raises(InputError, match="holds a reverse model"):
        align_words(*columns, str(tmp_path), "none")


def test_a_text_with_other_words_causes_a_warning(folder):
    models = aligners.load_directions(folder / "hmm")
    both = {"src": ["a"] * 51 + ["q"] * 49, "tgt": ["q"] * 51 + ["u"] * 49}
    text = pl.DataFrame({name: [words] for name, words in both.items()})
    for call in (lambda: models[1].align(text), lambda: aligners.align_with(models, text)):
        with pytest.warns(DataWarning, match="does not know most words of tgt;") as told:
            call()
        assert len(told) == 1
    with pytest.warns(DataWarning, match="most words of src and tgt"):
        aligners.align_with(models, text.with_columns(src=pl.lit(["q"] * 100)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        aligners.align_with(models, text.select(pl.all().list.head(49)))
        aligners.align_with(models, text.with_columns(tgt=pl.lit(["u"] * 100)))


def test_a_model_that_is_saved_again_is_read_again(folder, tmp_path):
    columns = [pa.array([["a", "b"]]), pa.array([["u", "v"]])]
    for kind in ("bayes", "hmm"):
        for name in ("forward", "reverse"):
            aligners.load(folder / kind / name).save(tmp_path / name)
        assert align_words(*columns, str(tmp_path)).equals(
            align_words(*columns, str(folder / kind))
        )


ONE = pa.array([["a"]])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda home: align_words(ONE, ONE, f"{home}/none"), "no such folder"),
        (lambda home: align_words(ONE, ONE, str(home)), "no forward model"),
        (
            lambda home: align_words(ONE, ONE, f"{home}/bayes/forward"),
            "only a forward model.*give .*bayes, which has both",
        ),
        (lambda home: align_words(ONE, ONE, f"{home}/hmm", "both"), "both"),
        (lambda home: align_words(ONE, ONE, f"{home}/hmm", None, 1.5), "`threshold` is 1.5"),
        (lambda home: align_words(ONE, pa.array([["a"]] * 2), f"{home}/hmm"), "one length"),
        (lambda home: align_words(ONE, pa.array([[1]]), f"{home}/hmm"), "words"),
        (lambda home: align_words(ONE, pa.array([[None, "a"]]), f"{home}/hmm"), "missing word"),
    ],
)
def test_bad_input_is_refused(folder, call, said):
    with pytest.raises(InputError, match=said):
        call(folder)


def test_a_model_of_another_version_is_refused(folder, tmp_path):
    for name in ("forward", "reverse"):
        aligners.load(folder / "hmm" / name).save(tmp_path / name)
    about = tmp_path / "reverse" / "model.json"
    about.write_text(about.read_text("utf-8").replace('"version": 1', '"version": 0'), "utf-8")
    with pytest.raises(InputError, match="version 0"):
        align_words(ONE, ONE, str(tmp_path))


def test_rows_without_words_cause_a_warning(folder):
    empty = pa.array([[], ["a"]], pa.list_(pa.string()))
    with pytest.warns(DataWarning, match="empty side"):
        found = align_words(empty, pa.array([["u"], ["u"]]), str(folder / "hmm"))
    assert found.to_pylist()[0] == []


def test_blocks_of_any_size_give_identical_results(model, monkeypatch):
    """Sentences share the buffers of a word, and leave nothing in them for the next block."""
    src = [["a", "name", "a"], ["new"], ["b", "a", "new"], ["name", "b"], ["a"]]
    tgt = [["u", "names", "name"], ["new", "u"], ["v", "new"], ["v", "names", "w"], ["x"]]
    text = pl.DataFrame({"src": src, "tgt": tgt})
    found = model.align(text, posterior=True, threshold=0.0)
    for size in (1, 7, 15):
        monkeypatch.setattr(sampled, "_AT_A_TIME", size)
        assert model.align(text, posterior=True, threshold=0.0).equals(found)


def test_words_without_letters(model):
    """Accents are removed before words are compared; some words have nothing else."""
    accent = "\N{COMBINING ACUTE ACCENT}"
    text = pl.DataFrame({"src": [["a", accent]], "tgt": [[accent, "u"]]})
    assert {"i": 1, "j": 0} in model.align(text)["links"].to_list()[0]

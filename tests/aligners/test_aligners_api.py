"""Fitting, aligning, saving and loading aligners."""

import json
import re
import shutil
import warnings

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.aligners import as_sets, weighted

from alignframe import aligners, formats, links
from alignframe.aligners.model import warn_of_unknown
from alignframe.errors import DataWarning, InputError
from alignframe.kernels.aligners.weighted_links import put_in_order
from alignframe.options.aligners import names_of
from alignframe.options.mt import Search, SearchOptions
from alignframe.options.training import FitOptions

KINDS = ["ibm1", "hmm"]
TEXT = pl.DataFrame(
    {
        "sid": [7, 3, 5],
        "src": [["the", "house"], ["the", "book"], ["a", "book"]],
        "tgt": [["das", "Haus"], ["das", "Buch"], ["ein", "Buch"]],
    }
)


@pytest.fixture(scope="module", params=KINDS)
def model(request, en_fr):
    return aligners.fit(en_fr, model=request.param, iterations=4)


@pytest.mark.parametrize("kind", KINDS)
def test_words_find_their_translations(kind):
    found = aligners.fit(TEXT, model=kind, iterations=20).align(TEXT)
    assert found.columns == ["system", "sid", "links"]
    assert found["system"].unique().to_list() == [kind]
    assert found["sid"].to_list() == [7, 3, 5]
    assert as_sets(found) == [{(0, 0), (1, 1)}] * 3
    assert found.schema["links"] == pl.List(pl.Struct({"i": pl.UInt16, "j": pl.UInt16}))


def test_links_are_better_than_chance(en_fr, bundled):
    gold = formats.read(bundled / "gold.talp")
    errors = {}
    for kind in KINDS:
        both = [
            aligners.fit(en_fr, model=kind, reverse=turned).align(en_fr) for turned in (False, True)
        ]
        joined = aligners.align(en_fr, model=kind, symmetrize="intersection")
        errors[kind] = [links.score(one, gold).scores["aer"][0] for one in (*both, joined)]
    assert max(errors["ibm1"]) < 0.75
    assert max(errors["hmm"]) < 0.55
    assert all(hmm < ibm1 for ibm1, hmm in zip(errors["ibm1"], errors["hmm"], strict=True))


@pytest.mark.parametrize("kind", KINDS)
def test_reverse_is_forward_of_the_swapped_text(en_fr, kind):
    turned = pa.table({"sid": en_fr["sid"], "src": en_fr["tgt"], "tgt": en_fr["src"]})
    forward = aligners.fit(turned, model=kind)
    reverse = aligners.fit(en_fr, model=kind, reverse=True)
    assert reverse.history == forward.history
    assert reverse.vocabularies == forward.vocabularies[::-1]
    one, two = forward.align(turned), reverse.align(en_fr)
    assert as_sets(two) == [{(i, j) for j, i in row} for row in as_sets(one)]
    assert two["system"].unique().to_list() == [f"{kind}-reverse"]
    for row in two["links"].to_list():
        keys = [(link["i"], link["j"]) for link in row]
        assert keys == sorted(keys)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("threshold", [None, 0.2])
def test_align_joins_both_directions(en_fr, kind, threshold):
    options = {"iterations": 2} if kind == "ibm1" else {"iterations": 2, "together": False}
    sides = [
        aligners.fit(en_fr, model=kind, reverse=reverse, **options).align(
            en_fr, threshold=threshold
        )
        for reverse in (False, True)
    ]
    for method in ("intersection", "grow-diag-final-and", "none"):
        told = []
        found = aligners.align(
            en_fr,
            model=kind,
            symmetrize=method,
            threshold=threshold,
            **options,
            progress=lambda stage, *_, told=told: told.append(stage),
        )
        wanted = sides[0] if method == "none" else links.symmetrize(*sides, method)
        assert as_sets(found) == as_sets(wanted)
        name = kind if method == "none" else f"{kind}.{method}"
        assert found["system"].unique().to_list() == [name]
        reverse = {f"{stage}-reverse" for stage in told if not stage.endswith("-reverse")}
        assert reverse <= set(told) or method == "none"
    named = aligners.align(en_fr, model=kind, symmetrize="union", system="mine")
    assert named["system"].unique().to_list() == ["mine"]


def test_thresholds_and_probabilities(model, en_fr):
    best = model.align(en_fr, posterior=True)
    assert best.schema["probabilities"] == pl.List(pl.Float32)
    every = model.align(en_fr, posterior=True, threshold=0.0)
    some = model.align(en_fr, posterior=True, threshold=0.5)
    assert best["links"].equals(model.align(en_fr)["links"])
    for one, two, three in zip(*(weighted(frame) for frame in (best, every, some)), strict=True):
        assert three == {link: p for link, p in two.items() if p > 0.5}
        assert all(p == pytest.approx(two[link], rel=1e-5) for link, p in one.items())
        totals = np.zeros(1 + max([j for _, j in two], default=0))
        for (_, j), p in two.items():
            totals[j] += p
        assert (totals <= 1.0 + 1e-5).all()
    assert some["links"].list.len().sum() > 0


def test_a_saved_model_gives_the_same_links(model, en_fr, tmp_path):
    model.save(tmp_path / "one" / "model")
    again = aligners.load(tmp_path / "one" / "model")
    unseen = pl.DataFrame(
        {
            "src": [["the", "zyx", "house"], ["zyx"], ["commission", "the", "."]],
            "tgt": [["la", "maison", "uvw"], ["uvw"], ["."]],
        }
    )
    for text in (en_fr, unseen):
        for threshold in (None, 0.1):
            wanted = model.align(text, posterior=True, threshold=threshold)
            assert again.align(text, posterior=True, threshold=threshold).equals(wanted)
    for name in ("kind", "reverse", "vocabularies", "max_length", "options", "history"):
        assert getattr(again, name) == getattr(model, name)
    again.save(tmp_path / "two")
    for file in (tmp_path / "two").iterdir():
        assert file.read_bytes() == (tmp_path / "one" / "model" / file.name).read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_reverse_model(en_fr, kind, tmp_path):
    options = {"classes": 3} if kind == "hmm" else {"dtype": "float64"}
    model = aligners.fit(en_fr, model=kind, reverse=True, **options)
    model.save(tmp_path)
    again = aligners.load(tmp_path)
    assert again.align(en_fr, posterior=True).equals(model.align(en_fr, posterior=True))
    assert again.options == {"seed": 1, **options}


def test_saving_over_a_model(model, en_fr, tmp_path):
    aligners.fit(TEXT, model="hmm").save(tmp_path)
    model.save(tmp_path)
    assert aligners.load(tmp_path).align(en_fr).equals(model.align(en_fr))


def test_a_model_is_shown_in_one_line():
    model = aligners.fit(TEXT, model="hmm", reverse=True)
    src, tgt = (len(set(TEXT[side].explode())) for side in ("src", "tgt"))
    assert repr(model) == f"Model('hmm', reverse, {src} x {tgt} words)"


def test_text_with_unknown_words(model):
    long = ["the", "house", "."] * 66 + ["and", "then"]
    text = pl.DataFrame(
        {
            "sid": [4, 2, 9, 1, 0, 8, 5],
            "src": [["zyx"], [], ["the"], long, [*long, "x"], ["zyx", "the"], []],
            "tgt": [["uvw"], ["la"], ["la"], long, ["la"], [], ["la"]],
        }
    )
    with (
        pytest.warns(DataWarning, match=r"3 sentence pairs .*and 1 with more"),
        pytest.warns(DataWarning, match="does not know most words of tgt"),
    ):
        found = model.align(text, posterior=True, threshold=0.0)
    assert found["sid"].to_list() == text["sid"].to_list()
    sizes = found["links"].list.len().to_list()
    assert [sizes[k] for k in (1, 4, 5, 6)] == [0] * 4
    assert sizes[3] > 200
    weights = found["probabilities"].explode().drop_nulls().to_numpy()
    assert np.isfinite(weights).all()
    assert (weights <= 1.0 + 1e-6).all()
    assert found["probabilities"].list.len().to_list() == sizes


def test_fifty_words_are_enough_for_a_warning():
    half = np.arange(50) < 26
    with pytest.warns(DataWarning, match="the model does not know most words of src;"):
        warn_of_unknown("the model", [half, np.arange(50) < 25])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_unknown("the model", [half[:49], half[:49]])


def test_model_1_leaves_unknown_words_unaligned(en_fr):
    unseen = pl.DataFrame({"src": [["zyx", "yx"]], "tgt": [["uvw", "vw"]]})
    assert as_sets(aligners.fit(en_fr, model="ibm1").align(unseen)) == [set()]


def test_text_without_rows(model):
    assert model.align(TEXT.clear()).height == 0
    nothing = pl.DataFrame({"src": [[]], "tgt": [["a"]]}, schema_overrides=TEXT.schema)
    with pytest.warns(DataWarning):
        assert as_sets(model.align(nothing)) == [set()]


@pytest.mark.parametrize("kind", KINDS)
def test_rows_left_out_are_not_trained_on(kind):
    extra = pl.DataFrame(
        {
            "sid": [11, 12, 13],
            "src": [["the", "house", "the", "house"], [], ["the"]],
            "tgt": [["Buch"], ["Buch"], []],
        },
        schema=TEXT.schema,
    )
    with pytest.warns(DataWarning, match="2 sentence pairs .*and 1 with more"):
        model = aligners.fit(pl.concat([extra, TEXT]), model=kind, max_length=3)
    assert model.history == aligners.fit(TEXT, model=kind).history
    assert model.max_length == 3
    with pytest.warns(DataWarning) as caught:
        found = aligners.align(pl.concat([extra, TEXT]), model=kind, max_length=3)
    assert len(caught) == 1
    assert found["sid"].to_list() == [11, 12, 13, 7, 3, 5]
    assert as_sets(found)[:3] == [set()] * 3


def test_what_is_kept_of_training_has_no_last_bits(model, en_fr):
    """Sums in another order have other last bits, as have those of another processor."""
    turned = en_fr.take(np.arange(len(en_fr))[::-1])
    assert aligners.fit(turned, model=model.kind, iterations=4).history == model.history


@pytest.mark.parametrize("kind", KINDS)
def test_training_continues_from_a_prior_model(en_fr, kind):
    first = aligners.fit(en_fr, model=kind, iterations=3)
    more = aligners.fit(en_fr, model=kind, iterations=3, prior=first)
    assert {step["stage"] for step in more.history} == {kind}
    last = first.history[-1]["log_likelihood"]
    assert more.history[-1]["log_likelihood"] > last
    new = pl.concat([TEXT.drop("sid"), pl.from_arrow(en_fr).drop("sid")])
    known = aligners.fit(new, model=kind, prior=first, iterations=1)
    assert as_sets(known.align(TEXT))
    reverse = aligners.fit(en_fr, model=kind, reverse=True, iterations=3)
    both = aligners.align(en_fr, model=kind, prior=(first, reverse), iterations=1)
    assert both.height == en_fr.num_rows


def test_the_words_of_a_prior_start_where_it_ended(en_fr):
    first = aligners.fit(en_fr, model="ibm1", iterations=6)
    again = aligners.fit(en_fr, model="ibm1", iterations=0, prior=first)
    p, q = (m.parameters.translations.values for m in (first, again))
    assert p == pytest.approx(q, abs=0.1)
    assert np.corrcoef(p, q)[0, 1] > 0.99
    first = aligners.fit(en_fr, model="hmm", classes=2)
    old, new = (
        model.parameters.chain
        for model in (first, aligners.fit(en_fr, model="hmm", iterations=0, prior=first))
    )
    assert old.jumps.argmax(axis=1).tolist() == [21, 21]
    for name in ("classes", "jumps", "first", "last"):
        assert np.array_equal(getattr(old, name), getattr(new, name))
    narrow = aligners.fit(
        en_fr, model="hmm", iterations=0, prior=first, max_jump=5
    ).parameters.chain
    assert np.array_equal(narrow.jumps, old.jumps[:, 15:26])
    wide = aligners.fit(en_fr, model="hmm", iterations=0, prior=first, max_jump=30).parameters.chain
    assert np.array_equal(wide.jumps[:, 10:51], old.jumps)
    assert (wide.jumps[:, :10] == old.jumps[:, :1]).all()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("weight", [None, "p", "llr"])
def test_a_lexicon_is_followed(kind, reverse, weight, tmp_path):
    text = pl.DataFrame({"src": [["a", "b", "c"]] * 3, "tgt": [["x", "y", "z"]] * 3})
    lexicon = pl.DataFrame({"src": ["a", "b", "c", "v"], "tgt": ["y", "z", "x", "x"]})
    if weight:
        lexicon = lexicon.with_columns(pl.Series(weight, [2.0, 3.0, 5.0, 1.0]))
    lexicon.write_parquet(tmp_path / "lexicon.parquet")
    for prior in (lexicon, tmp_path / "lexicon.parquet"):
        found = aligners.fit(text, model=kind, reverse=reverse, prior=prior, strength=50.0)
        assert as_sets(found.align(text)) == [{(0, 1), (1, 2), (2, 0)}] * 3
    weak = aligners.fit(text, model="ibm1", reverse=reverse, prior=lexicon, strength=1e-9)
    plain = aligners.fit(text, model="ibm1", reverse=reverse)
    assert weak.parameters.translations.values == pytest.approx(
        plain.parameters.translations.values, abs=1e-6
    )


def test_pseudo_counts_are_shared_by_weight():
    text = pl.DataFrame({"src": [["a"]], "tgt": [["x", "y"]]})
    lexicon = pl.DataFrame({"src": ["a", "a"], "tgt": ["x", "y"], "p": [0.9, 0.3]})
    values = aligners.fit(text, model="ibm1", iterations=1, prior=lexicon, strength=8.0)
    # NULL and "a" share each word evenly, half a count each, and 8 are added as 6 and 2.
    table = values.parameters.translations.table(values.vocabularies).to_pylist()
    assert [(row["src"], row["tgt"]) for row in table] == [
        (None, "x"),
        (None, "y"),
        ("a", "x"),
        ("a", "y"),
    ]
    assert [row["p"] for row in table] == pytest.approx([0.5, 0.5, 6.5 / 9, 2.5 / 9])


def test_processes_give_identical_results(en_fr, processes):
    wanted = aligners.align(en_fr, model="hmm", iterations=1)
    assert aligners.align(en_fr, model="hmm", iterations=1, threads=processes).equals(wanted)


@given(
    st.lists(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)))),
    st.randoms(use_true_random=False),
)
def test_links_are_sorted(sentences, chance):
    drawn = [chance.sample(sorted(one), len(one)) for one in sentences]
    flat = [link for one in drawn for link in one]
    i, j = (np.array([link[k] for link in flat], np.int32) for k in (0, 1))
    weights = (i * 10 + j).astype(np.float32)
    offsets = np.cumsum([0, *map(len, drawn)])
    put_in_order(offsets, i, j, weights)
    assert list(zip(i, j, strict=True)) == [link for one in sentences for link in sorted(one)]
    assert (weights == i * 10 + j).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: aligners.fit(TEXT, model="ibm9"),
            "unknown model 'ibm9'; expected one of ibm1, hmm",
        ),
        (lambda: aligners.align(TEXT, model="ibm9"), "unknown model 'ibm9'"),
        (lambda: aligners.fit(TEXT, model="ibm1", p0=0.1), "unknown ibm1 option 'p0'"),
        (
            lambda: aligners.fit(TEXT, model="hmm", p0=0),
            "`p0` is 0; expected a number above 0 and below 1",
        ),
        (lambda: aligners.fit(TEXT, model="hmm", smoothing=1.5), "`smoothing` is 1.5"),
        (lambda: aligners.fit(TEXT, model="hmm", max_jump=0), "`max_jump` is 0"),
        (lambda: aligners.fit(TEXT, model="hmm", iterations=-1), "`iterations` is -1"),
        (lambda: aligners.fit(TEXT, model="hmm", ibm1_iterations=1.5), "`ibm1_iterations` is 1.5"),
        (lambda: aligners.fit(TEXT, model="ibm1", concentration=-1.0), "`concentration` is -1.0"),
        (lambda: aligners.fit(TEXT, model="ibm1", concentration="x"), "`concentration` is 'x'"),
        (lambda: aligners.fit(TEXT, model="ibm1", dtype="int8"), "unknown `dtype` 'int8'"),
        (lambda: aligners.fit(TEXT, model="hmm", classes=0), "classes"),
        (
            lambda: aligners.fit(TEXT, model="hmm", classes=[1, 2]),
            "expected their number, or 4 whole",
        ),
        (lambda: aligners.fit(TEXT, model="hmm", classes=[0, 0, 0, -1]), "classes from -1 to 0"),
        (lambda: aligners.fit(TEXT, model="ibm1", max_length=0), "`max_length` is 0"),
        (lambda: aligners.fit(TEXT, model="ibm1", max_length=70_000), "from 1 to 65,536"),
        (lambda: aligners.fit(TEXT.clear(), model="ibm1"), "a bitext of 0 rows"),
        (lambda: aligners.align(TEXT.clear(), model="ibm1"), "a bitext of 0 rows"),
        (lambda: aligners.fit(TEXT, model="ibm1", max_length=1), "3 with more than 1 words"),
        (lambda: aligners.fit(TEXT.drop("tgt"), model="ibm1"), "expected the column tgt"),
        (
            lambda: aligners.align(TEXT, model="ibm1", symmetrize="both"),
            "unknown `symmetrize` 'both'",
        ),
        (lambda: aligners.align(TEXT, model="ibm1", threshold=1.0), "`threshold` is 1.0"),
        (lambda: aligners.fit(TEXT, model="ibm1").align(TEXT, threshold=-1), "`threshold` is -1"),
        (
            lambda: aligners.fit(
                TEXT, model="ibm1", prior=aligners.fit(TEXT, model="ibm1", reverse=True)
            ),
            "a reverse model as prior of a forward one",
        ),
        (
            lambda: aligners.align(TEXT, model="ibm1", prior=aligners.fit(TEXT, model="ibm1")),
            "expected a forward and a reverse model",
        ),
        (lambda: aligners.fit(TEXT, model="ibm1", prior=TEXT), "a column src of type"),
        (
            lambda: aligners.fit(TEXT, model="ibm1", prior=TEXT.select("src")),
            "expected the column tgt",
        ),
        (
            lambda: aligners.fit(TEXT, model="ibm1", prior=lexicon_of(-1.0)),
            "a value p that is below 0",
        ),
        (lambda: aligners.fit(TEXT, model="ibm1", prior=lexicon_of("x")), "a column p of type"),
        (
            lambda: aligners.fit(TEXT, model="ibm1", prior=lexicon_of(1.0), strength=0),
            "`strength` is 0",
        ),
        (lambda: aligners.fit(TEXT, model="ibm1", prior=3), "an object of type int"),
        (
            lambda: aligners.fit(TEXT, model="ibm1", threads="4"),
            "`threads` is '4'; expected a whole number",
        ),
        (lambda: aligners.align(TEXT, model="ibm1", threads="4"), "`threads` is '4'"),
        (lambda: aligners.fit(TEXT, model="ibm1").align(TEXT, threads="4"), "`threads` is '4'"),
        (
            lambda: aligners.fit(TEXT, model="ibm1", seed="x"),
            "`seed` is 'x'; expected a whole number",
        ),
        (lambda: aligners.align(TEXT, model="hmm", seed=1.5), "`seed` is 1.5"),
        (lambda: aligners.fit(TEXT, model="ibm1", seed=-1), "`seed` is -1"),
        (lambda: aligners.load("/nowhere/at/all"), "no such folder"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(InputError, match=re.escape(message)):
        call()


def test_an_option_of_no_model_is_refused():
    with pytest.raises(TypeError, match=r"aligners.fit\(\) has no parameter 'paired'"):
        aligners.fit(TEXT, model="hmm", paired=1)


def lexicon_of(p):
    return pl.DataFrame({"src": ["the"], "tgt": ["das"], "p": [p]})


def _rewrite(**changes):
    def change(folder):
        about = json.loads((folder / "model.json").read_text())
        (folder / "model.json").write_text(json.dumps({**about, **changes}))

    return change


def _replace(name, **columns):
    def change(folder):
        about = json.loads((folder / "model.json").read_text())
        notes = {"alignframe.model": about["mark"]}
        pq.write_table(pa.table(columns, metadata=notes), folder / f"{name}.parquet")

    return change


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda folder: (folder / "model.json").unlink(), "holds no model.json"),
        (lambda folder: (folder / "model.json").write_text("{"), "cannot be read"),
        (lambda folder: (folder / "model.json").write_text("[]"), "not describe"),
        (lambda folder: (folder / "model.json").write_bytes(b"\xff"), "cannot be read"),
        (_rewrite(version=99), "a model of the version 99"),
        (_rewrite(kind="ibm9"), "unknown model 'ibm9'"),
        (_rewrite(reverse="no"), "reverse is 'no'"),
        (_rewrite(max_length=None), "max_length is None"),
        (_rewrite(tables=["translations"]), "without the table"),
        (lambda folder: (folder / "jumps.parquet").unlink(), "file of the model is missing"),
        (lambda folder: (folder / "jumps.parquet").write_bytes(b"PAR1"), "is damaged"),
        (lambda folder: _cut(folder / "translations.parquet"), "is damaged"),
        (_replace("src_words", other=["a"]), "a vocabulary without its words"),
        (_replace("src_words", word=[1]), "a vocabulary without its words"),
        (_replace("translations", src=["a"], tgt=["b"]), "without numbers p"),
        (_replace("translations", src=["a"], p=[0.5]), "expected a column tgt"),
        (_replace("translations", src=[1], tgt=["b"], p=[0.5]), "a column src of type"),
        (_replace("translations", src=["a"], tgt=["b"], p=[-0.5]), "a value p below 0"),
        (_replace("jumps", width=[1]), "lack a column"),
        (_replace("jumps", **{"class": [0, 0], "weight": [0.5, 0.5]}), "do not fit together"),
        (_replace("jumps", **{"class": ["a"], "weight": [0.5]}), "lack a column of numbers"),
        (_replace("jumps", **{"class": [0], "weight": [-0.5]}), "do not fit together"),
        (_replace("classes", **{"class": [0, 0]}), "do not fit together"),
        (_replace("chain", smoothing=[np.nan], p0=[0.1]), "do not fit together"),
    ],
)
def test_damaged_models(damage, message, tmp_path):
    source = tmp_path / "model"
    aligners.fit(TEXT, model="hmm").save(source)
    damage(source)
    with pytest.raises(InputError, match=message):
        aligners.load(source)


def _cut(file):
    file.write_bytes(file.read_bytes()[:-20])


def test_a_folder_that_cannot_be_created(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made"):
        aligners.fit(TEXT, model="ibm1").save(tmp_path / "file" / "model")


def test_a_moved_model(tmp_path):
    aligners.fit(TEXT, model="hmm").save(tmp_path / "one")
    shutil.move(tmp_path / "one", tmp_path / "two")
    assert aligners.load(tmp_path / "two").kind == "hmm"


def test_a_text_with_duplicate_sentences_is_refused():
    text = {"sid": [4, 2, 4], "src": ["a", "b", "a b"], "tgt": ["x", "y", "x y"]}
    model = aligners.fit({**text, "sid": [4, 2, 0]}, model="ibm1", iterations=1)
    assert model.align({**text, "sid": [4, 2, 0]})["sid"].to_list() == [4, 2, 0]
    for refused in (model.align, aligners.fit):
        with pytest.raises(InputError, match="the text has sentence 4 more than once"):
            refused(text)


@pytest.mark.parametrize("name", ["translations", "src_words", "jumps"])
def test_a_table_of_another_model_is_refused(name, tmp_path):
    other = {**TEXT.to_dict(as_series=False), "src": [["q", "r"]] * TEXT.height}
    for folder, text in (("mine", TEXT), ("other", other)):
        aligners.fit(text, model="hmm").save(tmp_path / folder)
    shutil.copy(tmp_path / "other" / f"{name}.parquet", tmp_path / "mine")
    with pytest.raises(InputError, match=rf"{name}\.parquet: a table of another model"):
        aligners.load(tmp_path / "mine")


def test_a_model_saved_before_tables_were_marked_is_read(tmp_path):
    model = aligners.fit(TEXT, model="hmm")
    model.save(tmp_path)
    about = json.loads((tmp_path / "model.json").read_text())
    del about["mark"]
    (tmp_path / "model.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(about).encode())
    for path in tmp_path.glob("*.parquet"):
        pq.write_table(pq.read_table(path).replace_schema_metadata(None), path)
    assert aligners.load(tmp_path).align(TEXT).equals(model.align(TEXT))


def test_a_model_does_not_record_where_it_was_trained(tmp_path):
    model = aligners.fit(TEXT, checkpoints=str(tmp_path / "runs"), memory_limit="1GB", samplers=1)
    model.save(tmp_path / "model")
    told = json.loads((tmp_path / "model" / "model.json").read_text())
    assert told["options"] == {"seed": 1, "samplers": 1}
    assert str(tmp_path) not in json.dumps(told)


@pytest.mark.parametrize(
    ("model", "options", "found"),
    [
        ("bayes", {"agreement": True}, "`agreement` is True; expected a"),
        ("bayes", {"sweeps": (1, True, 1)}, "`sweeps` is True; expected a"),
        ("bayes", {"samplers": True}, "`samplers` is True; expected a"),
        ("hmm", {"iterations": False}, "`iterations` is False; expected a whole"),
        ("hmm", {"p0": True}, "`p0` is True; expected a"),
        ("hmm", {"together": 1}, "`together` is 1; expected True or False"),
    ],
)
def test_true_is_not_a_number(model, options, found):
    for call in (aligners.fit, aligners.align):
        with pytest.raises(InputError, match=found):
            call(TEXT, model=model, **options)


def test_a_memory_limit_far_too_low_for_the_text_is_refused():
    words = ["a"] * 150
    text = {"src": [words] * 3, "tgt": [words] * 3}
    with pytest.raises(InputError, match=r"1KB for a text of 450 words, with .* MB in use; .*MB"):
        aligners.fit(text, memory_limit="1KB")


@pytest.mark.parametrize("reverse", [False, True])
def test_a_prior_of_other_languages_causes_a_warning(en_fr, reverse, recwarn):
    turned = en_fr.rename_columns(["sid", "tgt", "src"])
    options = {"model": "ibm1", "reverse": reverse, "iterations": 1}
    prior = aligners.fit(turned, **options)
    recwarn.clear()
    aligners.fit(en_fr, prior=aligners.fit(en_fr, **options), **options)
    assert not recwarn.list
    with pytest.warns(DataWarning, match="the prior model does not know most words of src and tgt"):
        aligners.fit(en_fr, prior=prior, **options)


def test_the_side_that_a_prior_does_not_know_is_named(en_fr):
    other = en_fr.set_column(1, "src", en_fr["tgt"])
    for reverse in (False, True):
        options = {"model": "ibm1", "reverse": reverse, "iterations": 1}
        with pytest.warns(DataWarning, match="most words of src; is it"):
            aligners.fit(en_fr, prior=aligners.fit(other, **options), **options)


def test_a_lexicon_without_a_pair_of_the_text_causes_a_warning(recwarn):
    aligners.fit(TEXT, model="ibm1", prior=lexicon_of(1.0))
    assert not recwarn.list
    turned = lexicon_of(1.0).rename({"src": "tgt", "tgt": "src"})
    with pytest.warns(DataWarning, match="no sentence pair of the text has a word pair of the"):
        aligners.align(TEXT, model="ibm1", prior=turned)


def test_keywords_are_the_fields_of_options():
    own = {"seed", "max_length", "prior", "words", "strength", "threads", "progress"}
    names = own.union(*map(names_of, aligners.OPTIONS.values()))
    assert FitOptions.__annotations__.keys() == names
    assert own == {*names_of(aligners.Training)} - {"model", "given", "options"}
    assert [*SearchOptions.__annotations__] == names_of(Search)

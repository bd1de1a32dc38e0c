"""Saved models: what they are, merging them, and priors of eflomal."""

import json

import numpy as np
import polars as pl
import pytest
from helpers.cli import json_of, run

from alignframe import aligners
from alignframe.errors import InputError
from alignframe.kernels.aligners.gibbs import MAX_FERTILITY, MAX_JUMP

FIRST = (
    ["the house", "the book", "a book", "a green book"] * 3,
    ["das Haus", "das Buch", "ein Buch", "ein grünes Buch"] * 3,
)
SECOND = (
    ["the tree", "a tree", "the house is the tree", "a bird"] * 3,
    ["der Baum", "ein Baum", "das Haus ist der Baum", "ein Vogel"] * 3,
)
NAMES = ("forward", "reverse")


def trained(text, **options):
    return [aligners.fit(*text, reverse=reverse, **options) for reverse in (False, True)]


def save(models, folder):
    for model in models:
        model.save(folder / NAMES[model.reverse])
    return folder


@pytest.fixture(scope="module")
def parts():
    return trained(FIRST), trained(SECOND)


def counts_of(model):
    """Return the counts of a model by words, NULL being None."""
    own = model.parameters
    src, tgt = [None, *model.turned[0].to_pylist()], model.turned[1].to_pylist()
    links = {}
    for row, word in enumerate(src):
        for cell in range(own.pairs.starts[row], own.pairs.starts[row + 1]):
            if own.pairs.values[cell] > 0:
                links[word, tgt[own.pairs.targets[cell]]] = float(own.pairs.values[cell])
    fertilities = {
        (word, k): float(own.fertilities[row, k])
        for row, word in enumerate(src[1:])
        for k in range(MAX_FERTILITY + 1)
    }
    return links, dict(zip(src, own.totals.tolist(), strict=False)), fertilities


def added(counts):
    keys = {key for some in counts for key in some}
    return {key: sum(some.get(key, 0.0) for some in counts) for key in keys}


@pytest.mark.parametrize("reverse", [False, True])
def test_merged_counts_are_sums(parts, reverse):
    models = [part[reverse] for part in parts]
    merged = aligners.merge(models)
    words = ["a", "bird", "book", "green", "house", "is", "the", "tree"]
    assert merged.vocabularies[0].to_pylist() == words
    for found, *given in zip(counts_of(merged), *map(counts_of, models), strict=True):
        assert found == pytest.approx(added(given))
    jumps = sum(model.parameters.jumps for model in models)
    assert np.array_equal(merged.parameters.jumps, jumps)
    assert (merged.pairs, merged.reverse) == (24, reverse)


def test_merged_models_know_both_texts(parts, tmp_path):
    folders = [save(part, tmp_path / name) for part, name in zip(parts, "ab", strict=True)]
    run("model", "merge", *folders, "-o", tmp_path / "both")
    found = aligners.Aligner(tmp_path / "both")
    described = aligners.describe(tmp_path / "both").models
    assert described["pairs"].to_list() == [sum(part[0].pairs for part in parts)] * 2
    # Steps of several trainings have no number or likelihood of the whole.
    assert described.select("iterations", "log_likelihood").null_count().row(0) == (2, 2)
    assert found.links("the green tree", "der grünes Baum") == [(0, 0), (1, 1), (2, 2)]
    lost = run("model", "merge", *folders, "-o", tmp_path / "x" / ".." / "a", code=2).stderr
    assert "a: one of the models to merge, which would be lost" in lost
    again = aligners.load(tmp_path / "both" / "reverse")
    merged = aligners.merge([part[1] for part in parts])
    for loaded, made in zip(counts_of(again), counts_of(merged), strict=True):
        assert loaded == pytest.approx(made, abs=1e-4)


def test_what_cannot_be_merged(parts, tmp_path):
    forward, reverse = parts[0]
    with pytest.raises(InputError, match="two or more"):
        aligners.merge([forward])
    with pytest.raises(InputError, match="differ in direction: forward in model 1, and rev"):
        aligners.merge([forward, reverse])
    with pytest.raises(InputError, match=r"differ in null: 0\.2 in model 1, and 0\.3 in"):
        aligners.merge([forward, aligners.fit(*FIRST, null=0.3)])
    other = aligners.fit(*FIRST, model="hmm")
    with pytest.raises(InputError, match=r"^model 2: a model of the kind hmm; expected bayes"):
        aligners.merge([forward, other])
    raw = aligners.fit(FIRST[0], FIRST[1], words="characters")
    with pytest.raises(InputError, match=r"how they split src .*spaces in model 1, and characters"):
        aligners.merge([forward, raw])
    both = save(parts[0], tmp_path / "both")
    again = run("model", "merge", both, both, "-o", tmp_path / "out", code=2).stderr
    assert f"{both} and {both} are the same model; expected models of different parts" in again
    other.save(tmp_path / "hmm" / "forward")
    aligners.fit(*FIRST, model="hmm", reverse=True).save(tmp_path / "hmm" / "reverse")
    said = run("model", "merge", both, "hmm", "-o", "out", code=2, folder=tmp_path).stderr
    assert said.startswith("error: hmm: a model of the kind hmm; expected bayes")
    forward.save(tmp_path / "one")
    said = run("model", "merge", both, tmp_path / "one", "-o", tmp_path / "out", code=2).stderr
    assert "one: holds models of the directions forward; expected forward, reverse" in said
    assert not (tmp_path / "out").exists()


def test_no_part_is_counted_twice(parts, tmp_path):
    one, two = (
        save(part, tmp_path / name) for part, name in zip(parts, ("one", "two"), strict=True)
    )
    third = save(trained((["a cat"], ["eine Katze"])), tmp_path / "third")
    both, others = tmp_path / "both", tmp_path / "others"
    run("model", "merge", one, two, "-o", both)
    run("model", "merge", third, two, "-o", others)
    for folders, found in (
        ((both, two), f"{two} is already part of {both}; expected models of different parts"),
        ((one, third, both), f"{one} is already part of {both}"),
        ((both, others), f"{both} and {others} have 1 part in common"),
    ):
        said = run("model", "merge", *folders, "-o", tmp_path / "out", code=2).stderr
        assert found in said
        assert not (tmp_path / "out").exists()
    # Models in memory are known again, saved or merged.
    with pytest.raises(InputError, match="model 1 is already part of model 2"):
        aligners.merge([parts[0][0], aligners.load(both / "forward")])
    with pytest.raises(InputError, match="model 1 and model 2 are the same model"):
        aligners.merge(
            [aligners.merge([parts[k][1] for k in (1, 0)]), aligners.load(both / "reverse")]
        )
    run("model", "merge", both, third, "-o", tmp_path / "all")
    own = [
        json.loads((tmp_path / name / "forward" / "model.json").read_text())
        for name in ("all", "both")
    ]
    assert [len(about["parts"]) for about in own] == [3, 2]


def test_a_prior_model_is_not_counted_twice(parts, tmp_path):
    one = parts[0]
    later = [
        aligners.fit(*SECOND, reverse=reverse, prior=one[reverse]) for reverse in (False, True)
    ]
    # What the second text says of "the house" comes on top of what the first one does.
    totals = [counts_of(model)[1]["house"] for model in (one[0], later[0])]
    assert totals[1] > totals[0]
    first, second = save(one, tmp_path / "first"), save(later, tmp_path / "second")
    said = run("model", "merge", first, second, "-o", tmp_path / "out", code=2).stderr
    assert f"{first} is already part of {second}; expected models of different parts" in said
    assert not (tmp_path / "out").exists()
    third = aligners.fit(["a cat"] * 3, ["eine Katze"] * 3, prior=one[0])
    with pytest.raises(InputError, match=r"have 1 part in common.*train only one with a prior"):
        aligners.merge([later[0], third])
    # It was trained once, and has one course.
    assert aligners.describe(second).models["iterations"].null_count() == 0
    assert aligners.merge([later[0], aligners.fit(["a cat"], ["eine Katze"])]).pairs == 13


def test_commands_of_models_print_json(parts, tmp_path):
    one, two = (save(part, tmp_path / name) for part, name in zip(parts, "ab", strict=True))
    both, priors = str(tmp_path / "both"), str(tmp_path / "priors")
    merged = json_of(run("model", "merge", one, two, "-o", both, "--json").stdout)
    assert merged == {"output": both, "models": 2, "src_words": 8, "tgt_words": 9, "pairs": 24}
    written = json_of(run("model", "priors", both, "-o", priors, "--json").stdout)
    with open(priors) as file:
        assert written == {"output": priors, "lines": len(file.readlines())}
    shown = json_of(run("model", "show", both, "--word", "bird", "--json").stdout)
    described = aligners.describe(both, word="bird")
    assert shown == {name: table.to_dicts() for name, table in described.tables().items()}


def test_merged_models_without_a_record_are_merged(parts, tmp_path):
    merged = aligners.merge([part[0] for part in parts])
    merged.save(tmp_path)
    about = json.loads((tmp_path / "model.json").read_text())
    old = {name: value for name, value in about.items() if name != "parts"}
    (tmp_path / "model.json").write_text(json.dumps(old))
    again = aligners.load(tmp_path)
    assert again.parts == ()
    assert aligners.merge([again, parts[0][0]]).pairs == 36
    with pytest.raises(InputError, match="are the same model"):
        aligners.merge([again, aligners.load(tmp_path)])
    (tmp_path / "model.json").write_text(json.dumps(old | {"parts": "ab"}))
    with pytest.raises(InputError, match="parts is 'ab'; expected digests"):
        aligners.load(tmp_path)


def test_a_model_is_described(parts, tmp_path):
    folder = save(parts[0], tmp_path / "model")
    found = aligners.describe(folder, word="house", n_best=2)
    assert found.models["direction"].to_list() == ["forward", "reverse"]
    row = found.models.row(0, named=True)
    assert (row["kind"], row["pairs"], row["src_words"], row["tgt_words"]) == ("bayes", 12, 5, 5)
    assert row["log_likelihood"] == parts[0][0].history[-1]["log_likelihood"]
    assert row["bytes"] == sum(f.stat().st_size for f in (folder / "forward").iterdir())
    assert found.translations["direction"].unique().to_list() == ["forward"]
    table = pl.read_parquet(folder / "forward" / "translations.parquet")
    best = table.filter(pl.col("src").cast(str) == "house").sort("p", descending=True)
    assert found.translations["translation"].to_list() == best["tgt"].cast(str).to_list()[:2]
    assert found.translations["p"].to_list() == best["p"].to_list()[:2]
    (only,) = aligners.describe(folder, word="Haus").translations["direction"].unique()
    assert only == "reverse"
    with pytest.raises(InputError, match=r"no model knows the word 'HOUSE'.*did you mean 'house'"):
        aligners.describe(folder, word="HOUSE")
    with pytest.raises(InputError, match="no forward model"):
        aligners.describe(tmp_path)


def test_a_model_is_shown(parts, tmp_path):
    folder = save(parts[0], tmp_path / "model")
    said = run("model", "show", folder, "--word", "house").stdout
    assert "Translations of house (forward)" in said
    assert "Haus" in said
    tables = json.loads(run("model", "show", folder / "reverse", "--json").stdout)["tables"]
    assert [row["direction"] for row in tables["models"]] == ["reverse"]
    options = {"samplers": 1, "stems": 0.5, "spelling": 0.25, "sweeps": [3, 2, 4]}
    several = [aligners.fit(*FIRST, reverse=back, **options) for back in (False, True)]
    said = run("model", "show", save(several, tmp_path / "several")).stdout
    assert max(map(len, said.splitlines())) <= 80
    lines = [line.split() for line in said.splitlines()]
    assert ["samplers=1"] * 2 in lines
    assert "sweeps=[3, 2, 4]".split() * 2 in lines


def test_models_saved_earlier_lack_the_number_of_pairs(parts, tmp_path):
    parts[0][0].save(tmp_path / "model")
    about = json.loads((tmp_path / "model" / "model.json").read_text())
    assert about.pop("pairs") == 12
    (tmp_path / "model" / "model.json").write_text(json.dumps(about))
    assert aligners.describe(tmp_path / "model").models["pairs"].to_list() == [None]
    (tmp_path / "model" / "model.json").write_text(json.dumps(about | {"pairs": "12"}))
    with pytest.raises(InputError, match="pairs is '12'"):
        aligners.load(tmp_path / "model")


def test_priors_come_back(parts, tmp_path):
    path = tmp_path / "priors"
    lines = aligners.write_priors(parts[0], path)
    assert len(path.read_text().splitlines()) == lines
    again = aligners.read_priors(path)
    links = [counts_of(model)[0] for model in parts[0]]
    turned = {(b, a): n for (a, b), n in links[1].items()}
    both = {pair: n / (1 if None in pair else 2) for pair, n in added([links[0], turned]).items()}
    expected = {pair: n for pair, n in both.items() if n >= 0.01}
    found = counts_of(again[0])[0]
    back = {(b, a): n for (a, b), n in counts_of(again[1])[0].items()}
    assert found | back == pytest.approx(expected, rel=1e-5)
    for old, new in zip(parts[0], again, strict=True):
        assert new.parameters.jumps == pytest.approx(old.parameters.jumps, rel=1e-5)
        assert counts_of(new)[2] == pytest.approx(counts_of(old)[2], rel=1e-5, abs=0.01)


def test_priors_that_eflomal_could_have_written(tmp_path):
    path = tmp_path / "priors"
    path.write_text(
        "LEX\tboat\tbateau\t6\nLEX\tboat\tnavire\t2\nLEX\tboat\tbateau\t1\nLEX\t<NULL>\tle\t4\n"
        "LEX\tdoes\t<NULL>\t3\nFERF\tboat\t12\t2\nFERR\tbateau\t1\t5\nHMMF\t-200\t7\nHMMR\t1\t9\n"
    )
    forward, reverse = aligners.read_priors(path)
    links, totals, fertilities = counts_of(forward)
    assert links == {("boat", "bateau"): 7, ("boat", "navire"): 2, (None, "le"): 4}
    assert totals == {None: 4, "boat": 9, "does": 0}
    assert fertilities["boat", MAX_FERTILITY] == 2
    assert forward.parameters.jumps[0] == forward.parameters.jumps.sum() == 7
    links, _, fertilities = counts_of(reverse)
    assert links == {("bateau", "boat"): 7, ("navire", "boat"): 2, (None, "does"): 3}
    assert fertilities["bateau", 1] == 5
    assert reverse.parameters.jumps[MAX_JUMP + 1] == reverse.parameters.jumps.sum() == 9


@pytest.mark.parametrize(
    "line",
    [
        "LEX\tboat\t3",
        "LEX\tboat\tbateau\t3\tx",
        "HMMF\t1\t2\t3",
        "HMMF\tx\t3",
        "FERF\tboat\t-1\t3",
        "LEX\ta\tb\tnan",
        "boat",
    ],
)
def test_lines_that_are_no_priors(tmp_path, line):
    if line.count("\t") > 1:  # at the beginning, too, where it says what the file is
        (tmp_path / "prior").write_text(f"{line}\n")
        (tmp_path / "both").write_text("a boat ||| un bateau\n")
        said = run(*"align both -o o.talp --prior prior".split(), folder=tmp_path, code=2).stderr
        assert "prior: line 1 is " in said
    (tmp_path / "priors").write_text(f"LEX\tboat\tbateau\t6\n{line}\n")
    with pytest.raises(InputError, match=r"priors.*line 2"):
        aligners.read_priors(tmp_path / "priors")


@pytest.mark.parametrize(
    ("red", "boat", "links"), [("rouge", "bateau", "0-1 1-0"), ("bateau", "rouge", "0-0 1-1")]
)
def test_priors_guide_training(tmp_path, red, boat, links):
    (tmp_path / "src").write_text("red boat\n" * 10)
    (tmp_path / "tgt").write_text("bateau rouge\n" * 10)
    (tmp_path / "priors").write_text(f"LEX\tred\t{red}\t50\nLEX\tboat\t{boat}\t50\n")
    run("align", "src", "tgt", "-o", "out.talp", "--prior", "priors", folder=tmp_path)
    assert (tmp_path / "out.talp").read_text().splitlines() == [links] * 10


def test_priors_of_one_direction(tmp_path):
    (tmp_path / "src").write_text("red boat\n" * 10)
    (tmp_path / "tgt").write_text("bateau rouge\n" * 10)
    (tmp_path / "priors").write_text("LEX\tred\tbateau\t50\nLEX\tboat\trouge\t50\n")
    given = ["align", "src", "tgt", "-o", "out.talp", "--prior", "priors"]
    run(*given, "--direction", "reverse", folder=tmp_path)
    assert (tmp_path / "out.talp").read_text().splitlines() == ["0-0 1-1"] * 10
    # With a strength, and for other models, they are a lexicon.
    run(*given, "--strength", 5, folder=tmp_path)
    run(*given, "--model", "hmm", folder=tmp_path)


def test_what_has_no_priors(parts, tmp_path):
    folder = save(trained(FIRST, model="ibm1"), tmp_path / "model")
    said = run("model", "priors", folder, "-o", tmp_path / "out", code=2).stderr
    assert f"error: {folder}: a model of the kind ibm1; expected bayes" in said
    with pytest.raises(InputError, match="a forward and a reverse model"):
        aligners.write_priors(parts[0][:1], tmp_path / "out")
    raw = trained((["The house, he said."] * 3, ["La maison, dit-il."] * 3), words="unicode")
    with pytest.raises(InputError, match=r"models that split raw text.*what alignframe words wr"):
        aligners.write_priors(raw, tmp_path / "out")
    raw = trained((["The house, he said."] * 3, ["La maison, dit-il."] * 3), model="hmm")
    with pytest.raises(InputError, match="of the kind hmm; expected bayes"):
        aligners.write_priors(raw, tmp_path / "out")


@pytest.mark.parametrize(("model", "prior"), [("hmm", "bayes"), ("bayes", "ibm1")])
def test_a_prior_of_another_kind_is_named(tmp_path, model, prior):
    (tmp_path / "src").write_text("red boat\n" * 10)
    (tmp_path / "tgt").write_text("bateau rouge\n" * 10)
    save(trained(FIRST, model=prior), tmp_path / "prior")
    given = ["align", "src", "tgt", "-o", "out.talp", "--model", model, "--prior", "prior"]
    said = run(*given, code=2, folder=tmp_path).stderr
    assert said.startswith(f"error: prior: a prior model of the kind {prior}; expected ")

"""Sentences chosen for annotation, and AER estimated from them."""

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import json_of, run

from alignframe import aligners, formats, links
from alignframe.errors import DataWarning, InputError
from alignframe.links import sampling
from alignframe.links.inputs import hypotheses


@pytest.fixture(scope="module")
def hyp(bundled):
    return {name: f"{bundled}/{name}.talp" for name in ("eager", "cautious", "forward")}


def slow_disagreement(systems, sid):
    own = [
        {(one["i"], one["j"]) for one in formats.read(path)["links"][sid].as_py()}
        for path in systems.values()
    ]
    pairs = [(a, b) for k, a in enumerate(own) for b in own[:k]]
    return sum(len(a) + len(b) for a, b in pairs) / 3, sum(len(a ^ b) for a, b in pairs) / 3


def test_chosen_sentences_stand_for_all(hyp):
    chosen = links.choose(hyp, n=24).frame
    assert chosen["sid"].is_unique().all()
    every = [slow_disagreement(hyp, sid) for sid in range(72)]
    for row in chosen.iter_rows(named=True):
        expected = pytest.approx(every[row["sid"]])
        assert (row["links"], row["disagreement"]) == expected
    # Weighted sums of what is known of all sentences are those of all.
    weight = chosen["weight"]
    assert weight.sum() == pytest.approx(72)
    for at, name in enumerate(("links", "disagreement")):
        assert (weight * chosen[name]).sum() == pytest.approx(sum(one[at] for one in every))
    assert chosen.unique("stratum")["of"].sum() == 72
    assert (chosen.group_by("stratum").len()["len"] >= 2).all()
    assert links.choose(hyp, n=24).frame.equals(chosen)
    assert not links.choose(hyp, n=24, seed=2).frame.equals(chosen)


def test_allocation_is_optimal():
    """It is compared with all allocations of a small example."""
    of, sums = np.array([40, 14, 2]), np.array([10.0, 30.0, 1.0])

    def variance(several):
        return sum(s**2 / k for s, k in zip(sums, several, strict=True))

    for n in (10, 18, 30):
        every = [(a, n - 2 - a, 2) for a in range(2, n - 3) if n - 2 - a <= 14]
        assert tuple(sampling.allocated(of, sums, n)) == min(every, key=variance)


def test_estimates_are_unbiased_and_intervals_hold(bundled, hyp):
    """Over many draws; a single draw says nothing of it."""
    counts = links.score(hyp, bundled / "gold.talp").counts.sort("system", "sid")
    every = sampling._disagreement(hypotheses(hyp))
    size, apart = (every[name].to_numpy() for name in ("links", "disagreement"))
    predicted = sampling.residuals(size, apart)
    own = counts.filter(system="eager")
    errors = (own["n_hyp"] - own["n_hyp_possible"] + own["n_sure"] - own["n_hyp_sure"]).to_numpy()
    total = (own["n_hyp"] + own["n_sure"]).to_numpy()
    truth, found, held, plain = errors.sum() / total.sum(), [], 0, []
    for seed in range(80):
        sample = sampling.drawn(size, apart, predicted, 24, seed)
        frame = pl.DataFrame(
            {"stratum": sample.stratum, "of": sample.of, "weight": sample.weight}
        ).with_columns(links=size[sample.rows], disagreement=apart[sample.rows])
        value, low, high = sampling.ratio(errors[sample.rows], total[sample.rows], frame, 0.95)
        found.append(value)
        held += low <= truth <= high
        rows = np.random.default_rng(seed).choice(72, 24, replace=False)
        plain.append(errors[rows].sum() / total[rows].sum())
    spread = np.std(found)
    assert abs(np.mean(found) - truth) < 0.3 * spread
    assert held / 80 > 0.85
    assert spread < np.std(plain)


@pytest.mark.parametrize("precision", [0.99, 0.95, 0.9])
@pytest.mark.parametrize("n", [10, 20, 50])
def test_intervals_hold_near_one(precision, n):
    """Wrong links come together, the more the systems disagree; residuals alone hold in 64%."""
    rng = np.random.default_rng(7)
    size = rng.integers(4, 32, 450).astype(float)
    apart = np.round(size * rng.beta(2, 6, size.size))
    predicted = sampling.residuals(size, apart)
    mean = (1 - precision) * (0.5 + 0.5 * apart / size / (apart.sum() / size.sum()))
    held = 0
    for seed in range(200):
        wrong = rng.binomial(size.astype(int), rng.beta(mean * 11.5, (1 - mean) * 11.5))
        sample = sampling.drawn(size, apart, predicted, n, seed)
        frame = pl.DataFrame(
            {"stratum": sample.stratum, "of": sample.of, "weight": sample.weight}
        ).with_columns(links=size[sample.rows], disagreement=apart[sample.rows])
        right = (size - wrong)[sample.rows]
        value, low, high = sampling.ratio(right, size[sample.rows], frame, 0.95)
        assert 0 <= low <= value <= high <= 1
        held += low <= 1 - wrong.sum() / size.sum() <= high
    assert held / 200 > 0.9


def saved_sentences(errors, total, size, apart, n, draws=300):
    """Return by how many sentences fewer are as good as ``n`` at random, as a share of these."""
    predicted = sampling.residuals(size, apart)
    truth, units = errors.sum(axis=1) / total.sum(axis=1), size.size
    squares = np.zeros((2, len(errors)))
    for seed in range(draws):
        sample = sampling.drawn(size, apart, predicted, n, seed)
        rows = np.random.default_rng([seed, 1]).choice(units, n, replace=False)
        for at, (own, weight) in enumerate(((sample.rows, sample.weight), (rows, np.ones(n)))):
            value = (errors[:, own] @ weight) / (total[:, own] @ weight)
            squares[at] += (value - truth) ** 2
    # At random, the variance is proportional to 1 / n - 1 / units.
    as_good = 1 / (squares[0] / squares[1] * (1 / n - 1 / units) + 1 / units)
    return 1 - n / as_good


@pytest.mark.parametrize("pair", ["enfr", "zhen"])
def test_a_third_fewer_sentences_are_enough(corpora, pair, tmp_path):
    """On average over systems, for the same variance of AER; best systems gain less."""
    home = corpora / "gold-roen-jaen-zhen"
    lines = (home / f"{pair}.src-tgt").read_text("utf-8").splitlines()
    hyp = {"neural": str(home / f"{pair}.awesome-align.out")}
    if pair == "enfr":
        lilt = corpora / "hansards-outputs" / "lilt" / "giza"
        hyp |= {name: str(lilt / f"test.enfr.{name}.talp") for name in ("union", "intersection")}
        hyp["giza"] = str(lilt / "test.enfr.grow-diagonal-final.talp")
    else:
        sides = [[line.split(" ||| ")[side] for line in lines] for side in (0, 1)]
        aligned = aligners.align(*sides, model="hmm")
        formats.write(getattr(aligned, "links", aligned), tmp_path / "hmm.parquet")
        hyp["hmm"] = str(tmp_path / "hmm.parquet")
    gold = formats.read(home / f"{pair}.gold", base=1)
    counts = links.score(hyp, gold).counts.sort("system", "sid")
    every = sampling._disagreement(hypotheses(hyp))
    wrong = pl.col("n_hyp") - pl.col("n_hyp_possible") + pl.col("n_sure") - pl.col("n_hyp_sure")
    counts = counts.with_columns(wrong=wrong, total=pl.col("n_hyp") + pl.col("n_sure"))
    errors, total = (
        counts[name].to_numpy().reshape(len(hyp), -1).astype(float) for name in ("wrong", "total")
    )
    size, apart = (every[name].to_numpy() for name in ("links", "disagreement"))
    saved = saved_sentences(errors, total, size, apart, 50)
    assert saved.mean() > 1 / 3, saved
    assert saved.min() > 0.1, saved


def test_bad_input_is_refused(bundled, hyp, tmp_path):
    with pytest.raises(InputError, match="links of one system; expected two or more"):
        links.choose(bundled / "eager.talp", n=10)
    with pytest.raises(InputError, match="`n=72` of 72 sentences; expected fewer than 72"):
        links.choose(hyp, n=72)
    short = formats.read(bundled / "eager.talp").slice(0, 60)
    with pytest.raises(InputError, match=r"different sentences \(short 60, cautious 72\)"):
        links.choose({"short": short, "cautious": hyp["cautious"]}, n=10)
    with pytest.raises(InputError, match="a pilot of 3 sentences; expected 10 or more"):
        links.choose(hyp, n=10, pilot=formats.read(bundled / "gold.talp").slice(0, 3))
    gold = bundled / "gold.talp"
    pilot = links.choose(hyp, n=10, pilot=links.subset(gold, sids=range(30)))
    chosen = links.choose(hyp, n=10)
    assert pilot.metadata["expected"] != chosen.metadata["expected"]
    # Gold of the chosen sentences alone is enough.
    rows = formats.read(gold).filter(pa.array(np.isin(range(72), chosen["sid"].to_list())))
    assert links.estimate(hyp, rows, chosen)["aer"].equals(links.estimate(hyp, gold, chosen)["aer"])
    with pytest.raises(InputError, match="without the column weight"):
        links.estimate(hyp, gold, chosen.frame.drop("weight"))
    with pytest.raises(InputError, match="a table with other values"):
        links.estimate(hyp, gold, pl.concat([chosen.frame, chosen.frame]))
    with pytest.raises(InputError, match="sentence"):
        links.estimate(hyp, formats.read(gold).slice(0, 5), chosen)
    blank = tmp_path / "blank.talp"
    blank.write_text("\n" * 71 + "0-0\n")
    with pytest.warns(DataWarning, match="gold has no link in 1?[09] chosen sentences"):
        links.estimate(hyp, blank, chosen)


def test_the_shell_chooses_and_estimates(bundled, hyp, tmp_path):
    words = [f"--hyp={path}" for path in hyp.values()]
    for name in ("chosen.tsv", "chosen.parquet"):
        done = run("links", "choose", *words, "--n", 20, "-o", tmp_path / name)
        assert (
            "20 sentences; the 95% interval of AER is expected to be about +/- 0.0" in done.stderr
        )
        told = ["links", "estimate", tmp_path / name, *words, "--gold", bundled / "gold.talp"]
        found = json_of(run(*told, "--json").stdout)
        expected = links.estimate(hyp, bundled / "gold.talp", links.choose(hyp, n=20))
        assert [one["aer"] for one in found] == pytest.approx(expected["aer"].to_list())
    pilot = ["--pilot", bundled / "gold.talp"]
    said = run("links", "choose", *words, "--n", 20, *pilot).stderr
    assert "20 sentences" in said
    # A page lists the chosen sentences alone.
    subset = links.subset(bundled / "gold.talp", sids=tmp_path / "chosen.tsv")
    assert subset.sids.size == 20

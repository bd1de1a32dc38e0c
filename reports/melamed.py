"""The study of Melamed 1995 on English-French captions and manuals.

``python reports/melamed.py [CORPORA] [--figures]`` writes ``reports/melamed/``: for each text a
page, the means as Parquet and, optionally, the figures as PNG; see ``study.py``. The cascades with
parts of speech need ``pip install textblob textblob-fr``.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import polars as pl
from melamed_texts import Text, debian_docs, multi30k, tagger, up_to
from study import Run, Statements, verdict

from alignframe import lexicon
from alignframe.cli.progress import ProgressExecutor
from alignframe.cli.show import print_table
from alignframe.lexicon import TAG_SETS, Alignment, Cognate, PartOfSpeech, Prefix, WordList
from alignframe.lexicon.corpus import Reading
from alignframe.lexicon.merge import FIRST
from alignframe.lexicon.pairs import Pairs
from alignframe.lexicon.study import SIZES, training_sets
from alignframe.sources.pairs import sentence_pairs
from alignframe.typing import IntoLexicon

SHORT = 15
"""Maximum number of words of a sentence in the paper's text."""
PAPERS_BEST = "mrbd+cognate+alignment"
SCANNED = (500, 5_000)
"""The sizes at which cognate cut-offs are tried."""
COMMON = 50
CUTOFFS = (0.4, 0.45, 0.5, 0.55, 0.58, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)


def cascades(mrbd: WordList, tags: bool) -> dict[str, list[Any]]:
    """Return the cascades of filters by name."""
    one = {"cognate": Cognate(0.58), "mrbd": mrbd, "alignment": Alignment(), "pos": PartOfSpeech()}
    names = ["cognate", "mrbd", "mrbd+cognate", "mrbd+alignment", "cognate+alignment", PAPERS_BEST]
    if tags:
        names += ["pos", "pos+cognate", "pos+mrbd", "pos+mrbd+cognate", f"pos+{PAPERS_BEST}"]
    made = {name: [one[part] for part in name.split("+")] for name in names}
    return {"none": [], "prefix": [Prefix(4)], **made}


def shares(train: pl.DataFrame, mrbd: WordList) -> dict[str, float]:
    """Return the share of source tokens that oracles pair with a word of their sentence pair."""
    reading = Reading(sentence_pairs(train.select("src", "tgt")))
    corpus = reading.corpus(list(reading.batches()))
    lists = [oracle.known(Pairs(corpus, "types")) for oracle in (Cognate(0.58), mrbd)]
    known = [[set(one.targets[a:b]) for a, b in pairwise(one.starts)] for one in lists]
    src, tgt = corpus.src, corpus.tgt
    hits = [0, 0, 0]
    for (low, high), ends in zip(pairwise(src.at), pairwise(tgt.at), strict=True):
        other = set(tgt.words[slice(*ends)])
        for word in src.words[low:high]:
            found = [not targets[word].isdisjoint(other) for targets in known]
            hits = [a + b for a, b in zip(hits, (*found, any(found)), strict=True)]
    names = ("cognate", "dictionary", "either")
    return {name: float(n / src.at[-1]) for name, n in zip(names, hits, strict=True)}


def first_set(text: Text, size: int) -> pl.DataFrame:
    """Return the first training set of a size."""
    return text.train.filter(training_sets(text.train.height, size, 10, 1) == 1)


def against_prefix(text: Text, sizes: list[int]) -> pl.DataFrame:
    """Compare the lexicons of cognates and of equal prefixes word by word, on one set per size."""
    rows = []
    for size in sizes:
        part = first_set(text, size)
        made = {
            name: lexicon.induce(part, n_best=1, filters=[name])
            for name in ("cognate:0.58", "prefix:4")
        }
        found = lexicon.score(made, text.test, 1).compare()
        rows.append(found.select(pl.lit(size).alias("size"), "difference", "p_value"))
    return pl.concat(rows)


def easy_hits(text: Text, chosen: Mapping[str, list[Any]], size: int) -> pl.DataFrame:
    """Return how much the lexicons of one training set owe to common French words.

    The columns are words (of the test text that the lexicon has), entries (per word), common (the
    share of entries that are among the 50 most common words), p_1 and p_5 (precision at k = 1 and
    5), rare_1 and rare_5 (percent correct without the common entries).
    """
    common = text.train["tgt"].explode().value_counts(sort=True)["tgt"][:COMMON]
    words = pl.DataFrame({"src": text.test["src"].explode().unique()})
    same = pl.DataFrame({"tgt": common[:5], "rank": range(1, 6)})
    lexicons = {"the 5 most common words": words.join(same, how="cross")}
    for name, filters in chosen.items():
        made = lexicon.induce(first_set(text, size), filters=filters).frame
        lexicons[name] = made.select("src", "tgt", "rank")
    rows = []
    for name, made in lexicons.items():
        rare = made.filter(~pl.col("tgt").is_in(common.implode()))
        rare = rare.with_columns(pl.col("rank").rank("ordinal").over("src").cast(pl.Int32))
        found = lexicon.score(made, text.test).scores
        correct = lexicon.score(rare, text.test).scores["percent_correct"] if rare.height else [0.0]
        row = {
            "lexicon": name,
            "words": found["covered_types"][0],
            "entries": made.height / made["src"].n_unique(),
            "common": 1 - rare.height / made.height,
            "p_1": found["precision"][0],
            "p_5": found["precision"][-1],
            "rare_1": correct[0],
            "rare_5": correct[-1],
        }
        rows.append(row)
    return pl.DataFrame(rows)


def merging(text: Text, mrbd: WordList, sizes: list[int]) -> pl.DataFrame:
    """Return percent correct of an induced lexicon, of the dictionary, and of both merged.

    The columns are size, k, induced, dictionary, and one for each order of merging.
    """
    rows = []
    for size in sizes:
        made = lexicon.induce(first_set(text, size), filters=[mrbd])
        judged: dict[str, IntoLexicon] = {
            "induced": made,
            "dictionary": lexicon.as_lexicon(mrbd),
        }
        judged |= {f"{first} first": lexicon.merge(made, mrbd, first=first) for first in FIRST}
        found = lexicon.score(judged, text.test).scores.filter(pl.col("k").is_in([1, 5]))
        wide = found.pivot("lexicon", index="k", values="percent_correct")
        rows.append(wide.select(pl.lit(size).alias("size"), "k", *judged))
    return pl.concat(rows)


def findings(
    study: lexicon.Study, scan: lexicon.Study, tests: pl.DataFrame, share: dict[str, float]
) -> Statements:
    """Return the paper's claims, whether each holds in each case, and the figures."""
    summary = study.summary.filter(pl.col("cascade") != "back-off")
    means: dict[tuple[str, int, int], float] = {
        (name, size, k): value
        for name, size, k, value in summary.select("cascade", "size", "k", "precision").iter_rows()
    }
    names = list(dict.fromkeys(name for name, _, _ in means))
    sizes = list(dict.fromkeys(size for _, size, _ in means))
    gains = {
        (row["cascade"], row["size"], row["k"]): row
        for row in study.findings.filter(measure="precision").iter_rows(named=True)
    }
    joined = study.findings.filter(cascade="back-off", measure="percent_correct", k=1)

    def gain(name: str, size: int, k: int = 1) -> float:
        return means[name, size, k] - means["none", size, k]

    def best(size: int, k: int) -> str:
        return max(names, key=lambda name: means[name, size, k])

    def lead(size: int, k: int, other: str) -> str:
        winner = best(size, k)
        more = means[winner, size, k] - means[other, size, k]
        return f"{size:,} {winner}" + (f" (by {more:.3f})" if more else "")

    small, large = min(sizes), max(sizes)
    oracles = [(name, k) for name in ("cognate", "prefix", "mrbd") for k in (1, 5)]
    plain = [name for name in names if name != "none" and not name.startswith("pos")]
    apart = {key: gains[key[0], small, key[1]]["apart"] for key in oracles}
    overlap = {key: "" if value else " (overlap)" for key, value in apart.items()}
    relative = {size: gain(best(size, 1), size) / means["none", size, 1] for size in sizes}
    precise = scan.summary.filter(pl.col("cascade") != "back-off", pl.col("k") == 1)
    peaks = {
        size: precise.filter(size=size).sort("precision", descending=True).row(0, named=True)
        for size in SCANNED
    }
    at_papers = dict(precise.filter(cascade="0.58").select("size", "precision").iter_rows())
    found: dict[str, tuple[Sequence[bool], str]] = {
        "each oracle raises precision with little text, with disjoint intervals": (
            [gain(name, small, k) > 0 and apart[name, k] for name, k in oracles],
            f"{small} pairs: "
            + ", ".join(
                f"{name} k = {k} {gain(name, small, k):+.3f}{overlap[name, k]}"
                for name, k in oracles
            ),
        ),
        "with much text, all cascades but those with POS still raise it (k = 1)": (
            [gain(name, large) > 0 for name in plain],
            f"{large:,} pairs: " + ", ".join(f"{name} {gain(name, large):+.4f}" for name in plain),
        ),
        f"{PAPERS_BEST} is the best cascade for k = 1": (
            [best(size, 1) == PAPERS_BEST for size in sizes],
            ", ".join(lead(size, 1, PAPERS_BEST) for size in sizes),
        ),
        "cognates alone are the best cascade for k = 3 and more": (
            [best(size, k) == "cognate" for size in sizes for k in (3, 4, 5)],
            "; ".join(
                f"k = {k}: " + ", ".join(lead(size, k, "cognate") for size in sizes) for k in (3, 5)
            ),
        ),
        "the dictionary's gain shrinks with more text (k = 1)": (
            [gain("mrbd", a) > gain("mrbd", b) for a, b in pairwise(sizes)],
            ", ".join(f"{size:,} {gain('mrbd', size):+.3f}" for size in sizes),
        ),
        "the best cascade more than doubles precision (the paper: +137%)": (
            [value > 1 for value in relative.values()],
            ", ".join(f"{size:,} {value:+.0%}" for size, value in relative.items()),
        ),
        "back-off raises percent correct by more than 35%": (
            (joined["relative_gain"] > 0.35).to_list(),
            ", ".join(
                f"{size:,} {value:+.1%}"
                for size, value in joined.select("size", "relative_gain").iter_rows()
            ),
        ),
        "more tokens have a dictionary translation (47%) than a cognate (23%); 63% have either": (
            [share["dictionary"] > share["cognate"]],
            ", ".join(f"{name} {value:.1%}" for name, value in share.items()),
        ),
        "cognates at 0.58 do better than equal prefixes, p < 0.01 (k = 1)": (
            [more > 0 and p_value < 0.01 for _, more, p_value in tests.iter_rows()],
            ", ".join(f"{size:,} {more:+.4f} (p {p:.2g})" for size, more, p in tests.iter_rows()),
        ),
        "the best cognate cut-off is 0.58 (k = 1)": (
            [row["cascade"] == "0.58" for row in peaks.values()],
            ", ".join(
                f"{size:,} {row['cascade']} ({row['precision']:.4f}, 0.58 {at_papers[size]:.4f})"
                for size, row in peaks.items()
            ),
        ),
    }
    if "pos" in names:
        found["POS helps with little text and hurts with much (k = 1)"] = (
            [gain("pos", small) > 0, gain("pos", large) < 0],
            ", ".join(f"{size:,} {gain('pos', size):+.3f}" for size in sizes),
        )
    return found


def say_by_text(found: Mapping[str, Statements]) -> None:
    """Print the paper's claims, and whether they hold on each text."""
    for statement in next(iter(found.values())):
        print(f"\n{statement}")
        for name, statements in found.items():
            cases, figures = statements[statement]
            print(f"  {name:17} {verdict(cases)}: {figures}")


def bound(folder: Path) -> str:
    """Return how many words several English translations of one text share."""
    paths = sorted(folder.glob("ref.*"))
    found = pl.concat(lexicon.upper_bound(*pair) for pair in combinations(paths, 2))
    means = found.filter(direction="mean")
    shares = means["mean"].to_numpy()
    return (
        f"Upper bound: {len(paths)} translations of {means['segments'][0]} segments of news "
        f"(not one of the texts above) share {shares.mean():.2f} of their words "
        f"({shares.min():.2f} to {shares.max():.2f} by pair of translations); "
        "the paper: 0.62 by paragraph, 0.57 by sentence"
    )


def studied(
    run: Run,
    name: str,
    text: Text,
    chosen: Mapping[str, list[Any]],
    sizes: Sequence[int],
    **options: Any,
) -> lexicon.Study:
    """Return the study of some cascades, whose lexicons are kept in a folder of this name."""
    with ProgressExecutor(os.cpu_count() or 1, name) as executor:
        return lexicon.study(
            *text, chosen, sizes=sizes, folder=run.out / name, threads=executor, **options
        )


def show(summary: pl.DataFrame, measure: str, k: int, title: str) -> None:
    """Print means by cascade and size."""
    wide = summary.filter(k=k).pivot("size", index="cascade", values=measure)
    print_table(wide.drop_nulls().to_dicts(), title=title)


def main() -> None:
    """Run the study on each text."""
    run = Run.of("melamed", ("multi30k", "debian-docs", "muse-dict", "zmert"))
    folder = run.corpora
    mrbd, tagged = WordList(folder / "muse-dict" / "en-fr.dict"), tagger()
    if tagged is None:
        print("Left out: cascades with parts of speech (pip install textblob textblob-fr)")
    chosen = cascades(mrbd, tagged is not None)
    texts = {
        "multi30k": multi30k(folder / "multi30k"),
        "debian-docs": debian_docs(folder / "debian-docs"),
    }
    texts |= {
        f"{name}-short": Text(*(up_to(part, SHORT) for part in text))
        for name, text in texts.items()
    }
    found = {}
    for name, given in texts.items():
        text = Text(*map(tagged, given)) if tagged else given
        sizes = [size for size in SIZES if size <= text.train.height]
        study = studied(run, name, text, chosen, sizes)
        several = {f"{one:g}": [Cognate(one)] for one in CUTOFFS}
        scan = studied(run, f"{name}, cut-offs", text, several, SCANNED, n_best=1)
        found[name] = findings(study, scan, against_prefix(text, sizes), shares(text.train, mrbd))
        run.save(**{name: study.summary})
        run.page(study.page(title=f"Cascades of filters on {name}"), name)
        alone, cutoffs = (
            one.summary.filter(pl.col("cascade") != "back-off") for one in (study, scan)
        )
        print(f"\n{name}: {text.train.height:,} training and {text.test.height:,} test pairs\n")
        show(alone, "precision", 1, "Precision, k = 1")
        show(alone, "precision", 5, "Precision, k = 5")
        show(study.summary, "percent_correct", 1, "Percent correct, k = 1")
        show(cutoffs, "precision", 1, "Precision by cognate cut-off, k = 1")
        if tagged:
            sets = {"none": [], **{one: [PartOfSpeech(one)] for one in TAG_SETS}}
            tried = studied(run, f"{name}, tag sets", text, sets, sizes, n_best=1)
            show(tried.summary, "precision", 1, "Precision by tag set, k = 1")
        both = merging(text, mrbd, sizes)
        print_table(both.to_dicts(), title="Percent correct, merged with the dictionary")
        changed = study.changed.drop("size").to_dicts()
        print_table(changed, title=f"Words changed by cascades, {sizes[-1]:,} pairs")
        easy = easy_hits(text, chosen, sizes[0])
        print_table(easy.to_dicts(), title=f"Easy hits, a training set of {sizes[0]} pairs")
    say_by_text(found)
    print(f"\n{bound(folder / 'zmert' / 'zmert_ex_orig')}")
    run.done("multi30k")


if __name__ == "__main__":
    main()

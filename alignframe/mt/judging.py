"""Evaluating word alignments by translation (Fraser & Marcu 2007)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe import functions
from alignframe.choices import ORDERS, RESAMPLES, TUNED
from alignframe.errors import InputError, check_keywords, number_of, unknown, warn
from alignframe.executors import pool_of
from alignframe.language.choices import OPTIONS
from alignframe.links import counts
from alignframe.links.inputs import hypotheses, marks_of, to_score
from alignframe.links.studied import Studied
from alignframe.mt.decoding import translate
from alignframe.mt.digests import link_digests, text_digest
from alignframe.mt.judged import (
    COUNTED,
    NO_COUNTS,
    SCHEMA,
    MtStudy,
    correlations_of,
    finish,
    keep_scores,
    known_scores,
)
from alignframe.mt.objective import Objective
from alignframe.mt.scoring import scores
from alignframe.mt.system import language_model
from alignframe.mt.table import train
from alignframe.mt.texts import references
from alignframe.mt.tuning import Tuned, tune
from alignframe.mt.weights import IntoWeights, weights_of, write_weights
from alignframe.options.mt import Search
from alignframe.output import replacing
from alignframe.phrases.extract import sentences_once
from alignframe.read.pairs import sentence_pairs
from alignframe.read.texts import word_array
from alignframe.signatures import whole_signature, within
from alignframe.stats.bootstrap import Resampling
from alignframe.subsets import mark_of
from alignframe.tesla.estimate import Estimate
from alignframe.tesla.language_model import LanguageModel
from alignframe.tesla.scorer import Scorer, scorer_of
from alignframe.typing import (
    FilePath,
    IntoBitext,
    IntoGold,
    IntoLinks,
    IntoSentences,
    Threads,
)

if TYPE_CHECKING:
    from alignframe.language.analysis import AnalysisOptions

ENOUGH = 2_400
"""The minimum number of test sentences for distinguishing similar systems."""


def study(
    alignments: Mapping[str, IntoLinks],
    bitext: IntoBitext,
    lm: LanguageModel | Estimate | FilePath,
    *,
    test: tuple[IntoSentences, Any],
    dev: tuple[IntoSentences, Any] | None = None,
    gold: IntoGold | Studied | None = None,
    order: str = "src-tgt",
    weights: IntoWeights = None,
    tuned: str = "once",
    tune_on: str | None = None,
    tesla: Scorer | str | None = None,
    reordering: bool = False,
    pop: int = 100,
    distortion: int = 6,
    options: int = 20,
    rounds: int = 10,
    restarts: int = 20,
    bootstrap: int = RESAMPLES,
    confidence: float = 0.95,
    seed: int = 1,
    folder: str | PathLike[str] | None = None,
    threads: Threads = None,
    progress: Callable[[str, int, float], object] | None = None,
    **analysis: Unpack[AnalysisOptions],
) -> MtStudy:
    """Build a translation system from each alignment of a text, and score its translations.

    Parameters
    ----------
    alignments
        Links of the text by system name; for a study of alignments of varying quality,
        ``alignframe.links.read_study(folder).alignments``.
    bitext
        The training text, without sentences of the development and test sets, which are left out.
    lm
        Language model of the target side, shared by all systems, as ``lm`` writes it (ARPA). In
        Python, also a model.
    test, dev
        The source and the reference of each set.
    gold
        Gold links of some sentences of the text, for correlating alignment measures with the
        scores; or the study of the alignments, which has counts of its own gold text.
    order
        The side that comes first in links, including gold: with ``tgt-src``, translation is in the
        opposite direction to alignment.
    weights
        Weights of the features, initial or fixed: a file, as ``mt tune`` writes it (in Python, also
        by name); by default the initial ones of Moses.
    tuned
        ``once``: weights are tuned on one system; ``each``: on each; ``none``: uses the weights
        given, and needs no development set.
    tune_on
        Alignment to tune on once; the first by default.
    tesla
        Score by TESLA too: ``m``, with the text analysis of ``analysis``, or a scorer.
    reordering, rounds, restarts
        See ``mt.tuning.tune``.
    pop, distortion, options, threads
        See ``mt.decoding.translate``.
    bootstrap
        Number of resamples for intervals, of scores over test sentences and of correlations; 0 for
        none.
    confidence, seed
        The confidence level of the intervals, and the random seed of tuning and of intervals.
    folder
        Folder for the results, from which an interrupted study resumes.
    progress
        Called after each system with its name, its number, and its BLEU.
    **analysis
        Parameters of ``language.Analysis.of``; by default, words are split at spaces.

    Raises
    ------
    InputError
        If an option is invalid, links do not fit the text, or the folder belongs to another study;
        also see ``train``, ``tune`` and ``translate``.

    Warns
    -----
    DataWarning
        If the test set has fewer than ``ENOUGH`` sentences; also see ``train``.

    Notes
    -----
    Fraser & Marcu 2007, section 2. All scores split words at spaces.

    Examples
    --------
    >>> from alignframe import mt, tesla
    >>> text = ["the boat", "a boat", "the bar"], ["le bateau", "un bateau", "le bar"]
    >>> lm = tesla.estimate_language_model("datasets/en-fr/text.fr", 2)
    >>> test = ["a bar"], ["un bar"]
    >>> alignments = {"full": ["0-0 1-1"] * 3, "half": ["0-0"] * 3}
    >>> found = mt.study(alignments, text, lm, test=test, tuned="none", bootstrap=0)
    >>> found.scores.select("system", "pairs", "unknown_words").rows()
    [('full', 2, 0), ('half', 2, 1)]
    """
    check_keywords(study, analysis, OPTIONS)
    _check(alignments, tuned, tune_on, dev, order)
    if isinstance(tesla, str):
        analysis.setdefault("tokens", "spaces")
        tesla = scorer_of(tesla, **analysis)
    elif analysis:
        raise InputError(f"`{min(analysis)}` without `tesla='m'`", expected="both")
    model = language_model(lm)
    executor = pool_of(threads)
    sides = {"the development set": dev, "the test set": test}
    sets = {name: _set(name, *given) for name, given in sides.items() if given is not None}
    texts = [source for source, _ in sets.values()]
    if len(texts[-1]) < ENOUGH:
        warn(
            f"the test set has {number_of(len(texts[-1]), 'sentence')}; below {ENOUGH:,}, "
            "similar systems cannot be told apart"
        )
    search = Search(pop, distortion, options)
    drawn = Resampling(bootstrap, confidence, seed)
    chosen = weights_of(weights)
    table = sentence_pairs(bitext).table()
    digests = link_digests(alignments, table, order, gold)
    first = tune_on or next(iter(alignments))
    objective = None if tesla is None else Objective(tesla, test[1])
    mark = whole_signature(
        f"metric:mt-study|tuned:{tuned}",
        f"tuned-on:{first}" if tuned == "once" else "",
        search.signature,
        f"reordering:{'yes' if reordering else 'no'}",
        f"rounds:{rounds}|restarts:{restarts}|seed:{seed}",
        f"weights:{','.join(map(str, chosen.values()))}",
        f"lm:{within(model.signature)}",
        f"tesla:{'no' if objective is None else within(objective.signature)}",
        f"text:{text_digest([table['src'], table['tgt']])}",
        *(f"{name.split()[1]}:{text_digest([one, *ref])}" for name, (one, ref) in sets.items()),
        drawn.signature if bootstrap else "",
    )
    place = None if folder is None else Path(folder)
    rows = _going_on(place, mark, digests)
    found: dict[str, float] | None = None
    given = {**asdict(search), "threads": executor}
    tuning = {**given, "reordering": reordering, "rounds": rounds}
    tuning |= {"restarts": restarts, "seed": seed}

    def weights_by(name: str, phrases: pl.DataFrame) -> Tuned:
        work = None if place is None else place / "rounds" / name
        best = tune(*dev, phrases, model, weights, work=work, **tuning)  # type: ignore[misc,arg-type]
        if place is not None:
            write_weights(best.to_weights(), place / "weights" / f"{name}.toml", best.signature)
            shutil.rmtree(place / "rounds" / name, ignore_errors=True)
        return best

    def phrases_of(name: str) -> pl.DataFrame:
        return train(_linked(name, alignments[name], order), table, only=texts, leave_out=True)

    if place is not None:
        for name in ("weights", "translations"):
            (place / name).mkdir(parents=True, exist_ok=True)
    of_first, dev_of_first = None, None
    if tuned == "once" and not set(alignments) <= {row["system"] for row in rows}:
        kept = None if place is None else place / "weights" / f"{first}.toml"
        known = next((row for row in rows if row["system"] == first), None)
        if kept is not None and known is not None and kept.exists():
            found = weights_of(kept)
        else:
            of_first = phrases_of(first)
            best = weights_by(first, of_first)
            found, dev_of_first = best.to_weights(), best.score
    for number, name in enumerate(alignments):
        if any(row["system"] == name for row in rows):
            continue
        phrases = of_first if name == first and of_first is not None else phrases_of(name)
        score = dev_of_first if name == first else None
        if tuned == "each":
            best = weights_by(name, phrases)
            found, score = best.to_weights(), best.score
        done = translate(texts[-1], phrases, model, found or chosen, **given)
        if place is not None:
            with replacing(place / "translations" / f"{name}.txt") as out:
                out.writelines(f"{line or ''}\n".encode() for line in done["text"])
        row: dict[str, Any] = {"system": name, "group": _group(gold, name), "links": digests[name]}
        row |= {"pairs": phrases.height, "dev_score": score}
        rows.append(row | _scored(done, test[1], objective, drawn))
        keep_scores(place, rows, mark)
        if progress is not None:
            progress(name, number, rows[-1]["bleu"])
    made = pl.DataFrame(
        [row for name in alignments for row in rows if row["system"] == name], schema=SCHEMA
    )
    counted, subset = _counted(alignments, gold, made)
    drawing: dict[str, Any] = {"bootstrap": bootstrap, "confidence": confidence, "seed": seed}
    correlated = correlations_of(made, counted, subset=subset, **drawing)
    result = MtStudy(made, correlated, counted, mark, subset)
    finish(place, result)
    return result


def _check(
    alignments: Mapping[str, Any], tuned: str, tune_on: str | None, dev: Any, order: str
) -> None:
    """Refuse impossible combinations of options."""
    if tuned not in TUNED:
        raise unknown("`tuned`", tuned, TUNED)
    if order not in ORDERS:
        raise unknown("`order`", order, ORDERS)
    if not alignments:
        raise InputError("no alignments", expected="at least one")
    for name in alignments:
        if not name or "/" in name or name in (".", ".."):
            raise InputError(f"an alignment called {name!r}", expected="a valid file name")
    if tuned != "none" and dev is None:
        raise InputError("no development set", expected="`dev`, or `tuned='none'`")
    if tune_on is not None and tuned != "once":
        raise InputError(f"`tune_on` is {tune_on!r}", expected="it with `tuned='once'` only")
    if tune_on is not None and tune_on not in alignments:
        raise unknown("alignment in `tune_on`", tune_on, alignments)


def _set(name: str, src: Any, ref: Any) -> tuple[pa.Array, list[pa.Array]]:
    """Return the sentences of a set and their references."""
    sentences, (_, refs) = word_array(src, name), references(ref)
    if len(sentences) != len(refs[0]):
        raise InputError(
            f"{name} has {number_of(len(sentences), 'sentence')} and "
            f"{number_of(len(refs[0]), 'reference')}",
            expected="the same number of both",
        )
    return sentences, refs


def _linked(name: str, links: Any, order: str) -> Any:
    """Return named links with the source side first."""
    if order == "src-tgt":
        return {name: links}
    batches = [batch for batch, _ in sentences_once(hypotheses({name: links}))]
    table = pa.Table.from_batches(batches).combine_chunks()
    at = table.schema.get_field_index("links")
    return table.set_column(at, "links", functions.invert_links(table["links"].combine_chunks()))


def _going_on(place: Path | None, mark: str, digests: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the rows of finished systems, and claim the folder."""
    rows = known_scores(place, mark)
    for row in rows:
        if digests.get(row["system"], row["links"]) != row["links"]:
            raise InputError(
                f"a score of different links, also named {row['system']!r}",
                path=place,
                expected="the same alignments as before",
                todo="rename these, or use another folder",
            )
    if place is not None:
        (place / COUNTED).unlink(missing_ok=True)  # unfinished until rewritten
        keep_scores(place, rows, mark)
    return rows


def _group(gold: Any, name: str) -> str | None:
    """Return the symmetrization method of a system, if known."""
    if not isinstance(gold, Studied):
        return None
    return str(gold.groups.filter(system=name)["group"][0])


def _scored(
    done: pl.DataFrame, ref: Any, objective: Objective | None, drawn: Resampling
) -> dict[str, Any]:
    """Return the scores and statistics of translations."""
    how = {"bootstrap": drawn.resamples, "confidence": drawn.confidence, "seed": drawn.seed}
    found = scores(done.select("sid", "text"), ref, tokenize="none", **how).row(0, named=True)  # type: ignore[arg-type]
    words = sum(len((text or "").split()) for text in references(ref)[1][0].to_pylist())
    tesla = None
    if objective is not None:
        rows = np.arange(done.height)
        tesla = float(objective.score(objective.count(rows, done["text"]).sum(axis=0)))
    return {
        **{name: found[name] for name in found if name in SCHEMA and name != "system"},
        "tesla": tesla,
        "unknown_words": int(done["unknown_words"].sum()),
        "length_ratio": float(-done["word_penalty"].sum() / max(words, 1)),
    }


def _counted(
    alignments: Mapping[str, Any], gold: Any, made: pl.DataFrame
) -> tuple[pl.DataFrame, str]:
    """Return counts of gold sentences, and the signature of the subset of gold."""
    if gold is None:
        return NO_COUNTS, ""
    if isinstance(gold, Studied):
        own = gold.counts.filter(pl.col("system").is_in(made["system"].implode()))
        return own, mark_of(gold.subset)
    sources, golden = to_score(alignments, gold)
    return counts(sources, golden), marks_of(sources, golden)

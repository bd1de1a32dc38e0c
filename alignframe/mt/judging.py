"""Evaluating word alignments by translation (Fraser & Marcu 2007)."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, fields
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe import functions
from alignframe.core.output import file_name, make_folder, replacing
from alignframe.core.parallel import pool_of
from alignframe.core.signatures import whole_signature, within
from alignframe.core.tokens import list_lengths
from alignframe.errors import InputError, check_keywords, check_known, number_of, warn
from alignframe.language.choices import OPTIONS
from alignframe.links.inputs import hypotheses, marks_of, to_score
from alignframe.links.scoring import LINKS
from alignframe.links.studied import Studied
from alignframe.links.text import Text
from alignframe.mt.decoding import translate
from alignframe.mt.judged import COUNTED, NO_COUNTS, SCHEMA, MtStudy, correlations_of
from alignframe.mt.objective import Objective
from alignframe.mt.scoring import score
from alignframe.mt.system import language_model
from alignframe.mt.table import train
from alignframe.mt.texts import references
from alignframe.mt.tuning import tune
from alignframe.mt.weights import IntoWeights, weights_of, write_weights
from alignframe.options.mt import Judging, Search
from alignframe.phrases.extract import sentences_once
from alignframe.sources.pairs import sentence_pairs
from alignframe.sources.texts import word_array
from alignframe.stats.bootstrap import Resampling
from alignframe.stats.subsets import signature_part
from alignframe.studies.runner import Runner, digest
from alignframe.tesla.estimate import Estimate
from alignframe.tesla.language_model import LanguageModel
from alignframe.tesla.scorer import Scorer, scorer_of
from alignframe.typing import (
    Arguments,
    FilePath,
    IntoBitext,
    IntoGold,
    IntoLinks,
    IntoSentences,
    Row,
    Threads,
)

ENOUGH = 2_400
"""The minimum number of test sentences for distinguishing similar systems."""


def study(
    links: Mapping[str, IntoLinks],
    bitext: IntoBitext,
    lm: LanguageModel | Estimate | FilePath,
    *,
    test: tuple[IntoSentences, Any],
    dev: tuple[IntoSentences, Any] | None = None,
    gold: IntoGold | Studied | None = None,
    weights: IntoWeights = None,
    tesla: Scorer | str | None = None,
    folder: FilePath | None = None,
    threads: Threads = None,
    progress: Callable[[str, int, float], object] | None = None,
    **options: Any,
) -> MtStudy:
    """Build a translation system from each alignment of a text, and score its translations.

    Parameters
    ----------
    links
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
    weights
        Weights of the features, initial or fixed: a file, as ``mt tune`` writes it (in Python, also
        by name); by default the initial ones of Moses.
    tesla
        Score by TESLA too: ``m``, with a text analysis from the options, or a scorer.
    folder
        Folder for the results, from which an interrupted study resumes.
    threads
        See ``mt.decoding.translate``.
    progress
        Called after each system with its name, its number, and its BLEU.
    **options
        Fields of ``language.Analysis.of``, ``options.mt.Search`` and ``options.mt.Judging``: those
        of TESLA's analysis, by which words are split at spaces unless ``tokens`` says otherwise;
        pop, distortion and options of the search; order, tuned, tune_on, reordering, rounds,
        restarts, bootstrap, confidence and seed.

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
    >>> links = {"full": ["0-0 1-1"] * 3, "half": ["0-0"] * 3}
    >>> found = mt.study(links, text, lm, test=test, tuned="none", bootstrap=0)
    >>> found.scores.select("system", "pairs", "unknown_words").rows()
    [('full', 2, 0), ('half', 2, 1)]
    """
    own = [option.name for part in (Judging, Search) for option in fields(part)]
    check_keywords(study, options, [*own, *OPTIONS])
    how, search = Judging.taken(options), Search.taken(options)
    _check(links, how, dev)
    if isinstance(tesla, str):
        options.setdefault("tokens", "spaces")
        tesla = scorer_of(tesla, **options)
    elif options:
        raise InputError(f"`{min(options)}` needs `tesla`", todo="it is an option of TESLA-M")
    model = language_model(lm)
    sides = {"the development set": dev, "the test set": test}
    sets = {name: _set(name, *given) for name, given in sides.items() if given is not None}
    texts = [source for source, _ in sets.values()]
    if len(texts[-1]) < ENOUGH:
        warn(
            f"the test set has {number_of(len(texts[-1]), 'sentence')}; below {ENOUGH:,}, "
            "similar systems cannot be told apart"
        )
    drawn = Resampling(how.bootstrap, how.confidence, how.seed)
    chosen = weights_of(weights)
    table = sentence_pairs(bitext).table()
    digests = _digests(links, table, how.order, gold)
    first = how.tune_on or next(iter(links))
    objective = None if tesla is None else Objective(tesla, test[1])
    mark = whole_signature(
        f"metric:mt-study|tuned:{how.tuned}",
        f"tuned-on:{first}" if how.tuned == "once" else "",
        search.signature,
        f"reordering:{'yes' if how.reordering else 'no'}",
        how.signature,
        f"weights:{','.join(map(str, chosen.values()))}",
        f"lm:{within(model.signature)}",
        f"tesla:{'no' if objective is None else within(objective.signature)}",
        f"text:{digest([table['src'], table['tgt']])}",
        *(f"{name.split()[1]}:{digest([text, *ref])}" for name, (text, ref) in sets.items()),
        drawn.signature,
    )
    place = None if folder is None else Path(folder)
    runner = Runner(place, mark, {name: f"links:{digest}" for name, digest in digests.items()})
    known = runner.check(links)
    if place is not None:
        (place / COUNTED).unlink(missing_ok=True)  # unfinished until rewritten
        for name in ("weights", "translations"):
            make_folder(place / name)
    names_of_tuning = ("reordering", "rounds", "restarts", "seed")
    tuning: Arguments = {option: getattr(how, option) for option in names_of_tuning}
    to_tune, its_ref = dev or ([], [])
    given: Arguments = {**asdict(search), "threads": pool_of(threads)}

    # Phrase tables are large: only the last is kept.
    @lru_cache(1)
    def phrases_of(name: str) -> pl.DataFrame:
        linked = _linked(name, links[name], how.order)
        return train(linked, table, only=texts, leave_out=True)

    @cache
    def tuned_on(name: str) -> tuple[dict[str, float], float]:
        """Return the weights tuned on a system, and their score on the development set."""
        work = None if place is None else place / "rounds" / file_name(name)
        best = tune(
            to_tune, its_ref, phrases_of(name), model, weights, work=work, **given, **tuning
        )
        if place is not None and work is not None:
            kept = place / "weights" / file_name(name, ".toml")
            write_weights(best.to_weights(), kept, best.signature)
            shutil.rmtree(work, ignore_errors=True)
        return best.to_weights(), best.score

    def weights_for(name: str) -> tuple[dict[str, float], float | None]:
        if how.tuned == "none":
            return chosen, None
        if how.tuned == "each" or name == first:
            return tuned_on(name)
        kept = None if place is None else place / "weights" / file_name(first, ".toml")
        # A resumed study does not tune again.
        if first in known and kept is not None and kept.exists():
            return weights_of(kept), None
        return tuned_on(first)[0], None

    scored: dict[str, float] = {}

    def row(name: str) -> pl.DataFrame:
        """Return the scores of the system trained on an alignment."""
        its, dev_score = weights_for(name)
        phrases = phrases_of(name)
        done = translate(texts[-1], phrases, model, its, **given)
        if place is not None:
            with replacing(place / "translations" / file_name(name, ".txt")) as out:
                out.writelines(f"{line or ''}\n".encode() for line in done["text"])
        figures: Row = {
            "system": name,
            "group": _group(gold, name),
            "links": digests[name],
        }
        figures |= {"pairs": phrases.height, "dev_score": dev_score}
        figures |= _scored(done, test[1], objective, drawn)
        scored[name] = figures["bleu"]
        return pl.DataFrame([figures], schema=SCHEMA)

    names = list(links)

    def told(number: int, _: int) -> None:
        name = names[number - 1]
        if progress is not None and name in scored:
            progress(name, number - 1, scored[name])

    rows = runner.rows(row, {name: name for name in names}, progress=told)
    made = pl.concat(rows.values())
    counted, subset = _counted(links, gold, made)
    correlated = correlations_of(
        made,
        counted,
        subset=subset,
        **{name: getattr(how, name) for name in ("bootstrap", "confidence", "seed")},
    )
    result = MtStudy(made, correlated, counted, mark, subset)
    if place is not None:
        result.write(place)
    return result


def _digests(
    alignments: Mapping[str, object], table: pa.Table, order: str, gold: object
) -> dict[str, str]:
    """Return a digest of each alignment's links, after checking that they fit the text."""
    if isinstance(gold, Studied):
        for name in alignments:
            check_known("alignment, of the study with the gold links", name, gold.alignments)
        if gold.pairs != table.num_rows:
            raise InputError(
                f"the alignments have {gold.pairs:,} sentence pairs, but the text has "
                f"{table.num_rows:,}",
                expected="the text that was aligned, without the gold text",
            )
    # Links with the target side first are checked against the text turned.
    if order != "src-tgt":
        sides = {"src": "tgt", "tgt": "src"}
        table = table.rename_columns([sides.get(name, name) for name in table.column_names])
    text = Text(table)

    def columns(name: str) -> Iterator[Any]:
        called = f"the alignment {name!r}"
        for batch, _ in sentences_once(hypotheses(alignments[name]), text, called=called):
            links = batch.column("links")
            yield from (batch.column("sid").to_numpy(), list_lengths(links))
            yield from (links.flatten().field(side).to_numpy() for side in ("i", "j"))

    return {name: digest(columns(name)) for name in alignments}


def _check(alignments: Mapping[str, object], how: Judging, dev: object) -> None:
    """Refuse impossible combinations of options."""
    if not alignments:
        raise InputError("no alignments", expected="at least one")
    for name in alignments:
        if not name or "/" in name or name in (".", ".."):
            raise InputError(f"an alignment called {name!r}", expected="a valid file name")
    if how.tuned != "none" and dev is None:
        raise InputError("no development set", expected="`dev`, or `tuned='none'`")
    if how.tune_on is not None and how.tuned != "once":
        raise InputError(f"`tune_on` is {how.tune_on!r}", expected="`tuned='once'`")
    if how.tune_on is not None:
        check_known("alignment in `tune_on`", how.tune_on, alignments)


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


def _linked(name: str, links: object, order: str) -> Any:
    """Return named links with the source side first."""
    if order == "src-tgt":
        return {name: links}
    batches = [batch for batch, _ in sentences_once(hypotheses({name: links}))]
    table = pa.Table.from_batches(batches).combine_chunks()
    at = table.schema.get_field_index("links")
    return table.set_column(at, "links", functions.invert_links(table["links"].combine_chunks()))


def _group(gold: object, name: str) -> str | None:
    """Return the symmetrization method of a system, if known."""
    if not isinstance(gold, Studied):
        return None
    return str(gold.groups.filter(system=name)["group"][0])


def _scored(done: pl.DataFrame, ref: Any, objective: Objective | None, drawn: Resampling) -> Row:
    """Return the scores and statistics of translations."""
    how = {"bootstrap": drawn.resamples, "confidence": drawn.confidence, "seed": drawn.seed}
    # The decoder's words are those of the phrase table, tokenised already.
    made = done.select("sid", "text")
    figures = score(made, ref, tokenize="none", **how).scores.row(0, named=True)  # type: ignore[arg-type]
    words = sum(len((text or "").split()) for text in references(ref)[1][0].to_pylist())
    tesla = None
    if objective is not None:
        rows = np.arange(done.height)
        tesla = float(objective.score(objective.count(rows, done["text"]).sum(axis=0)))
    return {
        **{name: figures[name] for name in figures if name in SCHEMA and name != "system"},
        "tesla": tesla,
        "unknown_words": int(done["unknown_words"].sum()),
        # The word penalty is minus the number of words.
        "length_ratio": float(-done["word_penalty"].sum() / max(words, 1)),
    }


def _counted(
    alignments: Mapping[str, object], gold: object, made: pl.DataFrame
) -> tuple[pl.DataFrame, str]:
    """Return counts of gold sentences, and the signature of the subset of gold."""
    if gold is None:
        return NO_COUNTS, ""
    if isinstance(gold, Studied):
        own = gold.counts.filter(pl.col("system").is_in(made["system"].implode()))
        return own, signature_part(gold.subset)
    sources, golden = to_score(alignments, gold)
    return LINKS.counts(sources, golden), marks_of(sources, golden)

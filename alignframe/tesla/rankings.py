"""Human rankings of translations: wide WMT tables, or one row per translation."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from os import PathLike, fspath

import numpy as np
import polars as pl
import pyarrow as pa

from alignframe.core.arrow import to_table
from alignframe.core.schemas import RANKINGS, SIGNATURE
from alignframe.errors import InputError, check_known, few_of, guessed, in_file, number_of, warn
from alignframe.read.opening import table_suffix
from alignframe.read.tables import LINE, read_table, texts, whole_numbers
from alignframe.result import TableResult
from alignframe.tesla.meteor_ranks import read_meteor_ranks
from alignframe.tesla.ranking_signatures import (
    ROW,
    signature_in,
    signature_of_rankings,
    stored_pair,
)
from alignframe.typing import IntoFrame

_SLOT = re.compile(r"system(\d{1,9})(?:Id|Name)", re.IGNORECASE)


@dataclass(frozen=True)
class RankingFile:
    """Rankings as read: the table ``RANKINGS``, with details of selection."""

    table: pa.Table  # its metadata carries the ``signature``
    pair: str | None = None  # such as ``fr-en``; None if the file has none
    chosen: bool = False  # whether the pair was selected by its systems
    unranked: int = 0  # translations shown but not ranked

    @property
    def left_out(self) -> str:
        """The message about translations without a rank."""
        if self.unranked == 1:
            return "1 translation without a rank was left out"
        return f"{self.unranked:,} translations without a rank were left out"

    @property
    def counts(self) -> dict[str, int]:
        """The numbers of rankings, sentences, judges, systems and unranked translations."""
        names = {"rankings": "ranking", "sentences": "sid", "judges": "judge", "systems": "system"}
        frame = pl.DataFrame(pl.from_arrow(self.table))
        numbers = {name: frame[own].drop_nulls().n_unique() for name, own in names.items()}
        return {**numbers, "blanks": self.unranked}


def read_rankings(
    source: IntoFrame, pair: str | None = None, *, systems: Collection[str] | None = None
) -> TableResult:
    """Return human rankings with their language pair, as ``alignframe.core.schemas.RANKINGS``.

    Parameters
    ----------
    source
        A frame, or the path of a .csv, .tsv, .jsonl or .parquet file, optionally compressed. Either
        the wide table of the WMT workshops, one row per ranking: srclang, trglang, srcIndex (from
        1), optionally judgeId, and for each translation k systemKId and systemKrank, where -1 or
        null is no rank. Or one row per translation: ranking, sid (from 0), system, rank, and
        optionally judge, srclang and trglang. Or one row per preference: sid (from 0), better and
        worse. Or METEOR's .rank.
    pair
        The language pair, such as ``fr-en`` or ``French-English``. By default the file's only pair,
        or else the only pair whose systems are all among ``systems``.
    systems
        Names of the systems whose translations are available.

    Raises
    ------
    InputError
        If a row is damaged (gives file and line), there are several pairs and none is given, or the
        file has no ranking of the pair.

    Warns
    -----
    DataWarning
        With the number of translations without a rank, which are left out.

    Examples
    --------
    >>> import polars as pl
    >>> from alignframe import tesla
    >>> preferred = pl.DataFrame({"sid": [0, 1], "better": ["a", "b"], "worse": ["b", "a"]})
    >>> tesla.read_rankings(preferred).frame.select("ranking", "sid", "system", "rank").rows()
    [(0, 0, 'a', 1), (0, 0, 'b', 2), (1, 1, 'b', 1), (1, 1, 'a', 2)]
    """
    read = load_rankings(source, pair, systems=systems)
    path = fspath(source) if isinstance(source, (str, PathLike)) else ""
    if read.chosen:
        guessed(path or "rankings", pair=f"{read.pair}, whose systems match the scores")
    if read.unranked:
        warn(f"{path}: {read.left_out}" if path else read.left_out)
    return TableResult("rankings", read.table, signature_in(read.table))


def rankings_of(
    given: IntoFrame, systems: Collection[str] | None = None, pair: str | None = None
) -> pa.Table:
    """Return rankings from the table ``RANKINGS``, or those of a language pair from a path."""
    if isinstance(given, (str, PathLike)):
        return to_table(read_rankings(given, pair, systems=systems))
    if pair is not None:
        raise InputError("a language pair with a table of rankings", expected="a path with it")
    table = to_table(given)
    missing = [name for name in ROW if name not in table.schema.names]
    if missing:
        raise InputError(
            f"rankings with the columns {', '.join(table.schema.names[:8])}",
            expected=f"{', '.join(ROW)}",
            todo="read WMT's tables with read_rankings",
        )
    return table if signature_in(table) else to_table(read_rankings(table))


def load_rankings(
    source: IntoFrame, pair: str | None = None, *, systems: Collection[str] | None = None
) -> RankingFile:
    """Return the result of ``read_rankings`` with details of selection."""
    with in_file(source):
        return _loaded(_read(source), stored_pair(source), pair, systems)


def rankings_by_pair(source: IntoFrame) -> list[RankingFile]:
    """Return the rankings of every language pair in a file, sorted by name."""
    with in_file(source):
        frame, stored = _read(source), stored_pair(source)
        pairs = _pairs(frame)
        # Without srclang and trglang, all are one pair.
        names = [None] if pairs is None else sorted(set(pairs))
        return [_loaded(frame, stored, name, None) for name in names]


def _read(source: IntoFrame) -> pl.DataFrame:
    if isinstance(source, (str, PathLike)) and table_suffix(source) == ".rank":
        return read_meteor_ranks(source)
    if isinstance(source, (str, PathLike)) and table_suffix(source) == ".score":
        raise InputError("scores without the numbers of segments", todo=_NUMBERED)
    frame = read_table(source, "a file of rankings")
    if not {"sid", "better", "worse"} <= set(frame.columns) or "rank" in frame.columns:
        return frame
    # A preference is a ranking of two.
    pair = pl.concat_list("better", "worse")
    ranks = pl.concat_list(pl.lit(1), pl.lit(2))
    pairs = frame.with_row_index("ranking").with_columns(system=pair, rank=ranks)
    return pairs.drop("better", "worse").explode("system", "rank")


def _ranked_by(names: Sequence[str]) -> str:
    """Return how a table with scores of humans, such as DA or MQM, becomes one of rankings."""
    table = "'FILE'"
    if len(names) == 1:  # mt-metrics-eval separates by spaces
        names, table = names[0].split(), "read_csv('FILE', delim = ' ')"
    found = {name.casefold(): name for name in names}
    score = next((name for low, name in found.items() if "score" in low), None)
    sid = next((found[name] for name in _SEGMENT if name in found), None)
    if sid is not None and {"better", "worse"} <= {*found}:  # DARR of WMT
        pair = ", ".join(f"{found[name]} as {name}" for name in ("better", "worse"))
        query = " ".join([f"select {sid} - 1 as sid, {pair}", "from", table])
        return f'name them so, with sentences from 0: alignframe sql "{query}" -o rankings.csv'
    if score is None or sid is None or "system" not in found:
        return ""
    number = sid if sid.casefold() == "sid" else f"{sid} - 1"
    value = f"try_cast({score} as double)"
    columns = f"{number} as sid, {sid} as ranking, {found['system']} as system"
    rank = f"rank() over (partition by {sid} order by {value} desc) as rank"
    query = " ".join(["select", f"{columns}, {rank}", "from", table, f"where {value} is not null"])
    how = f'alignframe sql "{query}" -o rankings.csv'
    return f"rank its scores (leave desc out if lower is better): {how}"


_NUMBERED = (
    "number those of a system, and rank them (leave desc out if lower is better): alignframe sql "
    "\"with t as (select row_number() over () as n, * from read_csv('FILE', header = false, "
    "delim = '\\t', names = ['system', 'score'])), s as (select *, row_number() over (partition by "
    "system order by n) - 1 as sid, try_cast(score as double) as v from t) select sid, "
    "sid as ranking, system, rank() "
    'over (partition by sid order by v desc) as rank from s where v is not null" -o rankings.csv'
)
_SEGMENT = ("sid", "seg_id", "segid", "seg", "segment_id", "segment", "line_id")
"""Names of columns of segments in published files; all but the first count from 1."""


def _loaded(
    frame: pl.DataFrame, stored: str | None, pair: str | None, systems: Collection[str] | None
) -> RankingFile:
    wide = any(_SLOT.fullmatch(name) for name in frame.columns)
    if not wide and not {*ROW} <= {*frame.columns}:
        raise InputError(
            f"the columns {few_of([name for name in frame.columns if name != LINE])}",
            expected="those of WMT's rankings, or ranking, sid, system and rank",
            todo=_ranked_by([name for name in frame.columns if name != LINE]),
        )
    frame, pair_found, chosen = _of_pair(frame, stored, pair, systems, wide)
    rows = _wide(frame) if wide else _long(frame)
    ranked = rows.filter(pl.col("rank").is_not_null())
    if not ranked.height:
        raise InputError("no ranks", expected="ranks from 1")
    twice = ranked.filter(pl.struct("ranking", "system").is_duplicated())
    if twice.height:
        raise InputError(
            f"the system {twice['system'][0]!r} occurs twice in a ranking",
            line=twice[LINE][-1],
            expected="every system once",
        )
    sentences = ranked.group_by("ranking").agg(pl.col("sid").n_unique(), pl.col(LINE).last())
    mixed = sentences.filter(pl.col("sid") > 1)
    if mixed.height:
        raise InputError(
            "a ranking of several sentences", line=mixed.sort(LINE)[LINE][0], expected="one"
        )
    table = ranked.select("ranking", "sid", "judge", "system", "rank").to_arrow()
    table = table.cast(RANKINGS)
    mark = {SIGNATURE: signature_of_rankings(table, pair_found)}
    return RankingFile(
        table.replace_schema_metadata(mark), pair_found, chosen, rows.height - ranked.height
    )


def pairwise(rankings: IntoFrame) -> pl.DataFrame:
    """Return ranking, sid, judge, two systems sorted by name, and which of them is preferred."""
    from alignframe.engines.session import limited

    # A preference is 1 for `system`, -1 for `other`, 0 for a tie.
    with limited(["meta"]) as connection:
        connection.register("given", rankings_of(rankings))
        preferences = to_table(connection.sql("select * from ranking_pairs('given')"))
    return pl.DataFrame(pl.from_arrow(preferences)).sort("ranking", "system", "other")


def _of_pair(
    frame: pl.DataFrame,
    stored: str | None,
    pair: str | None,
    systems: Collection[str] | None,
    wide: bool,
) -> tuple[pl.DataFrame, str | None, bool]:
    """Return the rows of a language pair, its name, and whether it was selected by systems."""
    mine = _pairs(frame)
    if mine is None:
        if pair is not None and language_pair(pair) != stored:
            raise InputError("no columns srclang and trglang", todo=f"leave out the pair {pair}")
        return frame, stored, False
    known = sorted(set(mine))
    chosen = False
    if pair is not None:
        wanted = language_pair(pair)
    elif len(known) == 1:
        wanted = known[0]
    else:
        ranked = {name: _names(frame.filter(mine == name), wide) for name in known}
        fitting = [name for name in known if systems and ranked[name] <= set(systems)]
        if len(fitting) != 1:
            given = set(systems or ())
            shared = {name: len(ranked[name] & given) for name in known}
            near = max(fitting or known, key=shared.__getitem__)
            rather = f", rather {near}, which ranks {shared[near]} of {len(given)}"
            fit = ", ".join(fitting) or "none" + rather * (shared[near] > 0)
            raise InputError(
                f"rankings of {len(known)} language pairs: {', '.join(known)}"
                + (f"; the systems fit {fit}" if systems else ""),
                todo=f"name one, for example with `pair={near!r}`",
            )
        wanted, chosen = fitting[0], True
    check_known("`pair`", wanted, known)
    return frame.filter(mine == wanted), wanted, chosen


def _pairs(frame: pl.DataFrame) -> pl.Series | None:
    """Return the language pair of each row; None if no column has languages."""
    languages = ("srclang", "trglang")
    if not set(languages) <= set(frame.columns):
        return None
    sides = (texts(frame, name).to_list() for name in languages)
    return pl.Series([pair_of_languages(a, b) for a, b in zip(*sides, strict=True)])


def _names(frame: pl.DataFrame, wide: bool) -> set[str]:
    columns = [name for name in frame.columns if _SLOT.fullmatch(name)] if wide else ["system"]
    return {name for column in columns for name in frame[column].cast(pl.String) if name}


def _wide(frame: pl.DataFrame) -> pl.DataFrame:
    slots = [(int(m[1]), name) for name in frame.columns if (m := _SLOT.fullmatch(name))]
    columns = {name.lower(): name for name in frame.columns}
    for name in ("srcIndex", *(f"system{number}rank" for number, _ in slots)):
        if name.lower() not in columns:
            raise InputError(f"no column {name}", line=1, expected="WMT's columns")
    judge = columns.get("judgeid", columns.get("judge"))
    shared = frame.select(
        LINE,
        ranking=pl.lit(np.arange(frame.height, dtype=np.int64)),
        sid=whole_numbers(frame, columns["srcindex"], 1) - 1,
        judge=pl.lit(None, pl.String) if judge is None else pl.col(judge).cast(pl.String),
    )
    parts = []
    for number, name in sorted(slots):
        ranks = whole_numbers(frame, columns[f"system{number}rank"], None)
        shown = frame[name].cast(pl.String)
        ranked = _ranks(frame, ranks)
        if (ranked.is_not_null() & shown.is_null()).any():
            texts(frame.filter(ranked.is_not_null()), name)  # a rank without a system
        part = shared.with_columns(system=shown, rank=ranked)
        parts.append(part.filter(pl.col("system").is_not_null()))
    return pl.concat(parts).sort("ranking", maintain_order=True)


def _long(frame: pl.DataFrame) -> pl.DataFrame:
    judge = pl.col("judge").cast(pl.String) if "judge" in frame.columns else pl.lit(None, pl.String)
    return frame.select(
        LINE,
        ranking=whole_numbers(frame, "ranking", 0),
        sid=whole_numbers(frame, "sid", 0),
        judge=judge,
        system=texts(frame, "system"),
        rank=_ranks(frame, whole_numbers(frame, "rank", None)),
    )


def _ranks(frame: pl.DataFrame, ranks: pl.Series) -> pl.Series:
    """Return ranks from 1, null for -1; raise an InputError for others."""
    odd = ((ranks < 1) & (ranks != -1)) | (ranks > np.iinfo(np.int32).max)
    if odd.fill_null(False).any():
        at = int(odd.fill_null(False).arg_true()[0])
        raise InputError(
            f"the rank {ranks[at]}", line=frame[LINE][at], expected="from 1, -1 for none"
        )
    kept = pl.when(ranks >= 1).then(ranks.cast(pl.Int32, strict=False))
    return pl.select(kept.alias("rank")).to_series()


_LANGUAGES = {
    "arabic": "ar",
    "chinese": "zh",
    "cz": "cs",
    "czech": "cs",
    "english": "en",
    "estonian": "et",
    "finnish": "fi",
    "french": "fr",
    "german": "de",
    "gujarati": "gu",
    "haitian": "ht",
    "hindi": "hi",
    "hungarian": "hu",
    "icelandic": "is",
    "italian": "it",
    "japanese": "ja",
    "kazakh": "kk",
    "latvian": "lv",
    "lithuanian": "lt",
    "romanian": "ro",
    "russian": "ru",
    "spanish": "es",
    "turkish": "tr",
    "urdu": "ur",
}


def language_pair(text: str) -> str:
    """Return a language pair in the form ``fr-en``, from codes or English names of languages."""
    return "-".join(_language(part.strip()) for part in text.split("-"))


def pair_of_languages(source: str, target: str) -> str:
    """Return the language pair of two languages, each a code or an English name."""
    return f"{_language(source)}-{_language(target)}"


def _language(name: str) -> str:
    return _LANGUAGES.get(name.lower(), name.lower())


def unlike_sids(rankings: pa.Table, scored: pl.Series) -> str:
    """Return, as the end of a message, that ranked sentences have no scores; empty if all have."""
    ranked, known = np.unique(rankings["sid"].to_numpy()), np.unique(scored.to_numpy())
    lacking = np.setdiff1d(ranked, known)
    if not lacking.size:
        return ""
    return (
        f"; {lacking.size:,} of {number_of(ranked.size, 'ranked sentence')} not scored, as "
        f"{lacking[0]}: rankings have sids from {ranked[0]} to {ranked[-1]}, scores from "
        f"{known[0]} to {known[-1]}; sids count from 0 in both"
    )

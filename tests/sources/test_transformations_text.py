"""Beads, texts, sentence pairs, lexicons and rankings in other clothes have the same scores."""

import csv
import io
import json
import unicodedata
from functools import cache
from pathlib import Path

import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.clothes import AWKWARD, BYTES, SHIFTED, Case, check, dressed, heard, joined

from alignframe import beads, lexicon, mt, tesla
from alignframe.formats import read_beads

DATA = Path(__file__).parents[2] / "datasets"


def lines_of(path):
    return (DATA / path).read_text().splitlines()


def separated(rows, mark=",", quoting=csv.QUOTE_MINIMAL):
    """Return a table of dicts as separated cells; TSV as people write it has no quotes."""
    out = io.StringIO()
    if mark == "\t":
        for row in [list(rows[0]), *(row.values() for row in rows)]:
            out.write("\t".join(map(str, row)) + "\n")
    else:
        writer = csv.DictWriter(out, list(rows[0]), delimiter=mark, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return out.getvalue()


def json_lines(rows):
    return joined(json.dumps(row, ensure_ascii=False) for row in rows)


TABLES = {
    ".csv": separated,
    ".tsv": lambda rows: separated(rows, "\t"),
    ".jsonl": json_lines,
}


# Texts: translations and references.

QUOTED = [
    '"Fine', 'he said " and left', 'a 6" nail', '"all of it"', 'ends"', "it's, well, fine", "1984",
    "001", "2012-01-01", "12:30", "1,5", "1e5", "NaN", "null", "true", "- a", "=1+1", "#no comment",
]  # fmt: skip


@cache
def translations():
    """Return the lines of a system and of its reference, some of them awkward."""
    hyp, ref = lines_of("island/fluent.en")[:14], lines_of("island/ref.en")[:14]
    accents = ["un été à l'île", "été"]
    return [*hyp, *QUOTED, *accents], [*ref, *QUOTED[1:], QUOTED[0], *accents]


def rows_of(texts, first=0, order=1):
    return [{"sid": k, "text": text} for k, text in enumerate(texts, first)][::order]


def bleu(hyp, ref, **options):
    return scores_of(mt.score({"x": hyp}, ref, **options).scores)


def scores_of(table):
    return [table[name][0] for name in ("sentences", "bleu", "chrf")]


def bleu_in_shell(hyp, ref):
    printed, said = run(
        "mt", "score", "--hyp", f"x={hyp}", "--ref", ref, "--bootstrap", 0, "--json"
    )
    heard(said)
    (row,) = json_of(printed)
    return [row[name] for name in ("sentences", "bleu", "chrf")]


@cache
def bleu_expected():
    return bleu(*map(list, translations()))


TEXT_FORMATS = {
    ".txt": joined,
    **{
        suffix: (lambda texts, write=write: write(rows_of(texts)))
        for suffix, write in TABLES.items()
    },
    "backwards .csv": lambda texts: separated(rows_of(texts, order=-1)),
    "backwards .tsv": lambda texts: separated(rows_of(texts, order=-1), "\t"),
    "backwards .jsonl": lambda texts: json_lines(rows_of(texts, order=-1)),
    "without sid .tsv": lambda texts: separated([{"text": text} for text in texts], "\t"),
    "without sid .csv": lambda texts: separated([{"text": text} for text in texts]),
}


@pytest.mark.parametrize("format", TEXT_FORMATS)
def test_files_of_texts(tmp_path, format):
    hyp, ref = translations()
    write, suffix = TEXT_FORMATS[format], f".{format.rpartition('.')[2]}"
    cases = []
    for clothes, (_, _, says) in BYTES.items():
        made = {
            "hyp": (dressed(tmp_path, "a", write(hyp), clothes, suffix), list(ref)),
            "ref": (list(hyp), dressed(tmp_path, "a", write(ref), clothes, suffix)),
        }
        for side, given in made.items():
            figures = lambda given=given: bleu(*given)  # noqa: E731
            cases.append(Case(f"{format} {clothes} {side}", figures, says))
    check(cases, bleu_expected())


def test_tables_of_texts(tmp_path):
    hyp, ref = translations()
    frame = pl.DataFrame(rows_of(hyp))
    shuffled = frame.sample(fraction=1, shuffle=True, seed=1)
    path = tmp_path / "a.parquet"
    shuffled.write_parquet(path)
    packed = tmp_path / "b.parquet"
    frame.with_columns(pl.col("text").cast(pl.Categorical)).write_parquet(packed)
    given = {
        "frame": frame,
        "shuffled": shuffled,
        "categorical": frame.with_columns(pl.col("text").cast(pl.Categorical)),
        "binary": frame.with_columns(pl.col("text").cast(pl.Binary)),
        "unsigned": frame.with_columns(pl.col("sid").cast(pl.UInt64)),
        "decimals": frame.with_columns(pl.col("sid").cast(pl.Decimal(20, 0))),
        "text sids": frame.with_columns(pl.col("sid").cast(pl.String)),
        "arrow": frame.to_arrow(),
        "columns": frame.to_dict(as_series=False),
        "rows": frame.to_dicts(),
        "series": frame["text"],
        "parquet": path,
        "parquet, categorical": packed,
    }
    cases = [
        Case(f"{name} {side}", figures, "bytes|binary")
        for name, one in given.items()
        for side, figures in {"hyp": lambda one=one: bleu(one, list(ref))}.items()
    ]
    check(cases, bleu_expected())


@pytest.mark.parametrize("name", AWKWARD)
def test_names_of_texts(tmp_path, name):
    hyp, ref = translations()
    path = dressed(tmp_path, name, joined(hyp), "plain", ".en")
    reference = dressed(tmp_path, "ref", joined(ref), "plain", ".en")
    frame = pl.DataFrame(rows_of(hyp))
    table = dressed(tmp_path, name, separated(rows_of(hyp)), "plain", ".csv")
    cases = [
        Case("path", lambda: scores_of(mt.score(path, list(ref)).scores)),
        Case("list of paths", lambda: scores_of(mt.score([str(path)], reference).scores)),
        Case("dict of paths", lambda: scores_of(mt.score({name: path}, reference).scores)),
        Case(
            "dict of texts",
            lambda: scores_of(mt.score({name: list(hyp)}, list(ref)).scores),
            "name",
        ),
        Case(
            "dict of frames",
            lambda: scores_of(mt.score({name: frame}, list(ref)).scores),
        ),
        Case("table", lambda: scores_of(mt.score(table, reference).scores)),
    ]
    check(cases, bleu_expected())


def test_numbers_and_forms_of_texts(tmp_path):
    hyp, ref = translations()
    nfd = [unicodedata.normalize("NFD", text) for text in hyp]
    ones, sevens = (pl.DataFrame(rows_of(hyp, first)) for first in (1, 7))
    cases = [
        Case("sids from 1", lambda: bleu(ones, list(ref)), SHIFTED),
        Case("sids from 7", lambda: bleu(sevens, pl.DataFrame(rows_of(ref))), SHIFTED),
        Case("another form", lambda: bleu(nfd, list(ref)), "NFC|NFD|Unicode"),
        Case("one line less", lambda: bleu(hyp[1:], list(ref)), "sentence"),
        Case("Latin-1", lambda: bleu(_latin(tmp_path, hyp), list(ref), encoding="latin-1")),
        Case("Latin-1, not said", lambda: bleu(_latin(tmp_path, hyp), list(ref)), "encoding"),
    ]
    check(cases, bleu_expected())


def _latin(folder, texts):
    path = folder / "latin.txt"
    path.write_bytes(joined(texts).encode("latin-1"))
    return path


# Beads.


@cache
def spans(gold):
    """Return beads as (src_start, src_end, tgt_start, tgt_end)."""
    found = []
    for line in lines_of("mill/mill.beads"):
        ends = []
        for side in line.split(":")[:2]:
            numbers = [int(one) for one in side.strip("[]").replace(",", " ").split()]
            ends += [numbers[0], numbers[-1] + 1] if numbers else [None, None]
        found.append(ends)
    at = [0, 0]
    for one in found:  # an empty side lies where the bead does
        for side in (0, 1):
            if one[2 * side] is None:
                one[2 * side : 2 * side + 2] = [at[side], at[side]]
            at[side] = one[2 * side + 1]
    if not gold:  # two beads become one, one is lost
        found = [*found[:4], [*found[4][:1], found[5][1], found[4][2], found[5][3]], *found[6:-1]]
    return [tuple(one) for one in found]


def vecalign(rows, first=0):
    def shown(start, end):
        return str([*range(start + first, end + first)])

    return joined(f"{shown(a, b)}:{shown(c, d)}" for a, b, c, d in rows)


def ladder(rows):
    last = rows[-1]
    return joined([f"{a}\t{c}\t0.5" for a, _, c, _ in rows] + [f"{last[1]}\t{last[3]}\t0.5"])


def ces(rows):
    def ids(start, end):
        return " ".join(f"s{k + 1}" for k in range(start, end))

    links = "".join(f'<link xtargets="{ids(a, b)};{ids(c, d)}"/>\n' for a, b, c, d in rows)
    return (
        '<?xml version="1.0"?>\n<cesAlign version="1.0">\n'
        f'<linkGrp fromDoc="d.en" toDoc="d.fr">\n{links}</linkGrp>\n</cesAlign>\n'
    )


NAMES = ("src_start", "src_end", "tgt_start", "tgt_end")
BEAD_FORMATS = {
    "vecalign": (vecalign, ".beads"),
    "ladder": (ladder, ".ladder"),
    "ces": (ces, ".xml"),
}
BEAD_FIGURES = ["strict_precision", "strict_recall", "strict_f"]


def bead_scores(hyp, gold):
    row = beads.score({"x": hyp}, gold).scores
    return [row[name][0] for name in row.columns if row[name].dtype.is_numeric()]


@cache
def beads_expected():
    return bead_scores(list(spans(False)), list(spans(True)))


@pytest.mark.parametrize("format", BEAD_FORMATS)
def test_files_of_beads(tmp_path, format):
    write, suffix = BEAD_FORMATS[format]
    cases = []
    for clothes, (_, _, says) in BYTES.items():
        path = dressed(tmp_path, "m", write(spans(True)), clothes, suffix)
        cases.append(Case(f"{format} {clothes}", lambda path=path: read(path), says))
    check(cases, spans(True))


def read(path):
    table = read_beads(path)
    return list(zip(*(table[name].to_pylist() for name in NAMES), strict=True))


@pytest.mark.filterwarnings("ignore:x and gold end with different:alignframe.errors.DataWarning")
def test_tables_of_beads(tmp_path):
    rows = [dict(zip(NAMES, one, strict=True), doc="001") for one in spans(False)]
    gold = pl.DataFrame([dict(zip(NAMES, one, strict=True), doc="001") for one in spans(True)])
    frame = pl.DataFrame(rows)
    cases = []
    given = {
        "frame": frame,
        "shuffled": frame.sample(fraction=1, shuffle=True, seed=1),
        "arrow": frame.to_arrow(),
        "columns": frame.to_dict(as_series=False),
        "rows": rows,
        "unsigned": frame.with_columns(pl.col(NAMES).cast(pl.UInt64)),
        "decimals": frame.with_columns(pl.col(NAMES).cast(pl.Decimal(20, 0))),
    }
    for suffix, write in TABLES.items():
        given[suffix] = dressed(tmp_path, "m", write(rows), "plain", suffix)
    for name, one in given.items():
        cases.append(Case(name, lambda one=one: bead_scores(one, gold)))
    cases += [
        Case(
            "from 1, file",
            lambda: bead_scores(
                dressed(tmp_path, "m", vecalign(spans(False), 1), "plain"), list(spans(True))
            ),
            "from 1|from 0",
        ),
    ]
    check(cases, beads_expected())


# Sentence pairs.


def induced(*text, **options):
    table = lexicon.induce(*text, n_best=1, **options).frame
    return sorted(table.select("src", "tgt").rows())


PAIR_FORMATS = {
    "|||": lambda src, tgt: (joined(f"{a} ||| {b}" for a, b in zip(src, tgt, strict=True)), ".txt"),
    **{
        suffix: (
            lambda src, tgt, write=write, suffix=suffix: (
                write([{"src": a, "tgt": b} for a, b in zip(src, tgt, strict=True)]),
                suffix,
            )
        )
        for suffix, write in TABLES.items()
    },
}


@cache
def pairs():
    quoted = ['" oui', '6 "', "été 1984", "001 2012-01-01"]
    src, tgt = (lines_of(f"en-fr/text.{side}")[:30] for side in ("en", "fr"))
    return [*src, *quoted], [*tgt, *quoted]


@pytest.mark.parametrize("format", ["two files", *PAIR_FORMATS])
def test_files_of_pairs(tmp_path, format):
    src, tgt = pairs()
    cases = []
    for clothes, (_, _, says) in BYTES.items():
        if format == "two files":
            given = [
                dressed(tmp_path, "t", joined(side), clothes, f".{name}")
                for name, side in (("en", src), ("fr", tgt))
            ]
        else:
            text, suffix = PAIR_FORMATS[format](src, tgt)
            given = [dressed(tmp_path, "t", text, clothes, suffix)]
        cases.append(Case(f"{format} {clothes}", lambda given=given: induced(*given), says))
    if format == "two files":
        for first in (0, 1, 7):
            given = [
                dressed(
                    tmp_path, "t", joined(f"{k}\t{x}" for k, x in enumerate(side, first)), "plain"
                )
                for side in (src, tgt)
            ]
            cases.append(
                Case(f"ids from {first}", lambda given=given: induced(*given), r"\bids?\b")
            )
        mixed = [unicodedata.normalize("NFD", one) if k % 2 else one for k, one in enumerate(tgt)]
        given = [dressed(tmp_path, "t", joined(side), "plain") for side in (src, mixed)]
        cases.append(Case("NFC and NFD", lambda given=given: _composed(induced(*given))))
    check(cases, induced(src, tgt))


def _composed(rows):
    return sorted(tuple(unicodedata.normalize("NFC", one) for one in row) for row in rows)


# Lexicons.


@cache
def entries():
    src, tgt = pairs()
    return lexicon.induce(src, tgt, n_best=2).frame.select("src", "tgt", "rank").to_dicts()


def evaluated(given):
    src, tgt = pairs()
    frame = lexicon.score(given, (src, tgt), 2).scores
    return [frame[name][0] for name in frame.columns if frame[name].dtype.is_float()]


@pytest.mark.parametrize("suffix", TABLES)
def test_files_of_lexicons(tmp_path, suffix):
    rows = entries()
    cases = []
    for clothes, (_, _, says) in BYTES.items():
        path = dressed(tmp_path, "l", TABLES[suffix](rows), clothes, suffix)
        cases.append(Case(f"{suffix} {clothes}", lambda path=path: evaluated(path), says))
    zero = [{**row, "rank": row["rank"] - 1} for row in rows]
    spaced = [{f" {k} " if suffix != ".jsonl" else k: v for k, v in row.items()} for row in rows]
    for name, changed, says in (
        ("ranks from 0", zero, "rank"),
        ("backwards", rows[::-1], ""),
        ("spaces in the header", spaced, ""),
        ("a column beside", [{**row, "note": "2012-01-01"} for row in rows], ""),
    ):
        path = dressed(tmp_path, "l", TABLES[suffix](changed), "plain", suffix)
        cases.append(Case(f"{suffix} {name}", lambda path=path: evaluated(path), says))
    check(cases, evaluated(pl.DataFrame(rows)))


# Rankings.


def judged(rankings, segments):
    found = tesla.meta(rankings, segments, bootstrap=0).scores
    return [found[name][0] for name in found.columns if found[name].dtype.is_float()]


@cache
def segments():
    names = ("careful", "fluent", "garbled", "literal")
    hyp = {name: lines_of(f"island/{name}.en") for name in names}
    return mt.score(hyp, lines_of("island/ref.en"), metrics=["chrf"]).segments


@pytest.mark.filterwarnings("ignore:.* without a rank:alignframe.errors.DataWarning")
def test_files_of_rankings(tmp_path):
    text = (DATA / "island/rankings.csv").read_text()
    expected = judged(DATA / "island/rankings.csv", segments())
    cases = []
    for clothes, (_, _, says) in BYTES.items():
        path = dressed(tmp_path, "r", text, clothes, ".csv")
        cases.append(Case(clothes, lambda path=path: judged(path, segments()), says))
    later = segments().with_columns(pl.col("sid") + 1)
    cases.append(
        Case("segments from 1", lambda: judged(DATA / "island/rankings.csv", later), SHIFTED)
    )
    check(cases, expected)

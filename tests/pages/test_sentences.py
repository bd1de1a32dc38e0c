"""The figures of leads and captions are those of the charts and tables that they stand at.

Every sentence with a digit matches a claim: a pattern whose groups are the figures, and a function
that computes them from what the page shows. A sentence that no claim knows fails.
"""

import math
import re
import statistics
from dataclasses import replace
from itertools import combinations, groupby, pairwise

import numpy as np
import polars as pl
import pytest
from helpers import page_kinds
from helpers.page_kinds import HOME
from scipy import stats as scipy_stats

from alignframe import beads, lexicon, links, mt, phrases, stats, tesla
from alignframe.beads.page import beads_page
from alignframe.core.rounding import difference, printed
from alignframe.links.vary_page import figures_of, text_findings
from alignframe.pages.page import drawn
from alignframe.pages.tables import p_value
from alignframe.report import page_of
from alignframe.stats.bootstrap import interval
from alignframe.stats.conclusions import ALONE, listed_names, ranking, uncorrected
from alignframe.stats.paired import FEW

NUM = r"([−+]?\d[\d,]*(?:\.\d+)?)"
LOGARITHMIC = "Both axes are logarithmic."
END = re.compile(r"(?<=[.]) (?=\S)")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A page of every kind, and what its lead says of frames that the page has no table of."""
    return page_kinds.pages(tmp_path_factory.mktemp("pages"))


def chart(page, name):
    return next(one.chart for one in page.figures if one.name == name)


def column(page, head, table=None):
    """Return the first lines of a column's cells."""
    at = (table or page.table).heads.index(head)
    return [row[at].partition("\n")[0] for row in (table or page.table).rows]


def named(page, title):
    return next(one for one in [page.table, *page.tables] if one and one.title.startswith(title))


def value(text):
    return float(text.replace(",", "").replace("−", "-"))


def counted(page, *_):
    """Return the number of systems, and of sentences or segments."""
    if "sizes" in [one.name for one in page.figures]:  # phrases, whose list is of entries
        lengths = chart(page, "precision-and-recall-by-length")
        sentences = drawn(lengths, "length", "sentences")["sentences"].sum()
    else:
        sentences = len(page.sentences.rows)
    return f"{len(page.table.rows)}", f"{sentences}"


# --- rankings

ENDS = r"(?: \((\d+)% interval " + f"{NUM} to {NUM}" + r"\))?"
HEADS = {f"F of {name}": f"{name} F" for name in ("align-dic1", "text-dic1", "text-dic2")}
HEADS |= {"TESLA-M score": "Score", "consistency with human preferences": "consistency"}


def head_of(page, name):
    return next(one for one in (HEADS.get(name), name) if one in page.table.heads)


def best_of(page, tests, name, measure, *_):
    """Return the figure of the best system, with its interval below it in the table."""
    head = head_of(page, measure)
    at, texts = page.table.heads.index(head), column(page, head)
    figures = [*map(value, texts)]
    row = figures.index((min if measure == "AER" else max)(figures))
    low, high = re.split(" – | to ", page.table.rows[row][at].partition("\n")[2])
    return page.table.rows[row][0], measure, texts[row], "95", low, high


def alike(page, tests, names, measure, *_):
    """Return the systems that do not differ significantly from the best, and its figure."""
    name, measure, *figures = best_of(page, tests, "", measure)
    clear = tests.filter(pl.col("p_corrected") >= 0.05)["system"].to_list()
    every = sorted([name, *clear], key=re.split(", | and ", names).index)
    return f"{', '.join(every[:-1])} and {every[-1]}", measure, name, *figures


def follower(page, tests, name, *_):
    """Return how far the second system is behind, as the figures in the table are printed."""
    by = {"links": "AER", "mt": "BLEU", "phrases": "align-dic1 F"}
    measure = by.get(tests["of"][0]) or page.table.heads[1]
    texts = dict(zip(column(page, page.table.heads[0]), column(page, measure), strict=True))
    base = tests["baseline"][0]
    digits = len(texts[base].partition(".")[2])
    others = sorted((abs(value(texts[one]) - value(texts[base])), one) for one in texts)
    gap, second = others[1]
    row = tests.row(by_predicate=pl.col("system") == second, named=True)
    sign = 1 if row["difference"] > 0 else -1
    low, high = sorted(sign * row[f"difference_{end}"] for end in ("low", "high"))
    verdict = (
        "a significant difference" if row["p_corrected"] < 0.05 else "which is not significant"
    )
    ends = (printed(end, f".{digits}f") for end in (low, high))
    # An interval without 0 beside a p-value that is not significant is explained, and a correction
    # that is not that of bold figures.
    mark, why = row.get("signature", ""), None
    if mark and tests["system"].n_unique() > 1:
        if "all-pairs" not in mark:
            why = " corrected for the number of systems"
        elif low > 0 and row["p_corrected"] >= 0.05:
            why = " corrected for all pairs"
    return second, f"{gap:.{digits}f}", *ends, f"{row['p_corrected']:.3f}", why, verdict


def worse(page, tests, number, noun, *_):
    clear = tests.filter(pl.col("p_corrected") < 0.05).height
    second = follower(page, tests, "")[-1] == "a significant difference"
    left = clear - second
    return (None if left == 1 else f"{left}"), noun


def against(page, base, system):
    """Return the differences of a system from a baseline, and p-values, by measure."""
    tables = [one for one in page.tables if one.title == f"Differences from {base}"]
    return {one.choice: row[2:] for one in tables for row in one.rows if row[0] == system}


def told(page, tests, of, system, gap, word, base, *_):
    """Return how far a system is by a later measure, which tells it from the baseline."""
    own = against(page, base, system)
    assert first_of(own) >= 0.05 > value(own[of][1].lstrip("< "))
    shown, _, ends = own[of][0].partition("\n")
    sign = 1 if value(shown) > 0 else -1
    assert word == ("better" if (sign > 0) == (of != "AER") else "worse")
    low, high = sorted(sign * value(end) for end in re.split(" – | to ", ends))
    digits = len(shown.partition(".")[2])
    figures = (printed(one, f".{digits}f") for one in (sign * value(shown), low, high))
    return of, system, next(figures), word, base, *figures, own[of][1]


def first_of(own):
    """Return the p-value of the measure that a page begins with."""
    rows = [row for name, row in own.items() if name not in ("Precision", "Recall")]
    return value(rows[0][1].lstrip("< "))


def untold(page, tests, of, system, base, p):
    """Return the p-value of a later measure, which does not tell a system from the baseline."""
    own = against(page, base, system)
    assert first_of(own) < 0.05 <= value(own[of][1])
    return of, system, base, own[of][1]


def untested(page, tests, name, *_):
    """Return the best figure of a measure without tests, and whose it is."""
    at = column_of(page.table, HEADS[name])
    best = max(page.table.rows, key=lambda row: value(row[at].partition("\n")[0]))
    return name, best[at].partition("\n")[0], best[0]


def by_model(page, tests, share, links, system, *_):
    """Return the mean probability and number of the last system's links."""
    row = dict(zip(page.table.heads, page.table.rows[-1], strict=True))
    assert abs(value(share) - 100 * value(row["Mean probability"])) <= 0.056
    return share, row["Links"], row["System"]


def bare(page, *_):
    row = dict(zip(page.table.heads, page.table.rows[-1], strict=True))
    return tuple(row[f"{side} unaligned"].rstrip("%") for side in ("Source", "Target"))


def judges(page, *_):
    return (f"{len(page.sentences.rows)}",)


def never(page, tests, resamples, units, *_):
    """Return the resamples and units; with these, even the least p-value is not below 5%."""
    n, drawn = int(units), int(re.search(r"bootstrap:(\d+)", page.signature)[1])
    tail = math.sqrt((n - 1) / n) * scipy_stats.norm.ppf(1 / (1 + drawn))
    assert 2 * scipy_stats.t.cdf(tail, 0.6 * (n - 1)) >= 0.05
    return f"{drawn:,}", f"{len(page.sentences.rows)}"


# --- curves, counts of systems


def leaders_by_alpha(page, *_):
    shown = drawn(chart(page, "f-by-alpha"), "system", "alpha", "f").sort("alpha")
    best = shown.filter(pl.col("f") == pl.col("f").max().over("alpha"))
    said = []
    for name, rows in groupby(best.iter_rows(named=True), key=lambda row: row["system"]):
        own = [row["alpha"] for row in rows]
        said.append(f"of {name} from α = {own[0]:g} to {own[-1]:g}")
    return (f"{', '.join(said[:-1])} and {said[-1]}",)


def above(page, *_):
    shown = drawn(chart(page, "precision-and-recall"), "system", "measure", "series", "value")
    said = []
    for measure in shown["measure"].unique(maintain_order=True):
        own = {
            key: v
            for *key, v in shown.filter(measure=measure).drop("measure").iter_rows()
            for key in [tuple(key)]
        }
        names = {name for name, _ in own}
        number = sum(own[name, "precision"] > own[name, "recall"] for name in names)
        said.append(f"{number} of {len(names)} systems by {measure}")
    return ("; ".join(said),)


def noise(page, *_):
    shown = drawn(chart(page, "classes"), "dictionary", "class", "series", "value")
    own = shown.filter(pl.col("class").str.starts_with("noise"))
    sums = own.group_by("dictionary", maintain_order=True).agg(pl.col("value").sum())
    return (" and ".join(f"{n} entries of {name}" for name, n in sums.iter_rows()),)


# --- correlations


def r2_of(page, measure, links, head="r²"):
    """Return r² of the table, which the sentence has with two digits."""
    table = named(page, "Every measure")
    rows = zip(*(column(page, one, table) for one in ("Measure", "Gold links", head)), strict=True)
    return next(value(r2) for name, own, r2 in rows if (name, own) == (measure, links))


def near(text, figure):
    """Whether a figure with two digits is that of the table, which has three."""
    return abs(value(text) - figure) <= 0.0056


def short(words):
    return words.replace(" links", "")


def predicts(page, tests, measure, links, score, number, r2, systems, p, least):
    table = named(page, "Every measure")
    measures = column(page, "Measure", table)
    points = drawn(chart(page, "one-minus-aer"), "system")
    assert near(r2, r2_of(page, measure, short(links)))
    rs = [value(r) for r in column(page, "r", table) if r != "undefined"]
    assert abs(max(rs) - math.sqrt(value(r2))) < 0.01
    told = math.factorial(points.height) > 20
    own = next(row for row in table.rows if row[:2] == [measure, short(links)])[
        column_of(table, "p")
    ]
    return (
        measure,
        links,
        score,
        f"{sum(one.startswith('F(') for one in measures)}",
        r2,
        f"{points.height}",
        own if told and value(own.lstrip("< ")) >= 0.05 else None,
        None if told else f"{1 / math.factorial(points.height):.3f}",
    )


def column_of(table, head):
    return list(table.heads).index(head)


def others(page, tests, aer, both, sure):
    """Check r² of the usual measures."""
    for text, measure, kind in (
        (aer, "1 − AER", "Sure and Possible"),
        (both, "F(α = 0.5)", "Sure and Possible"),
        (sure, "F(α = 0.5)", "Sure only"),
    ):
        assert near(text, r2_of(page, measure, kind))
    return aer, both, sure


def left_out(page, tests, f, aer):
    every = dict(zip(column(page, "Measure"), column(page, "left out"), strict=True))
    assert near(f, value(every["F, α chosen on the others"]))
    assert near(aer, value(every["1 − AER"]))
    return f, aer


def best_alpha(page, tests, alpha, links, *_):
    stars = [
        row
        for at, row in enumerate(named(page, "Every measure").rows)
        if (at, 2) in named(page, "Every measure").strong and row[1] == short(links)
    ]
    return re.search(r"α = ([\d.]+)", stars[0][0])[1], links


# --- alignments of varying quality


def steps(page, name):
    """Return how often a measure grows with the text, and at how many steps, from its chart."""
    keys = ("model", "run", "group")
    if name == "AER":
        shown, of = drawn(chart(page, "aer-by-text"), *keys, "value"), "value"
    elif name.startswith("F"):
        every = drawn(chart(page, "f-by-text"), *keys, "value", "alpha")
        shown, of = every.filter(alpha=f"α = {name[2:-1]}"), "value"
    else:
        shown = drawn(chart(page, "precision-recall"), *keys, "value", "recall")
        of = "value" if name == "precision" else "recall"
    grown = []
    for _, own in shown.group_by("model", "group", maintain_order=True):
        values = own[of].to_list()
        grown += [later > first for first, later in pairwise(values)]
    good = sum(not one for one in grown) if name == "AER" else sum(grown)
    return f"{good}", f"{len(grown)}"


def more_text(page, tests, *groups):
    names = groups[::3]
    return tuple(text for name in names for text in (name, *steps(page, name)))


def most_often(page, tests, said):
    keys, parts = ("model", "run", "group", "value"), []
    for name in re.findall(r"by (\S+) ", said):
        chosen = "aer-by-text" if name == "AER" else "f-by-text"
        shown = drawn(chart(page, chosen), *keys, *["alpha"] * (name != "AER"))
        if name != "AER":
            shown = shown.filter(alpha=f"α = {name[2:-1]}")
        end = pl.col("value").min() if name == "AER" else pl.col("value").max()
        best = shown.filter(pl.col("value") == end.over("model", "run"))["group"].to_list()
        top = statistics.mode(best)
        amounts = shown.select("model", "run").unique().height
        parts.append(f"by {name} {top} ({best.count(top)} of {amounts})")
    return (", ".join(parts),)


def traded(page, *_):
    shown = drawn(chart(page, "precision-recall"), "model", "run", "group", "value", "recall")
    pairs = [
        (one["value"] - two["value"]) * (one["recall"] - two["recall"]) < 0
        for _, own in shown.group_by("model", "run")
        for one, two in combinations(own.to_dicts(), 2)
    ]
    return f"{sum(pairs)}", f"{len(pairs)}"


def made_of(page, tests, pairs, gold, *_):
    every = sum(len(table.rows) for table in page.tables if table.title.startswith("Every align"))
    amounts = named(page, "AER by")
    number = len(amounts.heads) - amounts.texts
    return f"{tests['pairs'][0]}", f"{tests['gold'][0]}", f"{every}", f"{number}"


def lexicon_best(page, tests, size, name, number, precision, *ends):
    """Return the most precise cascade, without back-off, and its interval."""
    cells = {row[0]: row[1].partition("\n")[0] for row in page.table.rows}
    precise = {name: value(cell) for name, cell in cells.items() if name != "back-off"}
    top = [one for one, own in precise.items() if own == max(precise.values())]
    assert sorted(name.split(" and ")) == sorted(top)
    row = next(row for row in page.table.rows if row[0] == top[0])
    shown = lexicon_ends(row[1])
    return page.table.title.split()[0], name, f"{len(precise)}", *shown


def lexicon_ends(cell):
    figure, _, ends = cell.partition("\n")
    return figure, *(("95", *re.split(" – | to ", ends)) if ends else (None,) * 3)


def lexicon_gain(page, tests, name, gap, word, other, p):
    assert tests["gain"].height == 1
    row = tests["gain"].row(0, named=True)
    shown = None if row["p_value"] is None else p_value(row["p_value"])
    at = page.table.heads.index("precision, k = 1")
    cells = {one[0]: value(one[at].partition("\n")[0]) for one in page.table.rows}
    return (
        *(row["cascade"], f"{abs(cells[row['cascade']] - cells[row['other']]):.4f}"),
        *("worse" if row["difference"] < 0 else "better", row["other"], shown),
    )


def lexicon_right(page, tests, name, *_):
    at = page.table.heads.index("percent correct, k = 1")
    shares = {row[0]: value(row[at].partition("\n")[0]) for row in page.table.rows}
    alike = [name for name, own in shares.items() if own == max(shares.values())]
    best = next(row for row in page.table.rows if row[0] == alike[0])
    return listed_names(alike), *lexicon_ends(best[at])


# --- lexicons, noise, beads, lines, metrics


def lexicon_said(page, tests, *_):
    asked = named(page, "Order of back-off").rows
    names = {name for row in asked for name in row[1].split(" > ")}
    sets = drawn(chart(page, "precision"), "sets")["sets"].unique().to_list()
    sizes = [row[0] for row in asked]
    return (
        f"{len(names)}",
        f"{len(sizes)}",
        sizes[0],
        sizes[-1],
        f"{tests['pairs'][0]}",
        *map(str, sets),
    )


def depth(page, *_):
    return (f"{max(drawn(chart(page, 'precision-by-depth'), 'k')['k'])}",)


def lexicon_on(page, tests, *_):
    return *depth(page), f"{tests['test'][0]}", f"{tests['types'][0]}"


def least_chance(page, *_):
    systems = drawn(chart(page, "human"), "system").height
    t = scipy_stats.t.ppf(0.975, systems - 2)
    return f"{systems}", f"{t / math.sqrt(systems - 2 + t * t):.2f}"


def on_average(page, tests, name, found, right, *_):
    """Return recall and precision of the only method, and the number of texts they are over."""
    rows = [
        row for row in page.table.rows if not row[1].startswith(("randomize", "length", "diff"))
    ]
    means = [statistics.mean(value(row[at]) for row in rows if row[at] != "N/A") for at in (3, 2)]
    assert abs(value(found) - means[0]) < 0.11 > abs(value(right) - means[1])
    clean = sum(row[1] == "clean" for row in rows)
    return page.table.heads[2].removesuffix(" P"), found, right, f"{len(rows) - clean}", f"{clean}"


def scenarios(page, *_):
    corpora = {row[0] for row in page.table.rows}
    return f"{len(page.table.rows)}", f"{len(corpora)}"


def paired(page):
    """Return the beads with both sides, and the sentences of each side, all and aligned."""
    shown = drawn(chart(page, "path"), "span", "type", "kind", "score")
    sizes = [tuple(map(int, one.split("-"))) for one in shown["type"]]
    full = [size for size in sizes if all(size)]
    return shown.filter(kind="bead"), *(
        [sum(side) for side in zip(*one, strict=True)] for one in (sizes, full)
    )


def sides(page, *_):
    return tuple(map(str, paired(page)[1]))


def covered(page, *_):
    _, every, aligned = paired(page)
    return tuple(f"{100 * own / of:.1f}" for own, of in zip(aligned, every, strict=True))


def expected(page, *_):
    known = paired(page)[0]["score"]
    return f"{100 * known.mean():.1f}", f"{len(known)}", f"{(known < 0.9).sum()}", "0.9"


def likely(page, tests, *_):
    """Return how many links are kept, of how many, from which on, and what is expected of them."""
    every = tests["links"]
    start = next(k for k in range(len(every)) if sum(every[k:]) / len(every[k:]) >= 0.6 - 1e-6)
    own = every[start:]
    precision, recall = sum(own) / len(own), sum(own) / sum(every)
    shares = [f"{100 * share:.1f}" for share in (precision, recall)]
    name = page.table.rows[0][0]
    return name, f"{len(own):,}", f"{len(every):,}", f"{own[0]:.4f}", *shares


def strict_f(page, *_):
    return (page.table.rows[0][page.table.heads.index("strict F")],)


def in_gold(page, *_):
    """Return how many beads are in gold, as listed, and of them those below 0.9."""
    at = page.sentences.heads.index("In gold")
    rows = [(row["cells"][at] == "yes", row["values"][0][0]) for row in page.sentences.rows]
    assert len(rows) == paired(page)[0].height, "all beads are listed"
    low, high = ([right for right, p in rows if (p < 0.9) == below] for below in (True, False))
    right = sum(low) + sum(high)
    shares = [f"{100 * sum(one) / len(one):.1f}" for one in (low, high)]
    share = f"{100 * right / len(rows):.1f}"
    return share, f"{len(rows)}", f"{right}", shares[0], f"{len(low)}", "0.9", shares[1]


def listed(page, tests, *_):
    return f"{len(page.sentences.rows)}", f"{paired(page)[0].height}"


def calibrated(page, *_):
    shown = drawn(chart(page, "calibration"), "probability", "correct", "beads")
    gaps = (pl.col("probability") - pl.col("correct")).abs() * pl.col("beads")
    return (f"{shown.select(gaps.sum() / pl.col('beads').sum()).item():.3f}",)


def kept(page, *_):
    shown = drawn(chart(page, "scores"), "from", "lines", "what")
    own, every = shown.filter(what="kept")["lines"].sum(), shown["lines"].sum()
    return f"{own}", f"{every}", f"{100 * own / every:.1f}", f"{every - own}"


def right_lines(page, tests, *_):
    """Return the mean probabilities of lines kept and dropped."""
    means = (tests["lines"].filter(kept=one)["score"].mean() for one in (True, False))
    return tuple(None if mean is None else f"{100 * mean:.0f}" for mean in means)


def level(page, *_):
    return (f"{100 * float(re.search(r'confidence:([0-9.]+)', page.signature)[1]):g}",)


def drawn_over(page, tests, _, number):
    """Return the level of intervals, and the number of what was resampled, if it is said."""
    return *level(page), number and counted(page)[1]


def drawn_apart(page, tests, *_):
    """Return the level and number of a chart's signature, and what its tests are corrected for."""
    mark = next(one.signature for one in page.figures if one.name == "differences")
    confidence = float(re.search(r"paired-bootstrap:.*confidence:([0-9.]+)", mark)[1])
    every = "all pairs" if "all-pairs" in mark else "the number of systems"
    every = every if tests["system"].n_unique() > 1 else None
    return f"{100 * confidence:g}", counted(page)[1], f"{1 - confidence:.2g}", every


def by_pairs(page, *_):
    """Return the resamples and level of the test of all pairs in the page's signature."""
    found = re.findall(
        r"paired-bootstrap:(\d+),\S*confidence:([0-9.]+)\|correction:max-t-all-pairs",
        page.signature,
    )
    ((resamples, confidence),) = found
    every = " corrected for all pairs" if len(page.table.rows) > 2 else None
    return f"{int(resamples):,}", f"{1 - float(confidence):.2g}", every


def same(page, tests, *groups):
    return groups


GAP = (
    rf"follows, {NUM} worse \({NUM} to {NUM}; p = {NUM}"
    r"( corrected for all pairs| corrected for the number of systems)?\), (.+)"
)
CLAIMS = {
    rf"(\S+) has the best (.+), {NUM}{ENDS}": best_of,
    rf"(.+) cannot be told apart by (.+): (\S+) has {NUM}{ENDS}": alike,
    rf"(\S+) {GAP}": follower,
    r"The other (?:(\d+) )?(system|metric)s? (?:is|are) significantly worse": worse,
    rf"By (.+), (\S+) is {NUM} (better|worse) than (\S+) \({NUM} to {NUM}; p = {NUM}\)": told,
    rf"(.+) cannot tell (\S+) from (\S+) \(p = {NUM}\)": untold,
    rf"Not tested: the best (.+), {NUM}, is that of (\S+)": untested,
    rf"{NUM} systems(?: on|,) {NUM} (?:gold )?(?:sentence|segment)s": counted,
    rf"With {NUM} resamples of {NUM} (?:gold sentence|sentence|segment)s, no difference can be "
    "significant": never,
    rf"(?:Bars|Below figures) are (\d+)% intervals over (?:those|{NUM}(?: gold)?)"
    r" (?:sentence|segment)s": drawn_over,
    rf"Bars are (\d+)% intervals of single differences over {NUM} (?:gold )?(?:sentence|segment)s; "
    rf"hollow dots are not significant \(p ≥ {NUM}(?:, corrected for (.+))?\)": drawn_apart,
    rf"Bold: the best system, and those that cannot be told apart from it \(paired bootstrap, "
    rf"{NUM} resamples, p < {NUM}( corrected for all pairs)?\)": by_pairs,
    r"The highest F is that (.+)": leaders_by_alpha,
    r"Precision is above recall for (.+)": above,
    r"Noise of all systems: (.+)": noise,
    rf"(.+?) on (.+) predicts (.+) best of the {NUM} F measures tried: r² = {NUM} over {NUM} "
    rf"systems(?:, which may be chance \(p = {NUM}(?:, not corrected)?\))?"
    rf"(?:, which are too few to tell it from chance: of their p-values, none can be below {NUM})?"
    "": predicts,
    rf"1 − AER has r² = {NUM}, F\(α = 0\.5\) on Sure and Possible links {NUM} and F\(α = 0\.5\) on "
    rf"Sure links only {NUM}(?: \(the wrong way\))?": others,
    rf"Predicting each system from the others, .+, F has r² = {NUM}, 1 − AER {NUM}"
    r"(?: \(below 0: worse than the mean of the others\))?": left_out,
    rf"F at the best of the α tried, {NUM}, on (.+)": best_alpha,
    rf"More text (?:lowers|raises) (\S+) at {NUM} of {NUM} steps"
    rf"(?: and raises (\S+) at {NUM} of {NUM} steps)?": lambda page, tests, *found: (
        more_text(page, tests, *(one for one in found if one))
        + tuple(None for one in found if one is None)
    ),
    r"The method that is most often best is (.+)": most_often,
    rf"Of two methods on the same text, .+ has the lower recall in {NUM} of {NUM} pairs": traded,
    rf"{NUM} sentence pairs, {NUM} gold sentences: {NUM} alignments from {NUM} amounts of text": (
        made_of
    ),
    rf"{NUM} cascades of filters, {NUM} sizes of training text \({NUM} to {NUM} of {NUM} sentence "
    rf"pairs\), {NUM} training sets, without overlap, of each": lexicon_said,
    rf"The lexicons, with up to {NUM} translations per word, are evaluated on {NUM} other sentence "
    rf"pairs with {NUM} source words": lexicon_on,
    rf"The same, counting a hit if any of the {NUM} best translations is found": depth,
    r"Means over training sets; bands or bars are (\d+)% intervals, of 3 sets or more": level,
    rf"Correlation by system over only {NUM} systems says little, as \|r\| up to {NUM} may be "
    r"chance \(p > 0\.05\)": least_chance,
    rf"{NUM} scenarios of noise, made of {NUM} text \(corpus\), aligned by LEN": scenarios,
    rf"{NUM} source and {NUM} target sentences": sides,
    rf"{NUM}% of the source and {NUM}% of the target sentences are aligned": covered,
    rf"{NUM}% of {NUM} beads with both sides are expected to be right, by their probabilities; "
    rf"{NUM} have one below {NUM}": expected,
    rf"With {NUM} sentence pairs, (.+) (?:is|are) the most precise of {NUM} cascades: "
    rf"{NUM}{ENDS}": lexicon_best,
    rf"(\S+) is {NUM} (better|worse) than (\S+) \((?:p = {NUM}|too few training sets to test)\)": (
        lexicon_gain
    ),
    rf"The highest percent correct, of all words, is that of (.+), {NUM}{ENDS}": lexicon_right,
    rf"(\S+) finds {NUM}% of the sentence pairs with a precision of {NUM}%, averaged over {NUM} "
    rf"noisy texts? and {NUM} clean text": on_average,
    rf"(\S+): {NUM} of {NUM} links kept, those of a probability from {NUM} on; {NUM}% of them are "
    rf"expected to be right, and to be {NUM}% of all right ones": likely,
    rf"Strict F is {NUM}": strict_f,
    rf"By the model's own probabilities, {NUM}% of the {NUM} links of (\S+) are right; no gold "
    "tests this": by_model,
    rf"{NUM}% of the source words and {NUM}% of the target words have no link": bare,
    rf"{NUM} gold sentences judge them": judges,
    rf"{NUM}% of {NUM} beads with both sides are in gold \({NUM}\): {NUM}% of the {NUM} with a "
    rf"probability below {NUM}, {NUM}% of the others": in_gold,
    rf"Listed are {NUM} of {NUM} beads, the least probable": listed,
    rf"Expected calibration error: {NUM}, the mean difference of the two, .+": calibrated,
    rf"{NUM} lines of {NUM} kept, {NUM}%, and {NUM} dropped": kept,
    rf"By the aligner's probabilities, {NUM}% of those kept(?: and {NUM}% of those dropped)? are "
    "right": right_lines,
    rf"Measured on {NUM} gold sentences": lambda page, tests, *_: (f"{tests['gold'][0]}",),
    rf"{NUM} alignments, {NUM} gold sentence": lambda page, tests, *_: (
        f"{len(named(page, 'The systems').rows)}",
        f"{tests['gold'][0]}",
    ),
    rf"{NUM} sentence pairs, aligned in both directions, .+": lambda page, tests, *_: (
        f"{tests['pairs'][0]}",
    ),
    r"(?:Below r² is|Over systems:) its (\d+)% interval over .+": level,
}
"""What sentences say, and from what of the page it follows."""

DEFINED = {
    "F of align-dic1, a dictionary per sentence, is the mean over sentences",
    "p is two-sided, and corrected for the number of measures by step-down max-T over permutations "
    "of the scores (Westfall & Young 1993)",
    *(
        "The p-values are two-sided, by the paired bootstrap and, with fewer than 100 units, by "
        f"exchanged labels (the larger of both), and corrected for {number} by step-down max-T "
        "(Westfall & Young 1993)"
        for number in (
            "the number of systems",
            "all pairs of systems, as the best was not known before,",
        )
    ),
    "The links of each are turned into phrase dictionaries, minimal (dic1) and exhaustive (dic2), "
    "and those are compared with gold's",
    "Phrases are those of align-dic1; words are scored against all gold links, Sure and Possible",
    "Scores of align-dic1 are means over sentences, the others are over the whole text",
    "The dashed level is that of 1 − AER",
    "Left (0): entries that no system finds; right: entries that all find",
    "Where the line is below 0, a higher F goes with a lower score, which is worse: r² has r's "
    "sign",
    "Links of gold sentences, in ten ranges of probability; bars are 95% intervals",
    "A system that is worse in orders 2 and 3 than in order 1 has the right words in the wrong "
    "order",
    *(
        f"α = 0.5, the best α tried, recall and precision, on {links}"
        for links in ("Sure and Possible links", "Sure links only", "all links alike")
    ),
}
"""Sentences whose digits are names and definitions, whatever the data are."""
METRICS = "Consistency is the share of human preferences that a metric orders the same way; Kendall"


def said_of(page):
    """Yield the sentences of the lead, and of all captions."""
    tables = [*([page.table] if page.table else []), *page.tables]
    for text in (page.lead, page.about, *(one.caption for one in [*page.figures, *tables])):
        yield from (one.removesuffix(".") for one in END.split(text) if re.search(r"\d", one))


@pytest.mark.parametrize("name", page_kinds.KINDS)
def test_every_figure_of_a_sentence_is_that_of_what_is_shown(made, name):
    page, tests = made[name]
    assert page.lead
    for said in said_of(page):
        if said in DEFINED or said.startswith(METRICS):
            continue
        found = [
            (match, of) for claim, of in CLAIMS.items() if (match := re.fullmatch(claim, said))
        ]
        assert found, f"no claim knows what this is computed from: {said}"
        match, of = found[0]
        assert match.groups() == of(page, tests, *match.groups()), said


def test_every_registered_result_has_a_page_here():
    registered = {kind for kind in page_of.registry if kind is not object}
    assert {kind.__name__ for kind in registered} == {
        *(
            "Aligned",
            "Correlated",
            "Evaluated",
            "Evaluation",
            "Filtered",
            "Meta",
            "MtStudy",
            "TeslaScores",
            "Studied",
        ),
        "Study",
    }
    assert len(registered) == 12  # two are a Study, and two Filtered


# --- where the opposite holds, a sentence turns round


def test_phrase_captions_turn_round():
    found = page_kinds.phrase_study()
    turned = replace(
        found,
        scores=found.scores.rename({"precision": "recall", "recall": "precision"}),
        classes=found.classes.with_columns(pl.col("entries", "one_word", "multi_word") * 0),
    )
    captions = [
        {one.name: one.caption for one in page_of(study).figures} for study in (found, turned)
    ]
    counts = [
        [*map(int, re.findall(r"(\d) of 3 systems", one["precision-and-recall"]))]
        for one in captions
    ]
    assert counts[0][0] == 0
    assert counts[1][0] == 3
    assert "Noise of all systems" in captions[0]["classes"]
    assert captions[1]["classes"] == ""
    alone = replace(found, scores=found.scores.filter(system="eager"))
    said = {one.name: one.caption for one in page_of(alone).figures}["word-and-dictionary"]
    assert "least-squares" in captions[0]["word-and-dictionary"]
    # Three systems have six orders, so that no p-value is below 5%.
    assert captions[0]["word-and-dictionary"].endswith(
        "; r is Pearson's, of too few systems to tell it from chance."
    )
    assert "least-squares" not in said
    papers = ("Carl", "Fraser", "found high", "predicts translation quality")
    assert not [one for one in captions[0].values() if any(name in one for name in papers)]


def test_the_best_system_over_alpha_turns_round(made):
    said = {one.name: one.caption for one in made["links"][0].figures}["f-by-alpha"]
    assert "Fraser" not in said
    hyps = {"good": page_kinds.GOLD, "bad": page_kinds.HYPS["cautious"]}
    for names in (("good", "bad"), ("bad", "good")):
        given = dict(zip(names, hyps.values(), strict=True))
        page = page_of(links.score(given, page_kinds.GOLD, bootstrap=0).evaluated())
        said = {one.name: one.caption for one in page.figures}["f-by-alpha"]
        assert said.endswith(f" The highest F at every α is that of {names[0]}.")
    alone = page_of(links.score(page_kinds.HYPS["eager"], page_kinds.GOLD, bootstrap=0).evaluated())
    assert alone.figures[1].caption == "The smaller α is, the more F weights recall."


def test_metrics_are_not_called_systems(made):
    lead = made["metrics"][0].lead
    assert "system" not in lead
    scores = pl.DataFrame({"system": [*"abc"], "x": [0.9, 0.5, 0.4]})
    scores = scores.with_columns(signature=pl.lit("bootstrap:999,seed:1,confidence:0.95"))
    tests = pl.DataFrame(
        {"system": ["b", "c"], "baseline": ["a"] * 2, "difference": [-0.4, -0.5]}
        | {f"difference_{end}": [-0.5, -0.5] for end in ("low", "high")}
        | {"p_corrected": [0.001, 0.001]}
    )
    said = ranking(scores, tests, {"x": "X"}, noun="metric")
    assert said.endswith("The other metric is significantly worse.")
    nothing = scores.with_columns(x=pl.lit(None, pl.Float64))
    assert ranking(nothing, tests, {"x": "X"}, noun="metric") == "No metric has a defined X."


@pytest.mark.parametrize(
    ("p", "base", "said"),
    [
        (0.001, "a", "b has the best Y, 0.5000, significantly better than that of a (p = 0.001)."),
        (
            0.3,
            "a",
            "b has the best Y, 0.5000; the difference from a is not significant (p = 0.300).",
        ),
        (
            0.3,
            "b",
            "b has the best Y, 0.5000; the difference from a is not significant (p = 0.300).",
        ),
        (None, "a", "Not tested: the best Y, 0.5000, is that of b."),
    ],
)
def test_a_later_measure_is_said_with_its_own_test(p, base, said):
    scores = pl.DataFrame({"system": ["a", "b"], "x": [0.9, 0.5], "y": [0.2, 0.5]})
    other = "b" if base == "a" else "a"
    rows = [
        {"system": other, "baseline": base, "measure": name, "difference": gap, "p_corrected": own}
        | {f"difference_{end}": gap for end in ("low", "high")}
        for name, gap, own in (("x", -0.4, 0.001), ("y", 0.3, p))
    ]
    tests = pl.DataFrame(rows, schema_overrides={"p_corrected": pl.Float64})
    figures = {"x": "X", "y": "Y"}
    assert ranking(scores.with_columns(signature=pl.lit("v")), tests, figures).endswith(said)


def disagreeing(later):
    """Return what follows on later measures, after x, by which only c is worse than a."""
    values = {"a": 0.9, "b": 0.85, "c": 0.5}
    measures = {"x": (0.2, 0.001), **later}
    scores = pl.DataFrame({"system": [*values]} | {name: [*values.values()] for name in measures})
    rows = [
        {"system": system, "baseline": "a", "measure": name, "p_corrected": p}
        | {"value": values[system], "baseline_value": 0.9}
        | dict.fromkeys(("difference", "difference_low", "difference_high"), values[system] - 0.9)
        for name, own in measures.items()
        for system, p in zip("bc", own, strict=True)
    ]
    said = ranking(
        scores.with_columns(signature=pl.lit("v|bootstrap:999,seed:1,confidence:0.95")),
        pl.DataFrame(rows),
        {name: name.upper() for name in measures},
    )
    return said.partition("significantly worse.")[2].lstrip()


def test_measures_that_disagree_on_systems_say_so():
    told = "By Y, b is 0.0500 worse than a (0.0500 to 0.0500; p = 0.001)"
    assert disagreeing({"y": (0.2, 0.001)}) == ""
    assert disagreeing({"y": (0.001, 0.001)}) == f"{told}."
    assert disagreeing({"y": (0.2, 0.3)}) == "Y cannot tell c from a (p = 0.300)."
    both = {"y": (0.001, 0.3)}
    assert disagreeing(both) == f"{told}, but Y cannot tell c from a (p = 0.300)."
    several = {"y": (0.001, 0.3), "z": (0.001, 0.3)}
    assert disagreeing(several) == "Y and Z can tell b from a, but cannot tell c from a."
    alike = {"y": (0.001, 0.001), "z": (0.001, 0.001)}
    assert disagreeing(alike) == "Y and Z can tell b from a."


@pytest.mark.parametrize(("low", "p"), [(-0.01, 0.3), (0.02, 0.12), (0.02, 0.01)])
@pytest.mark.parametrize("pairs", [True, False])
def test_a_correction_is_said_where_bold_or_an_interval_has_another(low, p, pairs):
    scores = pl.DataFrame({"system": ["a", "b", "c"], "x": [0.5, 0.45, 0.2]})
    scores = scores.with_columns(signature=pl.lit("v|bootstrap:999,seed:1,confidence:0.95"))
    row = {"system": "b", "baseline": "a", "measure": "x", "difference": -0.05, "p_corrected": p}
    row |= {"difference_low": -0.08, "difference_high": -low}
    row |= {"signature": "v|correction:max-t" + "-all-pairs" * pairs}
    last = row | {"system": "c", "difference": -0.3, "p_corrected": 0.001}
    said = ranking(scores, pl.DataFrame([row, last]), {"x": "X"})
    why = f" corrected for {'all pairs' if pairs else 'the number of systems'}"
    why = why if not pairs or (low > 0 and p > 0.05) else ""
    verdict = "a significant difference" if p < 0.05 else "which is not significant"
    ends = f"{printed(low)} to 0.0800"
    assert f" b follows, 0.0500 worse ({ends}; p = {p:.3f}{why}), {verdict}. The" in said
    alone = ranking(scores.head(2), pl.DataFrame([row]), {"x": "X"})
    assert alone.endswith(f"b follows, 0.0500 worse ({ends}; p = {p:.3f}), {verdict}.")


@pytest.mark.parametrize("p", [0.001, 0.3])
def test_systems_of_the_same_value_may_differ_by_a_later_measure(p):
    scores = pl.DataFrame({"system": ["a", "b"], "x": [0.5, 0.5], "y": [0.9, 0.8]})
    scores = scores.with_columns(signature=pl.lit("v|bootstrap:999,seed:1,confidence:0.95"))
    tests = pl.DataFrame(
        {"system": "b", "baseline": "a", "measure": name, "value": value, "p_corrected": own}
        | {"baseline_value": value - gap, "difference": gap}
        | {f"difference_{end}": gap for end in ("low", "high")}
        for name, value, gap, own in (("x", 0.5, 0.0, 1.0), ("y", 0.8, -0.1, p))
    )
    said = "a and b have the same X, 0.5000."
    if p < 0.05:
        said += " By Y, b is 0.1000 worse than a (0.1000 to 0.1000; p = 0.001)."
    assert ranking(scores, tests, {"x": "X", "y": "Y"}) == said


def test_lexicons_of_one_training_set_have_no_means():
    text = pl.DataFrame({"src": [["un", "mot"]] * 3, "tgt": [["a", "word"]] * 3})
    page = page_of(lexicon.study(text, text, ["none"], sizes=[2], sets=1, n_best=1))
    captions = {one.name: one.caption for one in page.figures}
    assert captions["precision"] == "Each figure is that of a single training set."


def test_the_gain_of_a_cascade_is_that_of_the_figures_shown():
    text = pl.DataFrame({"src": [["un", "mot"]] * 3, "tgt": [["a", "word"]] * 3})
    found = lexicon.study(text, text, ["none", "cognate:0.5"], sizes=[2], sets=1, n_best=1)
    means = {"none": 0.359353, "cognate:0.5": 0.384016, "back-off": 0.384016}
    value = pl.col("cascade").replace_strict(means)
    summary = found.summary.with_columns(precision=value, percent_correct=value)
    gain = means["cognate:0.5"] - means["none"]
    tests = found.wilcoxon.with_columns(difference=pl.lit(gain))
    said = page_of(replace(found, summary=summary, wilcoxon=tests)).lead
    # 0.3840 - 0.3594, as the table has them, whereas the gain is 0.02466.
    assert "cognate:0.5 is 0.0246 better than none (too few training sets to test)." in said
    assert "is that of cognate:0.5 and back-off, 0.3840" in said


def test_clean_texts_are_not_called_noisy():
    found = beads.study(["a b", "c d"], ["e f", "g h"], scenarios=["clean"], methods=["len"])
    assert "averaged over 1 clean text." in beads_page(found).lead


def test_methods_that_are_best_equally_often_are_all_named(made):
    keys = {"system": [*"wxyz"], "run": ["1-2", "1-2", "1", "1"], "group": ["one", "two"] * 2}
    figures = {"aer": [0.2, 0.3, 0.2, 0.1], "precision": [0.5] * 4, "recall": [0.5] * 4}
    scores = pl.DataFrame({**keys, **figures, "f_0.5": [None, 0.5, 0.4, 0.3]})
    said = {one.name: one.caption for one in figures_of(scores)}
    best = "The method that is most often best is by AER one and two (1 of 2 each)."
    assert said["aer-by-text"] == f"More text lowers AER at 1 of 2 steps. {best} {LOGARITHMIC}"
    # Of the method one, F is known for one amount of text only: there is one step, of two.
    assert text_findings(scores).startswith(
        "More text lowers AER at 1 of 2 steps and raises F(0.5) at 0 of 1 steps."
    )


SCORES = {"cautious": 24.0, "eager": 27.0, "forward": 28.0, "gold": 26.0}


def correlated(scores, **options):
    """Return correlations of the project's alignments with scores."""
    every = page_kinds.HYPS | {"gold": page_kinds.GOLD}
    counts = links.score({name: every[name] for name in scores}, page_kinds.GOLD).counts
    return links.correlate(counts, scores, **options)


@pytest.mark.parametrize(("lower", "said"), [(False, "worse"), (True, "better")])
def test_words_follow_the_direction_of_the_score(lower, said):
    page = page_of(correlated(SCORES, bootstrap=0, lower_is_better=lower))
    caption = next(one.caption for one in page.figures if one.name == "r2-by-alpha")
    assert f"a higher F goes with a lower score, which is {said}:" in caption


def test_correlations_over_few_systems_are_cautious():
    three = {name: SCORES[name] for name in ("eager", "cautious", "forward")}
    lead = correlated(three, bootstrap=20).conclusion
    few = "which are too few to tell it from chance: of their p-values, none can be below 0.167."
    assert f" over 3 systems, {few}" in lead
    # Of four, one order in 24 is below 5%: what was found counts.
    lead, every = (correlated(SCORES, bootstrap=0), correlated(SCORES, bootstrap=20))
    for found, column, more in ((lead, "p_value", ", not corrected"), (every, "p_corrected", "")):
        rows = found.every.filter(pl.col("measure") != "f_chosen").drop_nulls("pearson")
        p = rows.sort("pearson")[column][-1]
        assert p > 0.05
        assert f" over 4 systems, which may be chance (p = {p:.3f}{more})." in found.conclusion


def test_the_best_measure_is_that_of_those_tried():
    """Charts show recall and precision, which may predict better than any α given."""
    said = correlated(SCORES, bootstrap=0, alpha=[0.9]).conclusion
    assert said.startswith("1 − AER predicts score best of the measures tried: ")
    scores = pl.DataFrame({"system": [*"abcd"], "f_0.5": [0.1, 0.2, 0.4, 0.5]})
    table = stats.correlate(scores, dict(zip("abcd", (20.0, 22.0, 23.0, 25.0), strict=True)))
    assert "predicts it as the only measure tried" in stats.conclusion(table, "it")


def test_a_single_sentence_has_no_intervals():
    hyps = {"a": ["0-0 1-1"], "b": ["0-0"], "c": ["0-1 1-0"]}
    found = links.correlate(links.score(hyps, hyps["a"]).counts, {"a": 3.0, "b": 2.0, "c": 1.0})
    ends = [f"{name}_low_sentences" for name in ("r2", "pearson")]
    assert found.correlations.select(*ends, "best_share").null_count().row(0) == (
        *[found.correlations.height] * 3,
    )
    assert "sentences" not in found.signature
    assert not [one for one in page_of(found).notes if one.startswith("Intervals")]
    assert all(map(math.isnan, interval(np.array([0.5, 0.5]), observed=0.5, units=1)))


def three(number):
    """Return links of three systems and gold, in which a is right and the others miss links."""
    gold, wrong = "0-0 1-1 2-2", {"b": "0-0 1-0", "c": "0-1"}
    return {"a": [gold] * number, **{name: [own] * number for name, own in wrong.items()}}


def test_few_sentences_that_can_never_differ_are_named():
    five, twenty = ({name: one[:n] for name, one in three(20).items()} for n in (5, 20))
    said = "With 1,000 resamples of 5 gold sentences, no difference can be significant."
    for hyps, expected in ((five, True), (twenty, False)):
        page = page_of(links.score(hyps, hyps["a"], bootstrap=1000).evaluated())
        assert ("cannot be told apart" in page.lead, said in page.lead) == (expected, expected)
    text = {"a": ["a b c d"] * 5, "b": ["a b"] * 5, "c": ["a"] * 5}
    ends = {
        "5 sentences": page_of(mt.score(text, text["a"], bootstrap=1000).evaluated()).lead,
        "5 segments": page_of(
            tesla.score(
                text,
                text["a"],
                analysis=tesla.Analysis.of(tagger="none", synonyms="none"),
                bootstrap=1000,
            )
        ).lead,
    }
    for units, lead in ends.items():
        assert f"With 1,000 resamples of {units}, no difference can be significant." in lead


@pytest.mark.parametrize(
    ("names", "number", "exchanged"), [("abc", 99, True), ("abc", 100, False), ("ab", 99, False)]
)
def test_signatures_and_pages_name_exchanged_labels(names, number, exchanged):
    hyps = {name: three(number)[name] for name in names}
    found = links.score(hyps, three(number)["a"], bootstrap=20).evaluated()
    mark = found.comparisons["signature"][0]
    assert mark.endswith("|correction:max-t-all-pairs" + "+exchanged-labels" * exchanged)
    captions = [table.caption for table in page_of(found).tables]
    assert [f"with fewer than {FEW} units, by exchanged labels" in one for one in captions] == [
        exchanged
    ] * 4
    several = len(names) > 2
    assert [captions[0].endswith(ALONE), uncorrected(found.comparisons) == ALONE] == [several] * 2


@pytest.mark.parametrize("lower", [[], ["x"]])
def test_metrics_whose_scores_are_negated_are_named(lower):
    scores = pl.DataFrame({"system": [*"abc"], "sid": [0] * 3, "x": [0.9, 0.5, 0.1]})
    preferred = pl.DataFrame({"sid": [0, 0], "better": ["a", "b"], "worse": ["b", "c"]})
    found = tesla.meta(
        tesla.read_rankings(preferred), scores, metrics=["x"], lower=lower, bootstrap=0
    )
    caption = page_of(found).figures[0].caption
    assert (drawn(page_of(found).figures[0].chart, "system", "score")["score"] < 0).any() == bool(
        lower
    )
    assert caption.endswith("Lower x is better: its scores are shown negated.") == bool(lower)


def test_links_show_the_comparison_with_a_baseline():
    found = links.score(page_kinds.HYPS, page_kinds.GOLD, bootstrap=50).evaluated(
        baseline="cautious"
    )
    page = page_of(found)
    assert [one.choice for one in page.tables] == ["AER", "Precision", "Recall", "F(α = 0.5)"]
    table = page.tables[0]
    assert {one.title for one in page.tables} == {"Differences from cautious"}
    assert table.caption.startswith(
        "Lower AER is better. Below figures are 95% intervals over 72 gold sentences. The p-values "
        "are two-sided"
    )
    row = found.comparisons.row(
        by_predicate=(pl.col("system") == "eager") & (pl.col("measure") == "aer"), named=True
    )
    shown = next(one for one in table.rows if one[0] == "eager")
    assert shown[2].partition("\n")[0] == printed(difference(row["value"], row["baseline_value"]))
    assert shown[3] == p_value(row["p_corrected"])
    # The best come first; what is copied has all digits.
    tests = found.comparisons.filter(measure="aer").sort("difference")
    assert [one[0] for one in table.rows] == tests["system"].to_list()
    exact = [[float(part) for part in one[2].split(" ")] for one in table.exact]
    ends = ("difference", "difference_low", "difference_high")
    assert exact == [[*one] for one in tests.select(ends).iter_rows()]
    shown = drawn(chart(page, "differences"), "measure", "system", "value", "place", "low")
    by_aer = shown.filter(measure="AER").sort("place")
    assert by_aer["value"].is_sorted()
    assert by_aer.filter(system="cautious").select("value", "low").row(0) == (0.0, None)
    by_f = shown.filter(measure="F(α = 0.5)").sort("place")
    assert by_f["value"].is_sorted(descending=True)


@pytest.mark.parametrize("baseline", [None, "cautious"])
def test_pages_and_figures_have_the_signature_of_what_was_done(baseline):
    found = links.score(page_kinds.HYPS, page_kinds.GOLD, bootstrap=50).evaluated(baseline)
    page = page_of(found)
    plain, tested, ranked = (
        one["signature"][0] for one in (found.scores, found.comparisons, found.ranks)
    )
    assert (tested == ranked) == (baseline is None)
    every = dict.fromkeys([plain, tested, ranked])
    assert page.signature == " ".join(every)
    marks = {one.name: one.signature for one in page.figures}
    assert marks["differences"] == tested
    assert "|correction:max-t+" in tested if baseline else "|correction:max-t-all-pairs+" in tested
    assert marks["precision-recall"] == plain
    assert "|by:length|" in marks["error-by-length"]
    assert "bootstrap" not in marks["f-by-alpha"]
    html = page.html()
    assert html.count("<p>Signature: <code>") == len(every)
    assert all(html.count(f"<code>{one}</code>") == 1 for one in every)


def test_a_single_system_has_no_others():
    for hyps, said in ((page_kinds.HYPS, True), ({"eager": page_kinds.HYPS["eager"]}, False)):
        page = page_of(links.score(hyps, page_kinds.GOLD, bootstrap=0).evaluated())
        title = chart(page, "error-by-length").title
        assert ("the others" in title.subtitle) == said


def test_sql_exchanges_labels_below_the_same_number():
    text = (HOME.parent / "sql" / "11_intervals.sql").read_text("utf-8")
    numbers = re.findall(r"units < (\d+)|fewer than (\d+) units", text)
    assert len(numbers) == 4
    assert {int(one or other) for one, other in numbers} == {FEW}


def test_phrases_of_a_single_system_and_of_equal_ones():
    """A single system has no others, and equal ones have no line."""
    text = (["the old house"], ["das alte Haus"])
    one = page_of(phrases.study({"a": ["0-0 1-1"]}, ["0-0 1-1 2-2"], text))
    titles = [named_by(figure.chart) for figure in one.figures]
    said = " ".join(
        [*(figure.caption for figure in one.figures), *(table.title for table in one.tables)]
        + [part for title in titles for part in title]
    )
    for word in ("all systems", "no system", "over systems", "least-squares", "best mean"):
        assert word not in said
    words = chart(one, "word-and-dictionary").to_dict()["layer"][0]["encoding"]["x"]["scale"]
    assert words["domain"][0] < words["domain"][1]
    equal = page_of(phrases.study({"a": ["0-0"], "b": ["0-0"]}, ["0-0 1-1 2-2"], text))
    assert "least-squares" not in " ".join(figure.caption for figure in equal.figures)
    assert "all systems" in " ".join(table.title for table in equal.tables)
    assert (one.sentences.counted, one.sentences.unit) == ("entries", "sentence")


def test_phrases_have_their_systems_in_one_order(made):
    page = made["phrases"][0]
    order = column(page, "System")
    assert order != sorted(order)
    sizes = named(page, "Links, words")
    assert column(page, "System", sizes) == [*order, "gold"]
    assert page.sentences.systems == order
    for name in ("precision-and-recall", "f-scores", "sizes"):
        rows = str(chart(page, name).to_dict())
        found = re.search(r"'sort': \[('eager'|'cautious'|'forward')[^]]*\]", rows)
        assert [one for one in re.findall(r"'(\w+)'", found[0])[1:] if one != "gold"] == order


# --- titles of charts, panels, axes and tables, and notes


def titled(chart):
    """Yield the charts inside a chart that have a title, and it itself, with their texts."""
    title = getattr(chart, "title", None)
    if isinstance(title, str):
        yield chart, [title]
    elif hasattr(title, "to_dict") and title.to_dict():
        parts = title.to_dict()
        yield (
            chart,
            [parts[name] for name in ("text", "subtitle") if isinstance(parts.get(name), str)],
        )
    inner = [getattr(chart, name, None) for name in ("layer", "hconcat", "vconcat", "concat")]
    for part in (part for parts in inner if isinstance(parts, list) for part in parts):
        yield from titled(part)


def axes_of(spec):
    """Yield the titles of axes and legends of a specification."""
    if isinstance(spec, dict):
        for key, own in spec.items():
            if key == "title" and isinstance(own, str):
                yield own
            elif key not in ("title", "datasets", "data", "tooltip"):
                yield from axes_of(own)
    elif isinstance(spec, list):
        for own in spec:
            yield from axes_of(own)


def named_by(chart):
    """Return the titles of a chart, of its panels and its axes."""
    return [*(text for _, texts in titled(chart) for text in texts), *axes_of(chart.to_dict())]


def r_of(chart, columns):
    points = drawn(chart, "system", *columns).drop_nulls().drop("system").to_numpy()
    return scipy_stats.pearsonr(*points.T)[0], len(points)


def of_points(page, chart, r2, r, systems, lacking):
    """Return what the points of a chart have as r, and that names are counted, not computed."""
    own, points = r_of(chart, ("value", "score"))
    falling = printed(own, ".2f") if own < 0 else None
    return f"{own * own:.2f}", falling, f"{points}", lacking


def of_panel(page, chart, *_):
    own, _ = r_of(chart, ("value", "score"))
    return (printed(own * abs(own), ".2f"),)


def of_metric(page, chart, *_):
    points = drawn(chart, "system", "score", "human").drop_nulls()
    x, y = points["score"].to_numpy(), points["human"].to_numpy()
    found = scipy_stats.pearsonr(x, y)[0], scipy_stats.spearmanr(x, y)[0]
    return tuple(printed(one, ".2f") for one in found)


def by_band(page, chart, *_):
    shown = drawn(chart, "length", "sentences").sort("length")
    order = sorted(shown.iter_rows(), key=lambda row: int(re.match(r"\d+", row[0])[0]))
    return (", ".join(f"{number:,} of {name}" for name, number in order),)


def largest(page, *_):
    """Return the largest size of training text."""
    sizes = [row[0] for row in named(page, "Order of back-off").rows]
    return (max(sizes, key=value),)


def training(page, chart_, sets, size):
    """Return the number of training sets of a size, of those of the chart of precision."""
    sizes = [row[0] for row in named(page, "Order of back-off").rows]
    (number,) = drawn(chart(page, "precision"), "sets")["sets"].unique()
    return f"{number}", size if size in sizes else None


TITLES = {
    rf"{NUM} training sets of {NUM} sentence pairs": training,
    rf"Words with another best translation than with \w+, first training set of {NUM} "
    "pairs": largest,
    rf"r² = {NUM}(?: \(r = {NUM}\))? over {NUM} systems(?:; [A-Za-z ]+)?"
    rf"(?:; {NUM} names do not fit)?": of_points,
    rf"r² = {NUM}": of_panel,
    rf"r = {NUM}, ρ = {NUM}": of_metric,
    r"[a-z ]+; sentences: (.+); grey: the others": by_band,
    rf"systems that find the entry \(of {NUM}\)": lambda page, *_: (f"{len(page.table.rows)}",),
}
"""What titles say, and from what of their chart it follows."""

NAMES = (
    r"1 − AER(?: against \w+)?|F\(α = [\d.]+\)(?:, [A-Za-z ]+| against \w+)?",
    r"dashed: equal F at α = [\d.]+",
    r"α  \(0: recall only, 1: precision only\)",
    r"Kendall's τ, WMT\d\d",
    r"the best translation \(k = 1\)|any of the \d+ best \(k = \d+\)",
    r"below 0: the score falls where the measure rises",
    r"bands: 90% and 50% of the segments; line: median; ring: mean",
    r"larger points: more text \(.+ to .+\)",
    r"large points: the best α: .+; (?:no intervals|band: interval over resampled \w+)",
    r"(?:large points|large, orange): beads with a probability below 0\.9.*",
    r"Agreement with human judgements[:,] .+",
    r"Differences from \S+",
    r"Definitions: .+|The experiment of Fraser & Marcu 2007.+|Scores: Fraser & Marcu 2007.+",
    r"Left out: each system is predicted .+ 1 is perfect, 0 .+",
    r"r² within a group is shown below 0 where the score falls\.",
    r"The p-values are two-sided, .+ fewer than 100 units.+",
    r"The best α of an annotation has the (?:highest|lowest) Pearson correlation: .+",
    r"Intervals \(95%\) are (?:by Student's t over training sets|over \d+ resamples: of).+",
    r"Ranks: from 1 and one more for every system that is significantly better, .+",
    r"Time of alignment, 209 source sentences: .+|Sentences are numbered from 0\.",
)
"""Titles and notes whose digits are names and definitions."""


@pytest.mark.parametrize("name", page_kinds.KINDS)
def test_every_title_and_note_is_declared(made, name):
    page, _ = made[name]
    said = [(page.title, None), *((note, None) for note in page.notes)]
    said += [(one.title, None) for one in page.tables]
    for figure in page.figures:
        said += [(text, part) for part, texts in titled(figure.chart) for text in texts]
        said += [(text, figure.chart) for text in axes_of(figure.chart.to_dict())]
    for text, part in said:
        if not re.search(r"\d", text) or any(re.fullmatch(name, text) for name in NAMES):
            continue
        found = [(own, of) for form, of in TITLES.items() if (own := re.fullmatch(form, text))]
        assert found, f"no title like this is declared: {text}"
        match, of = found[0]
        assert match.groups() == of(page, part, *match.groups()), text

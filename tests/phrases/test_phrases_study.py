"""The study of phrase dictionaries: every table against slow counts on the bundled data."""

from collections import Counter, defaultdict
from dataclasses import replace
from statistics import fmean

import polars as pl
import pytest
from helpers.formats import quietly
from helpers.pages import sentences
from reference import phrases as slow
from scipy import stats

from alignframe import phrases
from alignframe.errors import DataWarning, InputError
from alignframe.phrases import charts
from alignframe.phrases.page import phrases_page

SYSTEMS = ("cautious", "eager", "forward")
WORDS = ("word-sure", "word-possible")
FIGURES = ("precision", "recall", "f")


@pytest.fixture(scope="module")
def data(bundled):
    """Text, gold and systems as sets, and gold's Sure links."""
    text = slow.text_of(bundled / "text.en", bundled / "text.fr")
    rows = {name: slow.sets_of(bundled / f"{name}.talp") for name in ("gold", *SYSTEMS)}
    sure = {
        sid: {tuple(map(int, link.split("-"))) for link in line.split() if "-" in link}
        for sid, line in enumerate((bundled / "gold.talp").read_text("utf-8").splitlines())
    }
    return text, rows, sure


@pytest.fixture(scope="module")
def dictionaries(data):
    """Return the entries of every system and dictionary."""
    text, rows, _ = data
    return {
        name: {system: slow.dictionary(mine, text, name) for system, mine in rows.items()}
        for name in phrases.DICTIONARIES
    }


@pytest.fixture(scope="module")
def found(bundled, data):
    hyp = {name: bundled / f"{name}.talp" for name in SYSTEMS}
    return phrases.study(hyp, bundled / "gold.talp", slow.bitext(data[0]), top=7)


def test_sizes(found, data, dictionaries):
    text, rows, _ = data
    wanted = []
    for system in (*SYSTEMS, "gold"):
        links = sum(len(one) for one in rows[system].values())
        nulls = sum(slow.null_links(one, *map(len, text[sid])) for sid, one in rows[system].items())
        sizes = [len(dictionaries[name][system]) for name in phrases.DICTIONARIES]
        kind = "gold" if system == "gold" else "system"
        wanted.append((system, kind, links, nulls, *sizes))
    assert found.sizes.rows() == wanted
    assert found.sizes.columns[2:] == ["links", "null_links", *phrases.DICTIONARIES]


def with_nulls(rows, text):
    return {sid: slow.with_null_links(one, *map(len, text[sid])) for sid, one in rows.items()}


def word_score(hyp, gold):
    both = sum(len(hyp[sid] & gold[sid]) for sid in gold)
    n_hyp, n_gold = (sum(map(len, side.values())) for side in (hyp, gold))
    return (both / n_hyp, both / n_gold, 2 * both / (n_hyp + n_gold))


def slow_scores(data, dictionaries):
    text, rows, sure = data
    linked = {name: with_nulls(one, text) for name, one in rows.items()}
    for system in SYSTEMS:
        # The null links of gold are those of words that are not even possibly linked.
        certain = {sid: sure[sid] | linked["gold"][sid] - rows["gold"][sid] for sid in sure}
        yield (system, "word-sure"), word_score(linked[system], certain)
        yield (system, "word-possible"), word_score(linked[system], linked["gold"])
        for name, made in dictionaries.items():
            yield (system, name), slow.score(made[system], made["gold"], name)[2:]


def test_scores_and_correlations(found, data, dictionaries):
    wanted = dict(slow_scores(data, dictionaries))
    made = {row[:2]: row[2:] for row in found.scores.rows()}
    assert list(made) == list(wanted)
    for key, figures in made.items():
        assert figures == pytest.approx(wanted[key]), key
    rows = found.correlations.to_dicts()
    assert [(row["word"], row["dictionary"]) for row in rows] == [
        (word, name) for word in WORDS for name in phrases.DICTIONARIES
    ]
    for row in rows:
        sides = [
            [wanted[system, measure][2] for system in SYSTEMS]
            for measure in (row["word"], row["dictionary"])
        ]
        assert row["systems"] == 3
        assert row["pearson"] == pytest.approx(stats.pearsonr(*sides).statistic)
        assert row["spearman"] == pytest.approx(stats.spearmanr(*sides).statistic)


def sentence_score(hyp, gold):
    both = len(hyp & gold)
    f = 2 * both / (len(hyp) + len(gold)) if gold else None
    return [slow.ratio(both, len(hyp)), slow.ratio(both, len(gold)), f]


def test_by_length_and_sentence(bundled, found, data, dictionaries):
    text, rows, _ = data
    hyp = {name: bundled / f"{name}.talp" for name in SYSTEMS}
    apart = phrases.study(hyp, bundled / "gold.talp", slow.bitext(text), by=["sid"], top=7)
    made = dictionaries["align-dic1"]
    entries = {
        system: {sid: {e for e in one if e[0] == sid} for sid in text}
        for system, one in made.items()
    }
    linked = {name: with_nulls(one, text) for name, one in rows.items()}
    parts = defaultdict(list)
    for sid, (src, tgt) in text.items():
        for system in SYSTEMS:
            figures = []
            for kind in (entries, linked):
                figures += sentence_score(kind[system][sid], kind["gold"][sid])
            for key in (sid, (len(src) + len(tgt)) / 2):
                parts[type(key), key].append(figures)
    names = [f"{what}_{figure}" for what in ("phrase", "word") for figure in FIGURES]
    assert found.by_length.columns == ["length", "sentences", *names]
    assert found.by_sentence is None
    assert apart.by_length.equals(found.by_length)
    assert apart.by_sentence.columns == ["sid", "length", *names]
    lengths = {sid: (len(src) + len(tgt)) / 2 for sid, (src, tgt) in text.items()}
    assert dict(apart.by_sentence.select("sid", "length").rows()) == lengths
    for frame, kind in ((found.by_length, float), (apart.by_sentence, int)):
        keys = [key for of, key in parts if of is kind]
        assert frame.to_series(0).to_list() == sorted(keys)
        for key, _, *figures in frame.rows():
            columns = zip(*parts[kind, key], strict=True)
            assert figures == pytest.approx([slow.mean(column) for column in columns])
    assert dict(found.by_length.select("length", "sentences").rows()) == {
        key: len(rows) / 3 for (kind, key), rows in parts.items() if kind is float
    }


def slow_entries(made):
    """Return entries with class, occurrences, whether gold has them, and how many systems find
    them.
    """
    gold, systems = made["gold"], [made[name] for name in SYSTEMS]
    for entry in {e for one in made.values() for e in one}:
        number = sum(entry in one for one in systems)
        kinds = {(True, 3): "correct", (True, 0): "missing", (False, 3): "noise"}
        kind = kinds.get((entry in gold, number), "partly" if entry in gold else None)
        n = gold[entry] if entry in gold else max(one[entry] for one in systems)
        yield entry, kind, n, entry in gold, number


@pytest.mark.parametrize("name", ["text-dic1", "text-dic2"])
def test_classes_and_entries(found, dictionaries, name):
    every = list(slow_entries(dictionaries[name]))
    classes = []
    for kind in ("correct", "missing", "noise"):
        mine = [entry for entry, own, *_ in every if own == kind]
        one_word = sum(" " not in src and " " not in tgt for src, tgt in mine)
        classes.append((name, kind, len(mine), one_word, len(mine) - one_word))
    assert found.classes.filter(dictionary=name).rows() == classes
    assert all(row[2] > 0 for row in classes)

    shares, short = Counter(), Counter()
    for (src, tgt), *_, in_gold, number in every:
        shares[number] += in_gold
        short[number] += in_gold and " " not in src and " " not in tgt
    assert found.found_by.filter(dictionary=name).drop("dictionary").rows() == [
        (number, n, short[number], n - short[number]) for number, n in sorted(shares.items()) if n
    ]

    known = {entry: rest for entry, *rest in every}
    listed = found.entries.filter(dictionary=name)
    for row in listed.to_dicts():
        kind, n, in_gold, number = known[row["src"], row["tgt"]]
        assert (row["class"], row["n"], row["in_gold"], row["found_by"]) == (
            kind,
            n,
            in_gold,
            number,
        )
        assert (row["systems"], row["share"]) == (3, number / 3)
        assert row["src_words"] == len(row["src"].split())
        assert row["tgt_words"] == len(row["tgt"].split())
    # The most frequent ones of each class; entries with one word on both sides and longer ones
    # separately.
    for kind in ("correct", "missing", "noise", "partly"):
        for longer in (False, True):
            sizes = [
                rest[1]
                for (src, tgt), rest in known.items()
                if rest[0] == kind and (" " in src or " " in tgt) == longer
            ]
            words = pl.max_horizontal("src_words", "tgt_words")
            mine = listed.filter(pl.col("class") == kind, (words > 1) == longer)
            assert sorted(mine["n"]) == sorted(sizes, reverse=True)[:7][::-1]
    order = ["class", "share", "n", "src", "tgt"]
    falling = [False, True, True, False, False]
    assert listed.rows() == listed.sort(order, descending=falling).rows()


def test_options_change_the_study(bundled, data, found):
    hyp = {name: bundled / f"{name}.talp" for name in SYSTEMS}
    text, rows, sure = data
    other = phrases.study(
        hyp,
        bundled / "gold.talp",
        slow.bitext(text),
        sure_only=True,
        possible_as_sure=True,
        max_length=2,
        top=1,
        threads=1,
        memory_limit="500MB",
    )
    longer = pl.max_horizontal("src_words", "tgt_words") > 1
    parts = other.entries.group_by("dictionary", "class", longer.alias("longer")).len()
    assert parts["len"].to_list() == [1] * parts.height
    assert parts["class"].n_unique() == 4
    for name in phrases.DICTIONARIES:
        mine, wanted = (slow.dictionary(r, text, name, 2) for r in (rows["eager"], sure))
        row = other.scores.filter(system="eager", measure=name).row(0)
        assert row[2:] == pytest.approx(slow.score(mine, wanted, name)[2:])
    figures = {row[:2]: row[2:] for row in other.scores.rows()}
    assert figures["eager", "word-sure"] == figures["eager", "word-possible"]
    assert figures["eager", "word-possible"] == pytest.approx(
        word_score(with_nulls(rows["eager"], text), with_nulls(rows["gold"], text))
    )
    assert "gold:sure|max-length:2" in other.signature
    assert other.signature != found.signature
    assert list(other.tables()) == [
        "sizes",
        "scores",
        "correlations",
        "by_length",
        "classes",
        "found_by",
        "entries",
    ]


TEXT = {0: (["a", "b"], ["x", "y"]), 1: (["c"], ["z"])}
GOLD = {0: {(0, 0), (1, 1)}, 1: {(0, 0)}}


@pytest.mark.parametrize("rows", [{0: set(), 1: set()}, {0: set(), 2: {(0, 0)}}])
def test_a_system_without_entries(rows):
    """It has no links of gold's words, all of which have null links."""
    text = slow.bitext(TEXT | {2: (["d"], ["v"])})
    made = quietly(phrases.study, {"none": slow.nested(rows)}, slow.nested(GOLD), text)
    assert made.sizes.rows() == [
        ("none", "system", 0, 6, 0, 0, 0),
        ("gold", "gold", 3, 0, 3, 3, 4),
    ]
    figures = (None, 0.0, 0.0, 0.0, 0.0, 0.0)
    assert made.by_length.rows() == [(1.0, 1, *figures), (2.0, 1, *figures)]
    assert made.classes.filter(pl.col("class") == "missing")["entries"].to_list() == [3, 4]
    assert made.scores.filter(measure="text-dic1").rows() == [("none", "text-dic1", None, 0.0, 0.0)]


def test_an_empty_system_counts_like_the_others():
    hyp = {"all": slow.nested(GOLD), "none": slow.nested({0: set(), 1: set()})}
    made = phrases.study(hyp, slow.nested(GOLD), slow.bitext(TEXT))
    assert made.classes["entries"].to_list() == [0] * 6
    assert made.entries["share"].to_list() == [0.5] * 7
    assert made.entries["class"].unique().to_list() == ["partly"]
    assert made.by_length["phrase_recall"].to_list() == [0.5, 0.5]
    assert made.by_length["phrase_precision"].to_list() == [1.0, 1.0]
    assert made.correlations["pearson"].to_list() == [None] * 6


def test_equal_scores_have_no_correlation():
    hyp = {name: slow.nested(GOLD) for name in "abc"}
    made = phrases.study(hyp, slow.nested(GOLD), slow.bitext(TEXT))
    assert made.correlations["systems"].to_list() == [3] * 6
    assert made.correlations["spearman"].to_list() == [None] * 6


def test_missing_sentences_cause_one_warning():
    text, gold = slow.bitext(TEXT), slow.nested(GOLD)
    part = {"part": slow.nested({0: GOLD[0]})}
    with pytest.warns(DataWarning, match="part .*1 of 2") as caught:
        made = phrases.study(part, gold, text)
    assert len(caught) == 1
    whole = phrases.study({"part": slow.nested({0: GOLD[0], 1: set()})}, gold, text)
    for name, table in made.tables().items():
        assert table.equals(whole.tables()[name]), name
    assert made.scores["recall"].to_list() == pytest.approx([2 / 3, 2 / 3, 0.5, 2 / 3, 0.75])
    with pytest.raises(InputError, match="no row for 1 of 2"):
        phrases.study(part, gold, text, strict=True)
    assert fmean([1.0, 0.0]) == made.by_length["phrase_recall"].mean()


def test_streams_are_read_once():
    text, gold = slow.bitext(TEXT), slow.nested(GOLD)
    wanted = phrases.study({"a": gold}, gold, text).tables()
    streams = [frame.to_arrow().to_reader() for frame in (gold, gold, text)]
    made = phrases.study([{"a": streams[0]}], streams[1], streams[2]).tables()
    assert all(made[name].equals(wanted[name]) for name in wanted)


# --- the page


@pytest.fixture(scope="module")
def page(bundled, data):
    hyp = {name: bundled / f"{name}.talp" for name in SYSTEMS}
    links = hyp, bundled / "gold.talp", slow.bitext(data[0])
    return phrases.study(*links).page()


def chart_of(page, name):
    return next(figure.chart for figure in page.figures if figure.name == name).to_dict()


def test_the_page_gives_precision_recall_and_f(page, found):
    figures = {row[:2]: row[2:] for row in found.scores.rows()}
    heads = list(page.table.heads)
    for row in page.table.rows:
        for name in phrases.DICTIONARIES:
            cells = [row[heads.index(f"{name} {figure}")] for figure in "PRF"]
            shown = [cell.partition("\n")[0] for cell in cells]
            assert shown == [f"{value:.4f}" for value in figures[row[0], name]]
    (rows,) = chart_of(page, "precision-and-recall")["datasets"].values()
    drawn = {(r["system"], r["measure"], r["series"]): r["value"] for r in rows}
    for (system, name), (precision, recall, _) in figures.items():
        if name in phrases.DICTIONARIES:
            assert drawn[system, name, "precision"] == precision
            assert drawn[system, name, "recall"] == recall


def test_the_page_lists_one_word_and_longer_entries_separately(page):
    for table in (one for one in page.tables if one.texts == 2):
        longer = table.title.endswith("longer")
        for src, tgt, times in table.rows:
            assert (" " in src or " " in tgt) == longer or times == ""


def test_entries_open_their_first_sentences(page):
    data = sentences(page)
    assert data["heads"] == ["Source", "Target", "Class", "Times"]
    assert {row["cells"][2] for row in data["rows"]} == {"hard", "easy", "noise"}
    for row in data["rows"]:
        detail = row["detail"]
        a, b, c, d = detail["marked"]
        assert " ".join(detail["src"][a:b]) == row["cells"][0]
        assert " ".join(detail["tgt"][c:d]) == row["cells"][1]
        assert len(detail["at"]) == len(data["systems"])


def test_a_page_of_a_study_alone_has_no_examples(found):
    made = phrases_page(replace(found, links=None))
    names = [figure.name for figure in made.figures]
    assert made.sentences is None
    assert "precision-and-recall" in names


def test_a_caption_turns_around_with_its_figures(found):
    """It says for how many systems precision is above recall."""

    panels = {"word-possible": "words, all links"} | {name: name for name in phrases.DICTIONARIES}
    names = {"precision": "recall", "recall": "precision"}
    for scores in (found.scores, found.scores.rename(names)):
        above = []
        for measure, panel in panels.items():
            own = scores.filter(measure=measure).drop_nulls(["precision", "recall"])
            number = sum(p > r for p, r in own.select("precision", "recall").iter_rows())
            above.append(f"{number} of {own.height} systems by {panel}")
        study = replace(found, scores=scores.select(found.scores.columns))
        (caption,) = (
            one.caption for one in phrases_page(study).figures if one.name == "precision-and-recall"
        )
        assert caption.endswith(f". Precision is above recall for {'; '.join(above)}.")


def test_a_regression_of_shares_is_drawn_to_its_end(found):
    """Steep figures make a local regression leave the range from 0 to 1, where it was cut."""
    names = [one for one in found.by_length.columns if one not in ("length", "sentences")]
    steep = [pl.Series(name, [1.0] * 6 + [0.0] * 6) for name in names]
    frame = pl.DataFrame({"length": range(1, 13), "sentences": [3] * 12}).with_columns(steep)
    _, line = charts.by_length(frame).to_dict()["layer"]
    assert line["transform"][1] == {"calculate": "clamp(datum.value, 0, 1)", "as": "value"}
    assert not line["mark"].get("clip")


def test_two_sentences_are_not_two_sides():
    links, sides = ["0-0 1-1", "0-0 1-1"], (["a b", "c d"], ["x y", "z w"])
    sentences = list(zip(*sides, strict=True))
    found = [phrases.study({"h": links}, links, text, top=5) for text in (sides, sentences)]
    assert found[0].entries.equals(found[1].entries)
    assert set(found[0].entries["tgt"]) == {"x", "y", "z", "w", "x y", "z w"}

"""Texts, links, beads and word lists as other tools write them are what they are in plain files."""

import json

import polars as pl
import pytest
from helpers.cli import json_of, run
from helpers.clothes import BYTES, Case, check, dressed, heard, joined
from helpers.sql import connected

from alignframe import formats, lexicon, links, mt
from alignframe.engines.tables import make_views
from alignframe.sources.words import lexicon_table

SRC = ["the old mill", "it stands by the river", "nobody lives there", "the mill is old"]
SRC += [f"the {one} stands by the {other}" for one in SRC for other in ("mill", "river")]
TGT = ["le vieux moulin", "il est au bord de l' eau", "personne n' y habite", "le moulin est vieux"]
TGT += [f"le {one} est au bord du {other}" for one in TGT for other in ("moulin", "fleuve")]


def cues(between, last=""):
    """Return what writes texts as cues, each between times, which have seconds from 1 on."""

    def write(texts):
        parts = [between(k, 10 * k, text) for k, text in enumerate(texts, 1)]
        return "".join(f"{part}\n" for part in parts) + last

    return write


def clock(seconds, mark=","):
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{mark}500"


def srt(k, at, text):
    return f"{k}\n{clock(at)} --> {clock(at + 2)}\n{text}\n"


def ass(texts):
    lines = [f"Dialogue: 0,{at}:00:01.00,{at}:00:02.00,A,,0,0,0,,{t}" for at, t in enumerate(texts)]
    return joined(["[Script Info]", "ScriptType: v4.00+", "", "[Events]", "Format: Layer", *lines])


def conllu(texts):
    def rows(text):
        words = enumerate(text.split(), 1)
        return "".join(f"{k}\t{word}\t_\tX\t_\t_\t0\tdep\t_\t_\n" for k, word in words)

    return "".join(f"# text = {text}\n{rows(text)}\n" for text in texts)


def sgml(texts):
    lines = [f'<seg id="{k}">{text}</seg>' for k, text in enumerate(texts, 1)]
    return joined(['<srcset setid="a" srclang="any">', '<doc docid="d">', *lines, "</doc>"])


def sentences_of_xml(texts):
    lines = [f'<s id="{k}">{text}</s>' for k, text in enumerate(texts, 1)]
    return joined(['<?xml version="1.0" encoding="utf-8"?>', "<text>", *lines, "</text>"])


def table(mark, first=0, order=1, head=("sid", "text")):
    def write(texts):
        rows = [f"{k}{mark}{text}" for k, text in enumerate(texts, first)][::order]
        return joined([mark.join(head), *rows])

    return write


def objects(texts):
    return joined(json.dumps({"text": text, "sid": k}) for k, text in enumerate(texts))[:-1] + "\n"


TEXTS = {
    "SRT": (cues(srt), ".srt"),
    "SRT called .txt": (cues(srt), ".txt"),
    "WebVTT": (
        lambda t: "WEBVTT\n\n" + cues(srt)(t).replace(",500", ".500"),
        ".vtt",
    ),
    "SBV": (
        cues(lambda _, at, t: f"{clock(at, '.')},{clock(at + 2, '.')}\n{t}\n"),
        ".sbv",
    ),
    "ASS": (ass, ".ass"),
    "MicroDVD": (cues(lambda _, at, t: f"{{{at}}}{{{at + 5}}}{t}"), ".sub"),
    "MPL2": (cues(lambda _, at, t: f"[{at}][{at + 5}]{t}"), ".txt"),
    "Europarl": (lambda t: joined(["<CHAPTER ID=1>", *t[:3], "<SPEAKER ID=1>", "<P>", *t[3:]]), ""),
    "SGML": (sgml, ".sgm"),
    "XML": (sentences_of_xml, ".xml"),
    "CoNLL-U": (conllu, ".conllu"),
    "CoNLL-U called .txt": (conllu, ".txt"),
    "numbers": (lambda t: joined(f"{k}\t{text}" for k, text in enumerate(t, 40001001)), ""),
    "verses": (lambda t: joined(f"MAT 1:{k}\t{text}" for k, text in enumerate(t, 1)), ".txt"),
    "books": (lambda t: joined(f"1 Samuel 3:{k}\t{text}" for k, text in enumerate(t, 1)), ".txt"),
    "ids in .tsv": (lambda t: joined(f"s{k}\t{text}" for k, text in enumerate(t, 1)), ".tsv"),
    "marks of WPT": (lambda t: joined(f"<s snum={k}> {s} </s>" for k, s in enumerate(t, 1)), ""),
    ".csv": (table(","), ".csv"),
    ".tsv": (table("\t"), ".tsv"),
    ".tsv, backwards": (table("\t", order=-1), ".tsv"),
    ".tsv from 1": (table("\t", first=1), ".tsv"),
    ".jsonl": (objects, ".jsonl"),
}
XML_SAYS = "XML|encoding|U.FEFF|byte order mark|not well-formed|carriage return"


def bleu_of(hyp, ref):
    row = mt.score({"x": hyp}, ref, bootstrap=0).scores
    return [row[name][0] for name in ("sentences", "bleu", "chrf")]


@pytest.mark.parametrize("kind", TEXTS)
def test_kinds_of_text_are_their_sentences(tmp_path, kind):
    write, suffix = TEXTS[kind]
    words = [text.split() for text in SRC]
    roads = {
        "sentences": (
            lambda src, _: [text.strip() for text in formats.read_sentences(src).to_pylist()],
            SRC,
        ),
        "tokens": (lambda src, _: formats.read_tokens(src), words),
        "pairs": (induced, induced(SRC, TGT)),
        "score": (lambda src, _: bleu_of(src, SRC[::-1]), bleu_of(SRC, SRC[::-1])),
        "beside": (_pairs_of, [*zip(words, (text.split() for text in TGT), strict=True)]),
    }
    for road, (figures, expected) in roads.items():
        cases = []
        for clothes, (_, _, says) in BYTES.items():
            src, tgt = (dressed(tmp_path, "t", write(side), clothes, suffix) for side in (SRC, TGT))
            told = [says, XML_SAYS * (suffix == ".xml"), "sid" * (kind == ".tsv from 1")]
            made = lambda src=src, tgt=tgt, figures=figures: figures(src, tgt)  # noqa: E731
            cases.append(Case(f"{kind} {clothes} {road}", made, "|".join(filter(None, told))))
        check(cases, expected)


def induced(*text):
    return lexicon.induce(*text, n_best=1).frame.select("src", "tgt").rows()


def _pairs_of(src, tgt):
    table = formats.read_bitext(src, tgt)
    return [*zip(table["src"].to_pylist(), table["tgt"].to_pylist(), strict=True)]


# Both sides in one file.


def headed(mark, names, more=()):
    def write(src, tgt):
        lines = [mark.join([*more, a, b]) for a, b in zip(src, tgt, strict=True)]
        head = [mark.join([*("note",) * len(more), *names])] if names else []
        return joined([*head, *lines])

    return write


def tmx(src, tgt):
    units = "".join(
        f'<tu><tuv xml:lang="en"><seg>{a}</seg></tuv><tuv xml:lang="fr"><seg>{b}</seg></tuv></tu>\n'
        for a, b in zip(src, tgt, strict=True)
    )
    header = '<header srclang="en" segtype="sentence" datatype="plaintext"/>'
    return f'<?xml version="1.0"?>\n<tmx version="1.4">{header}<body>\n{units}</body></tmx>\n'


def xliff(src, tgt):
    units = "".join(
        f'<trans-unit id="{k}"><source>{a}</source><target>{b}</target></trans-unit>\n'
        for k, (a, b) in enumerate(zip(src, tgt, strict=True))
    )
    file = '<file original="a" source-language="en" target-language="fr" datatype="plaintext">'
    return f'<xliff version="1.2">{file}<body>\n{units}</body></file></xliff>\n'


def xliff2(src, tgt):
    units = "".join(
        f'<unit id="u{k}"><segment><source>{a}</source><target>{b}</target></segment></unit>\n'
        for k, (a, b) in enumerate(zip(src, tgt, strict=True))
    )
    return f'<xliff version="2.0" srcLang="en" trgLang="fr"><file id="f">\n{units}</file></xliff>\n'


def translations(src, tgt):
    rows = [{"translation": {"en": a, "fr": b}} for a, b in zip(src, tgt, strict=True)]
    return joined(map(json.dumps, rows))


def hunalign(src, tgt):
    return joined(f"{a}\t{b}\t0.5" for a, b in zip(src, tgt, strict=True))


BOTH = {
    "no header .tsv": (headed("\t", ()), ".tsv", None),
    "no header .txt": (headed("\t", ()), ".txt", None),
    "no header, others before": (headed("\t", (), ("7", "x y")), ".tsv", "3,4"),
    "names .csv": (headed(",", ("en", "fr")), ".csv", "en,fr"),
    "names .tsv": (headed("\t", ("en", "fr"), ("n",)), ".tsv", "en,fr"),
    "src and tgt .csv": (headed(",", ("src", "tgt")), ".csv", None),
    "src and tgt in .txt": (headed("\t", ("src", "tgt")), ".txt", None),
    "translation .jsonl": (translations, ".jsonl", None),
    "TMX": (tmx, ".tmx", None),
    "XLIFF 1.2": (xliff, ".xliff", None),
    "XLIFF 2": (xliff2, ".xlf", None),
    "hunalign": (hunalign, ".txt", "1,2"),
    "|||": (headed(" ||| ", ()), ".txt", None),
}


@pytest.mark.parametrize("kind", BOTH)
def test_files_of_both_sides(tmp_path, kind):
    write, suffix, columns = BOTH[kind]
    expected = induced(SRC, TGT)
    whole = [*zip((s.split() for s in SRC), (t.split() for t in TGT), strict=True)]
    cases, others = [], []
    for clothes, (_, _, says) in BYTES.items():
        path = dressed(tmp_path, "b", write(SRC, TGT), clothes, suffix)
        says = "|".join(filter(None, [says, XML_SAYS * (suffix in (".tmx", ".xliff", ".xlf"))]))
        made = lambda p=path: induced(_of_columns(p, columns))  # noqa: E731
        cases.append(Case(f"{kind} {clothes} induce", made, says))
        read = lambda p=path: _both(p, columns)  # noqa: E731
        others.append(Case(f"{kind} {clothes} read", read, says))
    check(cases, expected)
    check(others, whole)


def _of_columns(path, columns):
    return path if columns is None else formats.read_bitext(path, columns=columns)


def _both(path, columns):
    found = formats.read_bitext(path, columns=columns)
    return [*zip(found["src"].to_pylist(), found["tgt"].to_pylist(), strict=True)]


# Links, with and without labels.

LABELLED = [{(0, 0): 1, (1, 2): 0}, {(3, 1): 1}, {(0, 1): 0, (2, 2): 1, (4, 4): 1}]


def lines_of_links(shown, before=""):
    def write(rows):
        return joined(
            before.format(k) + " ".join(shown(i, j, sure) for (i, j), sure in row.items())
            for k, row in enumerate(rows)
        )

    return write


def long_table(mark, names=("sid", "i", "j", "sure")):
    def write(rows):
        cells = [(k, i, j, int(s)) for k, row in enumerate(rows) for (i, j), s in row.items()]
        return joined([mark.join(names), *(mark.join(map(str, one)) for one in cells)])

    return write


def plain(i, j, sure):
    return f"{i}{'-' if sure else 'p'}{j}"


def text_table(write):
    def made(rows):
        texts = [" ".join(plain(i, j, s) for (i, j), s in row.items()) for row in rows]
        return write(texts)

    return made


LINKS = {
    "letters": (lines_of_links(lambda i, j, s: f"{i}-{j}{'S' if s else 'P'}"), ".talp"),
    "small letters": (lines_of_links(lambda i, j, s: f"{i}-{j}{'s' if s else 'p'}"), ""),
    "triples": (lines_of_links(lambda i, j, s: f"{i}-{j}-{'S' if s else 'P'}"), ""),
    "question marks": (lines_of_links(lambda i, j, s: f"{i}{'-' if s else '?'}{j}"), ".txt"),
    "Tsinghua": (lines_of_links(lambda i, j, s: f"{i + 1}:{j + 1}/{s}"), ".wa.txt"),
    "types": (lines_of_links(lambda i, j, s: f"{i}:{j}:{'sure' if s else 'possible'}"), ""),
    "types, numbered": (
        lines_of_links(lambda i, j, s: f"{i}:{j}:{'sure' if s else 'possible'}", "{} "),
        "",
    ),
    "scores of sentences": (
        lambda rows: lines_of_links(plain)(rows).replace("\n", " ||| -2.5\n"),
        "",
    ),
    "long .csv": (long_table(","), ".csv"),
    "long .tsv": (long_table("\t"), ".tsv"),
    "texts .csv": (text_table(table(",", head=("sid", "links"))), ".csv"),
    "texts .tsv": (text_table(table("\t", head=("sid", "links"))), ".tsv"),
    "texts .tsv, backwards": (text_table(table("\t", order=-1, head=("sid", "links"))), ".tsv"),
    "texts .jsonl": (
        text_table(lambda t: joined(json.dumps({"sid": k, "links": x}) for k, x in enumerate(t))),
        ".jsonl",
    ),
}


def pairs_of(found):
    rows = found["links"].to_pylist()
    return [{(one["i"], one["j"]): int(one["sure"]) for one in row} for row in rows]


@pytest.mark.parametrize("kind", LINKS)
def test_notations_of_links(tmp_path, kind):
    write, suffix = LINKS[kind]
    cases, scores = [], []
    gold = [" ".join(plain(i, j, s) for (i, j), s in row.items()) for row in LABELLED]
    expected = figures(gold, gold)
    for clothes, (_, _, says) in BYTES.items():
        path = dressed(tmp_path, "l", write(LABELLED), clothes, suffix)
        cases.append(Case(f"{kind} {clothes}", lambda p=path: pairs_of(formats.read(p)), says))
        scores.append(Case(f"{kind} {clothes} score", lambda p=path: figures(p, gold), says))
        scores.append(Case(f"{kind} {clothes} gold", lambda p=path: figures(gold, p), says))
    check(cases, LABELLED)
    check(scores, expected)


def figures(hyp, gold):
    found = links.score({"x": hyp}, gold).scores
    return [found[name][0] for name in ("links", "precision", "recall", "aer")]


# Beads.

SPANS = [([0], [0]), ([1, 2], [1]), ([3], [2, 3]), ([4], [4])]


def beads_as(shown):
    return lambda: joined(shown(*bead) for bead in SPANS)


def listed(numbers, mark=","):
    return mark.join(map(str, numbers))


BEADS = {
    "vecalign": (beads_as(lambda a, b: f"{a}:{b}:0.5"), ""),
    "bertalign": (lambda: f"{SPANS}\n", ".txt"),
    "bertalign, a line each": (beads_as(lambda a, b: f"({a}, {b})"), ".txt"),
    "Bleualign": (beads_as(lambda a, b: f"alignment: {listed(a)} - {listed(b)}"), ".txt"),
    "Gale-Church": (beads_as(lambda a, b: f"{listed(a)} <=> {listed(b)}"), ".txt"),
    "OPUS ids": (
        beads_as(lambda a, b: f"a.xml\tb.xml\t{_from_one(a)}\t{_from_one(b)}"),
        ".ids",
    ),
    "ladder": (lambda: "0\t0\t0.1\n1\t1\t0.2\n3\t2\t0.3\n4\t4\t0.4\n5\t5\t0\n", ".ladder"),
    "hunalign": (
        beads_as(
            lambda a, b: "\t".join(" ~~~ ".join("x" for _ in one) for one in (a, b)) + "\t0.5"
        ),
        ".txt",
    ),
    ".csv": (
        lambda: joined(
            ["src_start,src_end,tgt_start,tgt_end"]
            + [f"{a[0]},{a[-1] + 1},{b[0]},{b[-1] + 1}" for a, b in SPANS]
        ),
        ".csv",
    ),
}


def _from_one(numbers):
    return listed([k + 1 for k in numbers], " ")


def spans_of(path):
    names = ("src_start", "src_end", "tgt_start", "tgt_end")
    found = formats.read_beads(path)
    return [*zip(*(found[name].to_pylist() for name in names), strict=True)]


@pytest.mark.parametrize("kind", BEADS)
def test_beads_of_other_tools(tmp_path, kind):
    write, suffix = BEADS[kind]
    wanted = [(a[0], a[-1] + 1, b[0], b[-1] + 1) for a, b in SPANS]
    cases = []
    for clothes, (_, _, says) in BYTES.items():
        path = dressed(tmp_path, "m", write(), clothes, suffix)
        says = "ufeff" if (kind, clothes) == ("bertalign", "marks inside") else says  # one line
        cases.append(Case(f"{kind} {clothes}", lambda p=path: spans_of(p), says))
    check(cases, wanted)


# Word lists.

WORDS = [("boat", "bateau"), ("boat", "navire"), ("dog", "chien"), ("red", "rouge")]
RANKED = [(*pair, rank) for pair, rank in zip(WORDS, (1, 2, 1, 1), strict=True)]
LISTS = {
    "tabs": (lambda: joined(f"{a}\t{b}" for a, b in WORDS), ".txt"),
    "MUSE": (lambda: joined(f"{a} {b}" for a, b in WORDS), ".txt"),
    "hunalign": (lambda: joined(f"{b} @ {a}" for a, b in WORDS), ".dic"),
    "lex.f2e": (
        lambda: joined(f"{b} {a} {1 - 0.1 * k:.1f}" for k, (a, b) in enumerate(WORDS)),
        ".f2e",
    ),
    "eflomal": (
        lambda: joined(f"LEX\t{a}\t{b}\t{9 - k}" for k, (a, b) in enumerate(WORDS)),
        ".priors",
    ),
    ".csv": (
        lambda: joined(["src,tgt,rank", *(f"{a},{b},{r}" for a, b, r in RANKED)]),
        ".csv",
    ),
}


@pytest.mark.parametrize("kind", LISTS)
def test_word_lists_are_lexicons(tmp_path, kind):
    write, suffix = LISTS[kind]
    cases = []
    for clothes, (_, _, says) in BYTES.items():
        path = dressed(tmp_path, "lex", write(), clothes, suffix)
        cases.append(Case(f"{kind} {clothes}", lambda p=path: entries(p), says))
    check(cases, RANKED)


def entries(given):
    frame = pl.DataFrame(lexicon_table(given, "the lexicon"))
    rank = pl.col("rank").cast(pl.Int64)
    return frame.select("src", "tgt", rank).sort("src", "rank").rows()


# The same in SQL and the shell.


def in_sql(query, **tables):
    with connected() as con:
        make_views(con, tables)
        return con.sql(query).fetchall()


def made_a_table(path):
    target = path.parent / "made.parquet"
    heard(run("convert", path, target).stderr)
    frame = pl.read_parquet(target)
    return [*zip(frame["sid"], (text.strip() for text in frame["text"]), strict=True)]


SMALL = ("plain", "spaces at ends", "utf-16")


@pytest.mark.parametrize("kind", TEXTS)
def test_kinds_of_text_in_sql_and_shell(tmp_path, kind):
    write, suffix = TEXTS[kind]
    cases = []
    for clothes in SMALL:
        path = dressed(tmp_path, "t", write(SRC), clothes, suffix)
        says = "|".join(filter(None, [BYTES[clothes][2], XML_SAYS * (suffix == ".xml")]))
        query = "select sid, trim(text) from t order by sid"
        asked = lambda p=path, query=query: in_sql(query, t=str(p))  # noqa: E731
        first = "sid" if kind == ".tsv from 1" else says
        cases.append(Case(f"{kind} {clothes} sql", asked, first))
        if suffix not in (".csv", ".jsonl") and kind not in TABLES_OF_TEXT:
            cases.append(Case(f"{kind} {clothes} shell", lambda p=path: made_a_table(p), says))
    least = int(kind == ".tsv from 1")
    check(cases, [*enumerate(SRC, least)])


TABLES_OF_TEXT = (".tsv", ".tsv, backwards", ".tsv from 1")


@pytest.mark.parametrize("kind", LINKS)
def test_notations_of_links_in_sql_and_shell(tmp_path, kind):
    write, suffix = LINKS[kind]
    gold = tmp_path / "gold.talp"
    gold.write_text(lines_of_links(plain)(LABELLED))
    cases = []
    for clothes in SMALL:
        path = dressed(tmp_path, "l", write(LABELLED), clothes, suffix)
        query = "select links, precision, recall, aer from link_scores('h', 'g')"
        asked = lambda p=path, query=query: in_sql(query, h=str(p), g=str(gold))[0]  # noqa: E731
        cases.append(Case(f"{kind} {clothes} sql", asked, BYTES[clothes][2]))
        typed = lambda p=path: in_shell(p, gold)  # noqa: E731
        cases.append(Case(f"{kind} {clothes} shell", typed, BYTES[clothes][2]))
    check(cases, figures(gold, gold))


def in_shell(hyp, gold):
    done = run("links", "score", "--hyp", f"x={hyp}", "--gold", gold, "--json")
    heard(done.stderr)
    (row,) = json_of(done.stdout)
    return [row[name] for name in ("links", "precision", "recall", "aer")]


@pytest.mark.parametrize("kind", BEADS)
def test_beads_of_other_tools_in_the_shell(tmp_path, kind):
    write, suffix = BEADS[kind]
    cases = []
    for clothes in SMALL:
        path = dressed(tmp_path, "m", write(), clothes, suffix)
        made = lambda p=path: converted_beads(p)  # noqa: E731
        cases.append(Case(f"{kind} {clothes} shell", made, BYTES[clothes][2]))
    check(cases, [(a[0], a[-1] + 1, b[0], b[-1] + 1) for a, b in SPANS])


def converted_beads(path):
    target = path.parent / "made.parquet"
    heard(run("convert", path, target).stderr)
    return spans_of(target)

"""Phrase tables: Moses's own figures, a slow reference, and files."""

import gzip
from collections import Counter, defaultdict
from types import SimpleNamespace

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from helpers.cli import json_of, run
from hypothesis import given
from hypothesis import strategies as st

from alignframe import mt
from alignframe.core.arrays import frozen
from alignframe.core.tokens import Numbering
from alignframe.errors import DataWarning, InputError
from alignframe.kernels.text.trie import Trie
from alignframe.mt import pair_counts
from alignframe.mt import table as tables

LINKS = ["0-0 1-2 2-1", "0-0 1-1 1-2", "0-0"]
TEXT = (["la maison bleue", "la maison neuve x", "la"], ["the blue house", "the new house", "the"])


@st.composite
def aligned(draw):
    """Links and words of a few short sentences."""
    rows = []
    for _ in range(draw(st.integers(1, 4))):
        src, tgt = (
            draw(st.lists(st.sampled_from(w), min_size=1, max_size=5)) for w in ("ab", "xy")
        )
        cells = [(i, j) for i in range(len(src)) for j in range(len(tgt))]
        rows.append((src, tgt, sorted(draw(st.sets(st.sampled_from(cells), max_size=6)))))
    if not any(links for _, _, links in rows):
        rows.append((["a"], ["x"], [(0, 0)]))
    return rows


def reference(rows, longest):
    """Return the phrase table of sentences by the definitions, span by span."""
    found, words = defaultdict(list), Counter()
    for src, tgt, links in rows:
        for side, one in enumerate((src, tgt)):
            for k, word in enumerate(one):
                if all(link[side] != k for link in links):
                    words[(None, word) if side else (word, None)] += 1
        words.update((src[i], tgt[j]) for i, j in links)
        around = {*links, (-1, -1), (len(src), len(tgt))}
        for a in range(len(src)):
            for b in range(a + 1, min(len(src), a + longest) + 1):
                for c in range(len(tgt)):
                    for d in range(c + 1, min(len(tgt), c + longest) + 1):
                        touching = [(a <= i < b, c <= j < d) for i, j in links]
                        if (True, True) not in touching or any(x != y for x, y in touching):
                            continue
                        inside = tuple((i - a, j - c) for i, j in links if a <= i < b)
                        corners = [(a - 1, c - 1), (b, c - 1), (b, d), (a - 1, d)]
                        lies = [corner in around for corner in corners]
                        key = " ".join(src[a:b]), " ".join(tgt[c:d])
                        found[key].append((inside, lies))
    n_src, n_tgt = Counter(), Counter()
    for (src, tgt), uses in found.items():
        n_src[src] += len(uses)
        n_tgt[tgt] += len(uses)
    table = {}
    for (src, tgt), uses in found.items():
        ways = Counter(links for links, _ in uses)
        best = {
            side: max(ways, key=lambda way: (ways[way], partners(way, side, src, tgt)))
            for side in (0, 1)
        }
        table[src, tgt] = (
            len(uses),
            n_src[src],
            n_tgt[tgt],
            weight(best[0], 0, src.split(), tgt.split(), words),
            weight(best[1], 1, src.split(), tgt.split(), words),
            *(
                sum(lies[straight] and not lies[crossed] for _, lies in uses)
                for straight, crossed in ((0, 1), (1, 0), (2, 3), (3, 2))
            ),
        )
    return table


def partners(way, side, src, tgt):
    size = len((src, tgt)[side].split())
    return [sorted(link[1 - side] for link in way if link[side] == k) for k in range(size)]


def weight(way, side, src, tgt, words):
    """Return the lexical weight of one side given the other."""
    product = 1.0
    for k, word in enumerate((src, tgt)[side]):
        mine = [(src[i], tgt[j]) for i, j in way if (i, j)[side] == k]
        mine = mine or [(None, word) if side else (word, None)]
        shares = []
        for pair in mine:
            given = sum(n for other, n in words.items() if other[1 - side] == pair[1 - side])
            shares.append(words[pair] / given)
        product *= sum(shares) / len(shares)
    return product


@given(aligned(), st.integers(1, 4))
@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
def test_a_table_follows_the_definitions(rows, longest):
    text = [src for src, _, _ in rows], [tgt for _, tgt, _ in rows]
    table = reference(rows, longest)
    if not table:
        return
    found = mt.train([links for _, _, links in rows], text, max_length=longest)
    columns = found.select(pl.col("src", "tgt").list.join(" "), pl.exclude("src", "tgt", "links"))
    assert {row[:2]: pytest.approx(row[2:], abs=1e-12) for row in columns.rows()} == table


def test_limiting_the_table_to_some_texts_keeps_all_counts():
    whole = mt.train(LINKS, TEXT)
    some = mt.train(LINKS, TEXT, only=["une maison bleue"])
    kept = whole.filter(pl.col("src").list.join(" ").is_in(["maison", "bleue", "maison bleue"]))
    assert 0 < some.height < whole.height
    assert some.sort("src", "tgt").equals(kept.sort("src", "tgt"))
    for same in [["une maison bleue"]], [["une", "maison", "bleue"]], (["maison bleue"], ["une"]):
        assert mt.train(LINKS, TEXT, only=same).equals(some)
    with pytest.raises(InputError, match="no phrase pair"):
        mt.train(LINKS, TEXT, only=["rien"])
    with pytest.raises(InputError, match="no such file"):
        mt.train(LINKS, TEXT, only=["new.fr"])
    assert mt.train(LINKS, TEXT, only=pl.Series(["new.fr", "une maison bleue"])).equals(some)


def test_training_sentences_among_those_to_translate_cause_a_warning():
    with pytest.warns(DataWarning, match="1 sentence .*inflated"):
        mt.train(LINKS, TEXT, only=["la maison bleue", "rien"])
    with pytest.warns(DataWarning, match="left out"):
        found = mt.train(LINKS, TEXT, only=["la maison bleue", "la maison"], leave_out=True)
    rest = mt.train(LINKS[1:], tuple(side[1:] for side in TEXT))
    names = ["src", "tgt", "n_both", "n_src", "n_tgt"]
    wanted = rest.filter(pl.col("src").list.join(" ").is_in(["la", "maison", "la maison"]))
    assert found.select(names).sort("src", "tgt").equals(wanted.select(names).sort("src", "tgt"))


def test_counting_on_disk_gives_the_same_table(monkeypatch):
    whole = mt.train(LINKS, TEXT)
    monkeypatch.setattr(pair_counts, "_ROWS", 1)
    monkeypatch.setattr(tables, "_SENTENCES", 1)
    assert mt.train(LINKS, TEXT).equals(whole)
    monkeypatch.setattr(pair_counts, "_PENDING", 0)
    monkeypatch.setattr(pair_counts, "_MOST", 0)
    assert mt.train(LINKS, TEXT).sort("src", "tgt").equals(whole.sort("src", "tgt"))


@pytest.mark.parametrize("name", ["table.parquet", "table.txt", "table.gz"])
def test_tables_survive_a_round_trip(tmp_path, name):
    table = mt.train(LINKS, TEXT)
    mt.write_phrase_table(table, tmp_path / name)
    found = mt.phrase_table(tmp_path / name).sort("src", "tgt")
    table = table.select(found.columns).sort("src", "tgt")
    lexical = pl.col("lex_src", "lex_tgt").round_sig_figs(6)
    assert found.with_columns(lexical).equals(table.with_columns(lexical))


def test_lines_may_end_as_on_windows(tmp_path):
    table = mt.train(LINKS, TEXT)
    mt.write_phrase_table(table, tmp_path / "table")
    found = mt.phrase_table(tmp_path / "table")
    text = (tmp_path / "table").read_bytes()
    (tmp_path / "table").write_bytes(text.replace(b"\n", b"\r\n"))
    assert mt.phrase_table(tmp_path / "table").equals(found)


def test_commands_make_and_convert_tables(tmp_path):
    for name, lines in zip(("fr", "en", "links"), (*TEXT, LINKS), strict=True):
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    given = "--links", "links", "--src", "fr", "--tgt", "en", "--for", "fr", "-o", "t.parquet"
    told = json_of(run("mt", "train", *given, "--json", folder=tmp_path)[0])
    assert told["pairs"] == mt.train(LINKS, TEXT).height
    run("convert", "t.parquet", "t.gz", folder=tmp_path)
    lines = gzip.decompress((tmp_path / "t.gz").read_bytes()).decode().splitlines()
    assert lines[0] == "bleue ||| blue ||| 1 1 1 1 ||| 0-0 ||| 1 1 1"
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a b", ":2.*not a line"),
        ("a ||| b ||| 1 1 1 1", "counts"),
        ("a ||| b ||| 1 x 1 1 ||| 0-0 ||| 1 1 1", "scores"),
        ("a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 1 2", "2 times"),
        ("||| b ||| 1 1 1 1 ||| 0-0 ||| 1 1 1", "without words"),
        ("a ||| b ||| 1 0 1 1 ||| 0-0 ||| 1 1 1", "lex_src"),
    ],
)
def test_damaged_lines_are_refused(tmp_path, line, said):
    (tmp_path / "table").write_text(f"a ||| b ||| 1 1 1 1 ||| 0-0 ||| 1 1 1\n{line}\n")
    with pytest.raises(InputError, match=said):
        mt.phrase_table(tmp_path / "table")


def test_too_long_phrases_are_refused():
    with pytest.raises(InputError, match="from 1 to 8 words"):
        mt.train(LINKS, TEXT, max_length=9)


def test_figures_equal_moses(corpora):
    """Moses's score program computed these from extracted pairs and word probabilities."""
    folder = corpora / "moses-extract"
    found = {}
    for part, lexicon in (("", "lex.f2e"), (".inv", "lex.e2f")):
        model = folder / "models" / "score.phrase-based"
        pairs = [
            [cell.split() for cell in line.split("|||")]
            for line in (model / f"extract{part}.sorted").read_text("utf-8").splitlines()
        ]
        words = [line.split() for line in (model / lexicon).read_text("utf-8").splitlines()]
        found[part] = scored(pairs, words)
    for name, part in (("", ""), ("-with-alignment", ""), ("-inv", ".inv")):
        path = folder / "tests" / f"score.phrase-based{name}" / "truth" / "results.txt"
        truth = [line.split("|||") for line in path.read_text("utf-8").splitlines()]
        assert len(truth) == (913 if part else 1739)
        for src, tgt, links, weight, counts, _ in truth:
            one, other = (tgt, src) if part else (src, tgt)
            mine = found[part][one.strip(), other.strip()]
            assert mine[0] == pytest.approx(float(weight), rel=5e-6)
            assert mine[1] == counts.strip()
            if name == "-with-alignment":
                assert sorted(mine[2].split()) == sorted(links.split())


def scored(pairs, lexicon):
    """Return the weight, counts and links of phrase pairs, as printed by Moses."""
    src, tgt = Numbering(), Numbering()
    tries = Trie(), Trie()
    nodes = []
    for k, (side, trie) in enumerate(zip((src, tgt), tries, strict=True)):
        ends = np.cumsum([len(pair[k]) for pair in pairs])
        numbers = side.number(pa.array([word for pair in pairs for word in pair[k]], pa.string()))
        nodes.append(trie.add(frozen(numbers), np.append(0, ends[:-1]), ends))
    # Its files have the target word, then the source word, and w(target | source).
    w = {(two, one): float(p) for one, two, p in lexicon}
    links = [[tuple(map(int, link.split("-"))) for link in pair[2]] for pair in pairs]
    patterns = [sum(1 << (8 * j + i) for i, j in set(one)) for one in links]
    sums = pl.DataFrame(
        {
            "pair": nodes[0].astype(np.uint64) << np.uint64(32) | nodes[1].astype(np.uint64),
            "pattern": np.array(patterns, np.uint64),
            **{name: np.ones(len(pairs), np.uint32) for name in pair_counts.SUMS},
        }
    )
    sums = pair_counts.summed(sums)
    counts = SimpleNamespace(n_src=np.bincount(nodes[0]), n_tgt=np.bincount(nodes[1]))
    sizes = len(src.known), len(tgt.known)
    numbered = {}
    words = [src.known.to_pylist(), tgt.known.to_pylist()]
    index = [{word: k for k, word in enumerate(side)} for side in words]
    for (one, other), p in w.items():
        if one in index[0] and other in index[1]:
            numbered[index[0][one], index[1][other]] = p
    keys = sorted(numbered)
    rows = np.searchsorted([s for s, _ in keys], np.arange(sizes[0] + 1))
    p = np.array([numbered[key] for key in keys])
    null = np.array([w.get(("NULL", word), 1.0) for word in words[1]])
    weights = (
        frozen(rows.astype(np.int64)),
        frozen(np.array([t for _, t in keys], np.int32)),
        *(frozen(p), frozen(p), frozen(null), frozen(np.ones(sizes[0]))),
    )
    known = src.known, tgt.known
    table = tables._table(sums.sort(pair_counts.KEY), counts, tries, known, weights)
    return {
        (" ".join(row["src"]), " ".join(row["tgt"])): (
            row["lex_tgt"],
            f"{row['n_src']} {row['n_both']}",
            " ".join(f"{link['i']}-{link['j']}" for link in row["links"]),
        )
        for row in table.iter_rows(named=True)
    }

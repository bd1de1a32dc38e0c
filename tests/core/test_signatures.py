"""Signatures in a short form, and back."""

from pathlib import Path

import pytest
from helpers.cli import run
from hypothesis import given
from hypothesis import strategies as st

from alignframe.core.signatures import KEYS, LONG, USUAL, long, printed, short

ROOT = Path(__file__).resolve().parents[2]
PIVOT = (
    "pivot:{}|sentences:72|phrases:moses.4.5|case:lower|count:2|prob:0.01|top:10|norm:yes|pivottags:"
    "project(lang:en,tokens:spaces,tagger:x-1,lemmas:words,synonyms:none,content:NN,VB,JJ,RB)|"
    "table:34895054"
)
TESLA = (
    "alignframe:0.1.0|metric:tesla-b|lang:en|tokens:penn|tagger:x-1|lemmas:morphy-wordnet-3.0|"
    "synonyms:wordnet-3.0|content:NN,VB,JJ,RB|similarities:ms,pos|orders:3|alpha:0.8|function:0.1|"
    "empty:zero|{}|refs:1|bootstrap:1000,seed:1,confidence:0.95"
)

usual = [part for run in USUAL.values() for part in run.split("|")]
made = st.one_of(
    st.sampled_from([*usual, *USUAL, "pivot:fr", "lm_news:order=3", "by:s:1,m:x", "refs:2,mean"]),
    st.builds("{}:{}".format, st.sampled_from([*KEYS, *KEYS.values()]), st.sampled_from("a1")),
    st.text("vm:|,(ab#-", max_size=8),
)


@given(st.lists(made, max_size=12))
def test_the_short_form_is_expanded_to_the_long_one(parts):
    signature = "|".join(["alignframe:0.1.0", *parts])
    found = short(signature)
    assert len(found) <= len(signature)
    assert long(found) == signature
    assert long(signature) == signature
    assert short(long(found)) == found


@given(st.text("alignframe:0.1|metrv ", max_size=30))
def test_other_texts_are_unchanged(text):
    if not text.startswith(("alignframe:", "v:")):
        assert short(text) == long(text) == text


@pytest.mark.parametrize("metric", [name for name in USUAL if name.startswith("metric:")])
def test_default_parts_are_left_out(metric):
    every = [part if ":" in part else f"{part}:x" for part in USUAL[metric].split("|")]
    special = [part for part in USUAL[metric].split("|") if ":" not in part]
    signature = "|".join(["alignframe:0.1.0", metric, *every, "bootstrap:10,seed:1"])
    wanted = [f"{KEYS.get(key, key)}:x" for key in special]
    name = metric.partition(":")[2]
    assert short(signature) == "|".join(["v:0.1.0", f"m:{name}", *wanted, "bs:10,s:1"])
    # One that is not a default stays, in its place.
    last = every[-1].partition(":")[0]
    changed = signature.replace(every[-1], f"{last}:odd")
    assert f"{KEYS[last]}:odd|bs:10" in short(changed)
    assert long(short(changed)) == changed


def test_pivot_tables_have_short_signatures():
    signature = TESLA.format("|".join(map(PIVOT.format, ("fr", "de", "es"))))
    assert len(signature) > 800
    found = short(signature)
    assert len(found) < 0.55 * len(signature)
    assert found.startswith(
        "v:0.1.0|m:tesla-b|tag:x-1|lem:morphy-wordnet-3.0|syn:wordnet-3.0|p:fr|n:72"
    )
    assert long(found) == signature


def test_every_signature_of_several_is_shortened():
    one, other = (f"alignframe:0.1.0|threshold:{at}|metric:beads" for at in (0.5, 0.9))
    one, other = (f"{of}|{USUAL['metric:beads']}|by:doc" for of in (one, other))
    several = f"{one} {other}"
    assert short(several) == "v:0.1.0|thr:0.5|m:beads|by:doc v:0.1.0|thr:0.9|m:beads|by:doc"
    assert long(short(several)) == several


def test_keys_cannot_be_confused():
    assert len(set(KEYS.values())) == len(KEYS)
    assert not set(KEYS.values()) & set(KEYS)


def test_long_signatures_are_printed_in_short():
    signature = TESLA.format(PIVOT.format("fr"))
    assert len(signature) > LONG
    few = "alignframe:0.1.0|metric:links"
    text = f"written to x\n{signature}\n{few}"
    assert printed(text) == f"written to x\n{short(signature)}\n{few}"
    assert printed(text, "long") == text
    assert printed(text, "short") == f"written to x\n{short(signature)}\n{short(few)}"


def test_the_page_lists_every_key_and_default():
    page = (ROOT / "docs" / "signatures.md").read_text("utf-8")
    for key, brief in KEYS.items():
        assert f"| `{brief}` | `{key}` |\n" in page
    for opener, text in USUAL.items():
        parts = ", ".join(f"`{part}`" for part in text.split("|") if ":" in part)
        assert f"| `{opener}` | {parts} |\n" in page


def test_commands_print_the_requested_form():
    given = ["links", "score", "--gold", "gold.talp", "--hyp", "e=eager.talp"]
    folder = ROOT / "datasets" / "en-fr"
    for words, wanted in (
        ([], "alignframe:0.1.0|metric:links|possible:includes-sure|"),
        (["--set", "signature=short"], "v:0.1.0|m:links\n"),
    ):
        assert wanted in run(*given, *words, folder=folder)[0]

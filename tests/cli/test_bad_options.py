"""Options of Python functions that Python itself would take: true as a number, a text as true."""

import inspect

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from alignframe import (
    aligners,
    beads,
    functions,
    lake,
    language,
    lexicon,
    links,
    mt,
    phrases,
    stats,
    tesla,
)
from alignframe.core import schemas as tables
from alignframe.errors import DataWarning, InputError

TEXT = ["a b", "b c"], ["x y", "y z"]
LINKS = ["0-0 1-1", "0-0"]
COLUMN = pa.array([[{"i": 0, "j": 0}]], tables.LINKS)
SAID = ["the cat sat", "a dog ran"]
BEADS = [(0, 1, 0, 1)]
SCORED = pl.DataFrame(
    {"src_start": [0], "src_end": [1], "tgt_start": [0], "tgt_end": [1], "score": [0.5]}
)
LEXICON = pl.DataFrame({"src": ["a"], "tgt": ["x"], "rank": [1], "p": [1.0]})


def scored(**given):
    return links.score(LINKS, LINKS, **given).scores


def translated(**given):
    return mt.score(SAID, SAID, tokenize="none", bootstrap=0, **given).scores


def aligned(**given):
    return aligners.align(*TEXT, model="ibm1", **given)


def matched(**given):
    return tesla.explain([], [], synonyms=None, **given)


NUMBERS = [
    (scored, "alpha"),
    (scored, "bootstrap"),
    (scored, "seed"),
    (scored, "confidence"),
    (scored, "threads"),
    (translated, "char_order"),
    (translated, "word_order"),
    (translated, "beta"),
    (aligned, "max_length"),
    (aligned, "seed"),
    (aligned, "threshold"),
    (lambda **given: aligned(prior=LEXICON, **given), "strength"),
    (lambda **given: phrases.extract(LINKS, **given), "max_length"),
    (lambda **given: functions.extract_phrases(COLUMN, "minimal", **given), "max_length"),
    (lambda **given: beads.align(*TEXT, method="len", **given), "band"),
    (lambda **given: beads.align(*TEXT, method="lex", **given), "largest"),
    (lambda **given: beads.align(*TEXT, method="len", **given), "skip"),
    (lambda **given: beads.calibration(SCORED, BEADS, **given), "bins"),
    (lambda **given: tesla.estimate_language_model(SAID, **given), "n"),
    (matched, "n"),
    (matched, "function_weight"),
    (matched, "recall_weight"),
]


SYSTEMS = {"a": LINKS, "b": ["0-0", "0-0"]}
ARTICLES = pl.DataFrame({"system": list("abcd"), "m": [1.0, 2.0, 3.0, 4.0]})
RATED = pl.DataFrame({"system": list("abcd"), "score": [1.0, 2.0, 4.0, 3.0]})
VALUES = {
    "alpha": 0.1,
    "bootstrap": 20,
    "confidence": 0.9,
    "beta": 2.1,
    "max_length": 9,
    "band": 20.0,
    "largest": 3,
    "bins": 2,
    "fractions": [2],
    "bands": [2, 4],
    "sweeps": [1, 1, 1],
}
"""Values of options, by default 2, or 0.1 for a number that need not be whole."""
FEW = {"samplers": 1, "sweeps": (1, 1, 1)}
OTHERS = [
    *((lambda **given: links.score(SYSTEMS, LINKS, **given).compare("a"), one)
      for one in ("alpha", "bootstrap", "seed", "confidence")),
    *((lambda **given: mt.score({"a": SAID, "b": SAID}, SAID, **given).compare("a"), one)
      for one in ("bootstrap", "seed", "confidence")),
    *((lambda **given: beads.score(BEADS, BEADS, **given).scores, one)
      for one in ("seed", "confidence")),
    *((lambda **given: stats.correlate(ARTICLES, RATED, **given), one)
      for one in ("bootstrap", "seed", "confidence")),
    *((lambda **given: aligners.align(*TEXT, model="bayes", **(FEW | given)), one)
      for one in ("samplers", "null", "seed", "sweeps", "concentration")),
    (lambda **given: aligned(**given), "iterations"),
    (lambda **given: links.score(LINKS, LINKS, by="length", **given).scores, "bands"),
    (lambda **given: links.plan_runs(9, **given), "fractions"),
    (lambda **given: stats.measure_values(scored(), **given), "alpha"),
    (lambda **given: lexicon.Cognate(**given), "cutoff"),
    (lambda **given: lexicon.Prefix(**given), "letters"),
    (lambda **given: beads.Priors(**given), "skip"),
    *((lambda **given: beads.delete(SAID, SAID, **{"src_rate": 0, "tgt_rate": 0} | given), one)
      for one in ("src_rate", "seed")),
]  # fmt: skip
WHOLE = {"seed", "threads", "char_order", "word_order", "n", "samplers", "iterations", "letters"}


def shown(found):
    """Return what a function returns as text."""
    return str(found.rows() if isinstance(found, pl.DataFrame) else found)


@pytest.mark.filterwarnings("ignore::alignframe.errors.DataWarning")
@pytest.mark.parametrize(("call", "name"), [*NUMBERS, *OTHERS])
def test_numbers_of_numpy_are_those_of_python(call, name):
    value = VALUES.get(name, 2 if name in WHOLE else 0.1)
    kinds = (np.float64, np.float32) if isinstance(value, float) else (np.int64, np.uint8)
    wanted = shown(call(**{name: value}))
    for kind in kinds:
        given = [kind(one) for one in value] if isinstance(value, list) else kind(value)
        assert shown(call(**{name: given})) == wanted


@pytest.mark.parametrize(("call", "name"), NUMBERS)
def test_true_is_no_number(call, name):
    with pytest.raises(InputError, match="True"):
        call(**{name: True})


@pytest.mark.parametrize(
    ("call", "name"),
    [(aligned, "max_length"), (lambda **g: tesla.estimate_language_model(SAID, **g), "n")],
)
def test_half_a_word_is_no_length(call, name):
    with pytest.raises(InputError, match=r"2\.5; expected a whole number"):
        call(**{name: 2.5})


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (scored, "possible_as_sure"),
        (scored, "strict"),
        (translated, "lowercase"),
        (translated, "whitespace"),
        (translated, "effective_order"),
        (aligned, "posterior"),
        (aligners.fit(*TEXT, model="ibm1").align, "posterior"),
    ],
)
def test_a_text_is_neither_true_nor_false(call, name):
    given = {"bitext": TEXT} if "fit" in repr(call) or hasattr(call, "__self__") else {}
    with pytest.raises(InputError, match=f"`{name}` is 'no'; expected True or False"):
        call(**given, **{name: "no"})


def test_numpy_tells_true_from_false_too():
    assert scored(possible_as_sure=np.True_).height == 1


def test_true_is_no_position():
    with pytest.raises(InputError, match=r"the link \(True, False\)"):
        links.score([[(True, False)]], LINKS).scores


def test_no_word_is_nothing_to_look_up():
    with pytest.raises(InputError, match="no words to look up"):
        lexicon.lookup(LEXICON, [])


@pytest.mark.parametrize("kind", ["texts", "pairs"])
def test_listed_links_that_count_from_1_are_warned_of(kind):
    one = [[(k, k) for k in range(1, 13)]] * 2
    given = one if kind == "pairs" else [" ".join(f"{i}-{j}" for i, j in row) for row in one]
    with pytest.warns(DataWarning, match="no link has a position 0, .*; if so, subtract 1"):
        links.score(given, ["0-0", "0-0"]).scores


KEYWORDS = [
    function
    for package in (beads, lake, language, links, mt, phrases, tesla)
    for name in package.__all__
    if inspect.isfunction(function := getattr(package, name))
    and any("Unpack" in str(one) for one in inspect.signature(function).parameters.values())
]


@pytest.mark.parametrize("function", [*KEYWORDS, beads.filter, beads.study, beads.tune])
def test_an_unknown_keyword_is_refused_by_the_public_function(function):
    taken = inspect.signature(function).parameters.values()
    needed = {one.name: None for one in taken if one.default is one.empty and one.kind != 4}
    public = f"{function.__module__.split('.')[1]}.{function.__name__}"
    with pytest.raises(TypeError, match=rf"^{public}\(\) has no parameter 'nonsense'; it takes "):
        function(**needed, nonsense=1)


def test_an_unknown_keyword_suggests_a_close_one():
    with pytest.raises(TypeError, match="did you mean 'alpha"):
        scored(alfa=0.2)

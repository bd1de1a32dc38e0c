"""Results with several tables: notebooks and writing."""

import inspect
import json
from dataclasses import fields, is_dataclass

import polars as pl
import pytest
from helpers.cli import run

import alignframe as af
from alignframe.core.schemas import SIGNATURE
from alignframe.errors import InputError


@pytest.fixture(scope="module")
def found(bundled):
    systems = {name: bundled / f"{name}.talp" for name in ("eager", "cautious")}
    bitext = af.formats.read_bitext(str(bundled / "text.en"), str(bundled / "text.fr"))
    return af.phrases.study(systems, bundled / "gold.talp", bitext, top=3)


def test_tables_are_the_frames_of_a_result(found):
    assert isinstance(found, af.Result)
    tables = found.tables()
    assert tables["scores"] is found.scores
    assert all(isinstance(one, pl.DataFrame) for one in tables.values())
    assert "signature" not in tables


def test_notebooks_show_all_tables_and_the_signature(found):
    shown = found._repr_html_()
    assert all(f"<h4>{name.replace('_', ' ')}</h4>" in shown for name in found.tables())
    assert found.signature in shown


def test_printed_it_shows_all_tables_and_the_signature(found):
    shown = repr(found)
    assert all(f"{name}\n{table!r}" in shown for name, table in found.tables().items())
    assert shown.endswith(found.signature)


def test_tables_are_frames_of_polars_and_pandas(found):
    assert found.to_polars() is found.sizes
    name, table = [*found.tables().items()][-1]
    assert found.to_polars(name) is table
    assert found.to_pandas(name).equals(table.to_pandas())
    with pytest.raises(InputError, match=r"unknown table 'score'.*scores"):
        found.to_polars("score")


def test_written_tables_have_the_signature(found, tmp_path):
    written = found.write(tmp_path / "new" / "folder")
    assert [path.stem for path in written] == list(found.tables())
    for path in written:
        assert pl.read_parquet(path).equals(found.tables()[path.stem])
        assert pl.read_parquet_metadata(path)[SIGNATURE] == found.signature


def test_the_shell_prints_the_same(found, bundled):
    systems = [f"--hyp={name}={bundled / f'{name}.talp'}" for name in ("eager", "cautious")]
    text = ["--src", bundled / "text.en", "--tgt", bundled / "text.fr", "--top", 3]
    out, _ = run("phrases", "study", "--gold", bundled / "gold.talp", *systems, *text, "--json")

    assert json.loads(out) == found.to_dict()


def test_public_classes_with_tables_are_results():
    """Except what is given to functions: a noisy document, and WordNet."""
    areas = [getattr(af, name) for name in af.__all__]
    classes = {
        thing.__name__: thing
        for area in filter(inspect.ismodule, areas)
        for name in area.__all__
        if is_dataclass(thing := getattr(area, name))
    }
    held = {
        name
        for name, thing in classes.items()
        if any(one.type == "pl.DataFrame" and one.name[0] != "_" for one in fields(thing))
    }
    assert len(held) > 10
    assert {name for name in held if not issubclass(classes[name], af.Result)} == {
        "Noisy",
        "WordNet",
    }

"""Results of several tables, and of one, which is accepted wherever a table is."""

import inspect
import json
from dataclasses import fields, is_dataclass

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
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


SRC, TGT = ["the house", "the car", "a house"], ["la maison", "la voiture", "une maison"]


def read(folder, **options):
    (folder / "x.naacl").write_text("1 1 1 S 0.9\n1 2 2 S 0.2\n", "utf-8")
    return af.links.read(folder / "x.naacl", "naacl", **options)


def test_a_lexicon_keeps_its_depth(tmp_path):
    found = af.lexicon.induce(SRC, TGT, n_best=9)
    assert isinstance(found, af.Result)
    assert len(found) == found.height == found.frame.height
    assert found.columns == found.frame.columns
    assert found.rows() == found.frame.rows()
    assert found.metadata == {"alignframe": found.signature, "n_best": "9"}
    assert pa.table(found).schema.metadata[b"n_best"] == b"9"
    assert found.to_dict()["tables"]["lexicon"] == found.rows(named=True)
    af.formats.write(found, tmp_path / "lex.parquet")
    (path,) = found.write(tmp_path / "folder")
    for one in (found, tmp_path / "lex.parquet", path):
        assert af.lexicon.score(one, (SRC, TGT), k=9).scores["k"].max() == 9
    assert pq.read_schema(path).equals(pa.table(found).schema, check_metadata=True)
    assert "the" in found._repr_html_()
    assert repr(found) == f"{found.frame!r}\n{found.signature}"
    assert found.to_polars() is found.frame
    assert found.page().title == "Lexicon"


def test_a_frame_of_a_lexicon_is_as_deep_as_its_largest_rank():
    found = af.lexicon.induce(SRC, TGT, n_best=9)
    with pytest.raises(InputError, match="at most 3 translations"):
        af.lexicon.score(found.frame, (SRC, TGT), k=9)


def test_links_record_which_were_left_out_in_parquet_too(tmp_path):
    found = read(tmp_path, min_probability=0.5)
    assert found.signature == "order:src-tgt|min-probability:0.5"
    af.formats.write(found, tmp_path / "links.parquet")
    for one in (found, tmp_path / "links.parquet"):
        assert "min-probability:0.5" in af.links.score(one, ["0-0"]).scores["signature"][0]
    assert "min-probability" not in af.links.score(found.frame, ["0-0"]).scores["signature"][0]


def test_a_pivot_table_without_its_options_is_refused(tmp_path):
    found = af.tesla.build_pivot_table(
        (SRC, TGT), ["0-0 1-1"] * 3, name="fr", min_count=1, min_probability=0.0
    )
    assert af.tesla.network("the house", found).height
    af.tesla.write_pivot_table(found, tmp_path / "fr.parquet")
    assert af.tesla.read_pivot_table(tmp_path / "fr.parquet").signature == found.signature
    with pytest.raises(InputError, match="what build_pivot_table returned"):
        af.tesla.network("the house", found.frame)
    with pytest.raises(InputError, match="what build_pivot_table returned"):
        af.tesla.write_pivot_table(found.frame, tmp_path / "other.parquet")


def test_functions_without_metadata_return_polars():
    assert isinstance(af.lexicon.candidates(SRC, TGT), pl.DataFrame)
    assert isinstance(af.lexicon.as_lexicon([("a", "b")]), pl.DataFrame)
    assert isinstance(af.beads.split(SRC), pl.Series)

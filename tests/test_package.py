"""The contents of an installed copy."""

import importlib
import inspect
import re
import subprocess
import sys
import tomllib
import zipfile
from graphlib import TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import get_type_hints, runtime_checkable

import grimp
import numba
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import alignframe
from alignframe.engines.scripts import sql_folder
from alignframe.typing import ArrowStream, IntoBitext, IntoHypotheses, LazyTable

ROOT = Path(__file__).resolve().parent.parent


def test_the_wheel_contains_the_sql(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for script in sql_folder().glob("*.sql"):
            assert archive.read(f"alignframe/sql/{script.name}") == script.read_bytes()
        for part in ("page.html.jinja", "page.css", "page.js"):
            assert f"alignframe/pages/{part}" in names
        assert "alignframe/py.typed" in names
        archive.extractall(tmp_path / "installed")
    # The copy works without a checkout next to it.
    script = (
        "import alignframe; con = alignframe.connect();"
        "print(con.sql('select aer(100, 100, 50, 50)').fetchall()[0][0])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path / "installed",
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(tmp_path / "installed"), "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
    )
    assert done.stdout.strip() == "0.5"


def test_the_table_of_layers_is_complete_and_in_order():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Layers")[1].split("##")[0]
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("| `")]
    named = [[name for name, _ in re.findall(r"`(\w+)(/|\.py)`", row)] for row in rows]
    package = ROOT / "alignframe"
    tree = [path.parent.name for path in package.glob("*/__init__.py")]
    tree += [path.stem for path in package.glob("*.py") if not path.stem.startswith("__")]
    assert sorted(name for row in named for name in row) == sorted([*tree, "sql"])
    layers = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    order = [name.split(".")[1] for name in layers["contracts"][0]["layers"]]
    assert sorted(set(order)) == sorted(tree)
    depths = [sorted(order.index(name) for name in row if name != "sql") for row in named]
    assert all(above[-1] < below[0] for above, below in pairwise(depths))


def test_no_files_import_each_other_in_a_circle():
    """Imports within functions count as well, those for type checkers do not."""
    graph = grimp.build_graph("alignframe", exclude_type_checking_imports=True, cache_dir=None)
    needed = {
        name: graph.find_modules_directly_imported_by(name) - {name}  # in a worker, from itself
        for name in graph.modules
    }
    assert len(needed) > 300
    TopologicalSorter(needed).prepare()  # which names a circle


def test_the_version_is_that_of_the_project():
    text = (ROOT / "pyproject.toml").read_text("utf-8")
    assert f'version = "{alignframe.__version__}"' in text
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert f"## {alignframe.__version__}" in changelog


def test_pins_name_no_host():
    pins = (ROOT / "constraints.txt").read_text("utf-8").split()
    assert pins
    assert all("==" in pin and "/" not in pin for pin in pins)


def test_kernels_work_if_no_folder_is_writable(monkeypatch):
    """Numba refuses to cache there, so the kernel is compiled without a cache."""
    from alignframe.kernels import cache, jit

    asked = []

    def refusing(function):
        asked.append(function)
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(cache, "_Kept", refusing)
    assert jit.jit(lambda x: x + 1)(2) == 3
    assert len(asked) == 1


@pytest.fixture
def checkout(monkeypatch, tmp_path):
    """Return a function that writes kernels in a folder, which call each other, and runs them.

    It returns what they compute, and how often one was compiled.
    """
    from alignframe.kernels import notice

    compiled = []
    monkeypatch.setattr(notice, "LISTENERS", [lambda: compiled.append(True)])
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    start = "from alignframe.kernels.jit import jit\n@jit\ndef "
    upper = f"from abacus import (\n    middle,\n)\n{start}twice(x): return middle.step(x) + x"

    def twice(place, step):
        folder = tmp_path / place / "abacus"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lower.py").write_text(f"{start}step(x): return {step}", "utf-8")
        (folder / "middle.py").write_text("from abacus.lower import step", "utf-8")
        (folder / "upper.py").write_text(upper, "utf-8")
        for name in [name for name in sys.modules if name.startswith("abacus")]:
            del sys.modules[name]
        sys.path[0] = str(folder.parent)
        importlib.invalidate_caches()
        compiled.clear()
        return importlib.import_module("abacus.upper").twice(1), len(compiled)

    return twice


@pytest.mark.parametrize("shared", [False, True])
def test_a_kernel_is_recompiled_when_one_that_it_calls_has_changed(
    shared, checkout, monkeypatch, tmp_path
):
    """Numba alone would run the old code; unchanged kernels are not recompiled."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept") if shared else "")
    assert checkout("a", "x + 1") == (3, 2)
    assert checkout("a", "x + 1") == (3, 0)
    assert checkout("a", "x + 100") == (102, 2)  # of another length: bytecode is kept by size


def test_checkouts_share_kernels_whose_sources_are_equal(checkout, monkeypatch, tmp_path):
    """In a folder of their own, kernels of several sources are kept, and none is stale."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    assert checkout("a", "x + 1") == (3, 2)
    assert checkout("b", "x + 1") == (3, 0)
    assert checkout("b", "x + 100") == (102, 2)
    assert checkout("a", "x + 1") == (3, 0)
    assert checkout("c", "x + 100") == (102, 0)


def test_kernels_are_recompiled_for_what_changes_their_code_alone():
    """Whatever they import counts, save the modules that cache them and tell of compiling."""
    from alignframe.kernels import arrays, cache, notice, ragged

    parts = {module.__name__ for module in cache._sources(ragged)}
    assert {ragged.__name__, "alignframe.kernels.jit", "alignframe.core.arrays"} <= parts
    assert not {cache.__name__, notice.__name__} & parts
    assert cache._stamp(ragged) != cache._stamp(arrays)


@pytest.mark.parametrize("library", ["numba", "llvmlite"])
def test_kernels_are_recompiled_by_another_version_of_the_compiler(
    library, checkout, monkeypatch, tmp_path
):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "kept"))
    assert checkout("a", "x + 1") == (3, 2)
    monkeypatch.setattr(f"{library}.__version__", "0.0")
    assert checkout("a", "x + 1") == (3, 2)


def test_a_kernel_is_compiled_again_when_a_type_of_its_arguments_has_moved(monkeypatch, tmp_path):
    """What an earlier version has cached names types where they were."""
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "tally"
    folder.mkdir()
    kind = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    a: int\n    b: int\n"
    for module in ("old", "newer"):  # of other lengths: bytecode is kept by size and second
        (folder / "old.py").unlink(missing_ok=True)
        (folder / f"{module}.py").write_text(kind, "utf-8")
        text = f"from tally.{module} import Pair\nfrom alignframe.kernels.jit import jit\n"
        (folder / "sums.py").write_text(f"{text}@jit\ndef add(x): return x.a + x.b\n", "utf-8")
        for name in [name for name in sys.modules if name.startswith("tally")]:
            del sys.modules[name]
        importlib.invalidate_caches()
        sums = importlib.import_module("tally.sums")
        assert sums.add(sums.Pair(1, 2)) == 3


RESULTS = ["Result", "TableResult"]
FUNCTIONS = ("connect", "register", "scan_links")
AREAS = sorted(set(alignframe.__all__) - {*RESULTS, *FUNCTIONS, "__version__"})


MODULES = [
    *(getattr(alignframe, area) for area in AREAS),
    *(getattr(alignframe.charts, name) for name in alignframe.charts.__all__),
    *(getattr(alignframe.engines, name) for name in alignframe.engines.__all__),
]


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_dir_shows_only_public_names(module):
    assert dir(module) == sorted(module.__all__)
    for name in dir(module):
        assert getattr(module, name) is not None
        assert getattr(module, name) is getattr(module, name)
    assert not {"Any", "TYPE_CHECKING", "annotations", "import_module"} & set(dir(module))
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name


def public_functions():
    """Yield the name and the signature of all public functions and methods."""
    for area in AREAS:
        for name in dir(getattr(alignframe, area)):
            thing = getattr(getattr(alignframe, area), name)
            if inspect.isfunction(thing):
                yield f"{area}.{name}", inspect.signature(thing)
            owned = vars(thing) if inspect.isclass(thing) or inspect.ismodule(thing) else {}
            for own, method in owned.items():
                function = getattr(method, "__func__", method)
                elsewhere = (
                    inspect.ismodule(thing) and getattr(method, "__module__", "") != thing.__name__
                )
                if inspect.isfunction(function) and not own.startswith("_") and not elsewhere:
                    yield f"{area}.{name}.{own}", inspect.signature(function)


def test_public_parameters_are_typed():
    """Inputs have a type of ``alignframe.typing``; ``**options`` are those of a model."""
    seen = 0
    for name, signature in public_functions():
        for parameter in signature.parameters.values():
            if parameter.name in ("self", "cls") or parameter.kind is parameter.VAR_KEYWORD:
                continue
            seen += 1
            parts = [one.strip() for one in str(parameter.annotation).split("|")]
            assert "Any" not in parts, f"{parameter.name} of {name}"
            assert parameter.annotation is not parameter.empty, f"{parameter.name} of {name}"
    assert seen > 400


def test_the_input_types_accept_all_forms():
    hints = get_type_hints(alignframe.links.score)
    assert hints["hyp"] == IntoHypotheses
    assert hints["bitext"] == IntoBitext | None
    for thing in (pl.DataFrame(), pl.Series(), pd.DataFrame(), pa.table({"a": [1]})):
        assert isinstance(thing, runtime_checkable(ArrowStream))
    assert isinstance(pl.LazyFrame(), runtime_checkable(LazyTable))


def test_dir_of_the_package_lists_every_area_and_loads_none():
    script = (
        "import sys, alignframe; print(*dir(alignframe));"
        "print(*{'numba', 'polars', 'pyarrow', 'altair', 'duckdb'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=ROOT
    )
    shown, loaded = done.stdout.split("\n")[:2]
    assert shown.split() == [*RESULTS, "__version__", *sorted([*AREAS, *FUNCTIONS])]
    folders = {path.parent.name for path in (ROOT / "alignframe").glob("*/__init__.py")}
    assert set(AREAS) == folders - {
        "cli",
        "core",
        "functions",
        "kernels",
        "options",
        "pages",
        "read",
        "sources",
        "stores",
        "studies",
    }
    assert not loaded


def test_every_extra_has_commands_to_check():
    from extras import STEPS

    declared = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(STEPS) == {"", "tools", *declared["optional-dependencies"]} - {"dev", "bench"}

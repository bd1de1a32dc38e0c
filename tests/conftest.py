"""Shared fixtures."""

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import pytest
from helpers import browser as helpers_browser
from helpers.language import write_wordnet
from hypothesis import HealthCheck, settings

# No test may fail because the machine is busy: drawing and running examples may take any time.
settings.register_profile(
    "patient", deadline=None, max_examples=12, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("patient")

ROOT = Path(__file__).resolve().parent.parent

# There is a test process for each processor: further threads of BLAS would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Later test processes take the modules that the first has compiled, and its rewritten assertions.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# DuckDB complains at exit about objects that are still frozen; not earlier, as pytest collects
# garbage several times when it ends.
atexit.register(gc.unfreeze)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect the tests in two thirds of the CPU time, and in less in pytest-xdist's workers.

    Imported objects stay alive, so the garbage collector need not scan them repeatedly. The first
    worker rewrites the assertions of all test modules; the others would do so at the same time, and
    compile the kernels first instead.
    """
    if os.environ.get("PYTEST_XDIST_WORKER", "gw0") != "gw0":
        compiled()
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 50, 100)
        gc.enable()


def compiled() -> None:
    """Compile the kernels; one left out would be compiled by every user, after ``warmup``."""
    from alignframe.cli.warmup import compile_kernels
    from alignframe.kernels.cache import missing

    compile_kernels()
    assert not missing()[2], "no command of `warmup.JOBS` calls these kernels"


@cache
def outside() -> dict[str, Path | str]:
    """Return the place of what is not part of the project, by fixture, or why it is absent.

    All of it is absent if ALIGNFRAME_BARE is set. Called first before WordNet is replaced.
    """
    from alignframe.errors import InputError
    from alignframe.language import find_wordnet

    if os.environ.get("ALIGNFRAME_BARE"):
        names = ("wordnet", "corpora", "chromium", "duckdb_wasm")
        return dict.fromkeys(names, "hidden by ALIGNFRAME_BARE")
    corpora = Path(os.environ.get("ALIGNFRAME_CORPORA", ROOT.parent / "shared" / "corpora"))
    browser = helpers_browser.program()
    try:
        wordnet = find_wordnet()
    except InputError as error:
        wordnet = str(error)
    return {
        "wordnet": wordnet,
        "corpora": corpora if corpora.is_dir() else "name their folder in ALIGNFRAME_CORPORA",
        "chromium": Path(browser) if browser else f"install {' or '.join(helpers_browser.NAMES)}",
        "duckdb_wasm": helpers_browser.of_node("@duckdb/duckdb-wasm")
        or "install Node, and @duckdb/duckdb-wasm into a folder of NODE_PATH",
    }


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that need what is not part of the project.

    Try 25 times as many examples if ALIGNFRAME_HYPOTHESIS is ``thorough``.
    """
    for item in items:
        for name in outside().keys() & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.needs(name))
    if os.environ.get("ALIGNFRAME_HYPOTHESIS") != "thorough":
        return
    name = "_hypothesis_internal_use_settings"
    tests = {test for item in items if hasattr(test := getattr(item, "obj", None), name)}
    for test in tests:
        own = getattr(test, name)
        setattr(test, name, settings(own, max_examples=25 * own.max_examples))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs what is absent; here, so that the summary has a line per reason."""
    for mark in item.iter_markers("needs"):
        place = outside()[mark.args[0]]
        if isinstance(place, str):
            pytest.skip(f"needs {mark.args[0]}: {place}")


@pytest.fixture(scope="session")
def bundled() -> Path:
    """The folder of the project's own data."""
    return ROOT / "datasets" / "en-fr"


@pytest.fixture(scope="session")
def en_fr(bundled):
    """The sentence pairs of the project's own text."""
    from alignframe.formats import read_bitext

    return read_bitext(bundled / "text.en", bundled / "text.fr")


@pytest.fixture(scope="session")
def corpora() -> Path:
    """The folder of published corpora."""
    return outside()["corpora"]


@pytest.fixture
def wordnet(monkeypatch) -> Path:
    """The place of the real WordNet, which the test finds in place of the small one."""
    monkeypatch.setenv("ALIGNFRAME_WORDNET", str(outside()["wordnet"]))
    return outside()["wordnet"]


@pytest.fixture(scope="session")
def duckdb_wasm() -> Path:
    """The folder of DuckDB for browsers, which Node runs."""
    return outside()["duckdb_wasm"]


@pytest.fixture(scope="session")
def chromium() -> Iterator[helpers_browser.Browser]:
    """A browser with one page."""
    with helpers_browser.browser(outside()["chromium"]) as browser:
        yield browser


@pytest.fixture(scope="session", autouse=True)
def kernels():
    """Compile the kernels that are not compiled yet, once for all test processes."""
    compiled()


@pytest.fixture(scope="session", autouse=True)
def own_files(tmp_path_factory):
    """Keep the user's cache and WordNet out of the tests, whose workers share a cache."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cache"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ALIGNFRAME_CACHE", str(folder))
        small = write_wordnet(tmp_path_factory.mktemp("wordnet"))
        patch.setenv("ALIGNFRAME_WORDNET", str(small))
        yield


@pytest.fixture(scope="session")
def processes() -> Iterator[ProcessPoolExecutor]:
    """A process, spawned rather than forked; it takes a second to import its modules."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        yield executor


@pytest.fixture(scope="session")
def s3_server():
    """The address of an object store on this machine."""
    pytest.importorskip("moto")
    from helpers.lake import object_store

    with object_store() as address:
        yield address


@pytest.fixture
def bucket(s3_server, monkeypatch, request):
    """The URL of an empty bucket, with credentials in the environment."""
    from alignframe.stores.remote import filesystem

    for name, value in {
        "AWS_ACCESS_KEY_ID": "a-key-nobody-may-see",
        "AWS_SECRET_ACCESS_KEY": "a-secret-nobody-may-see",
        "AWS_ENDPOINT_URL": s3_server,
        "AWS_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    name = f"b{abs(hash(request.node.nodeid)) % 10**12}"
    import boto3

    boto3.client("s3", endpoint_url=s3_server).create_bucket(Bucket=name)
    assert filesystem()
    return f"s3://{name}"


@pytest.fixture(scope="session")
def spark():
    """A session of Sail, which runs in this process, with every row-wise function."""
    pytest.importorskip("pysail")
    from alignframe.engines import spark as engine

    session = engine.session()
    engine.register(session)
    yield session
    session.stop()

"""Parallel execution: order of results, and read-only arrays."""

import pickle
import subprocess
import sys
from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np
import pytest

import alignframe as af
from alignframe.core.arrays import frozen
from alignframe.core.parallel import parallel_map, pool_of, workers_of
from alignframe.errors import InputError


class Pickling(Executor):
    """Pickle calls and results as a pool of processes does, without the processes."""

    def map(self, function, *iterables):
        for items in zip(*iterables, strict=True):
            call, given = pickle.loads(pickle.dumps((function, items), protocol=4))
            yield pickle.loads(pickle.dumps(call(*given), protocol=4))


def described(arrays):
    """Return each array, whether it is writable here, and the array again."""
    return [(one, one.flags.writeable, one.flags.aligned) for one in arrays]


def test_results_come_in_order():
    with ThreadPoolExecutor(3) as threads:
        for executor in (None, threads):
            assert list(parallel_map(lambda n: n * n, range(20), executor)) == [
                n * n for n in range(20)
            ]


def test_read_only_arrays_stay_read_only_in_processes():
    """Otherwise every process would compile its kernels again, for writable arrays."""
    arrays = [np.arange(7), np.zeros(0), np.arange(5, dtype=np.uint16)]
    given = [*map(frozen, arrays), *arrays]
    (found,) = parallel_map(described, [given], Pickling())
    assert [there for _, there, _ in found] == [False] * 3 + [True] * 3
    assert [back.flags.writeable for back, _, _ in found] == [False] * 3 + [True] * 3
    assert all(aligned for _, _, aligned in found)
    for (back, _, _), one in zip(found, given, strict=True):
        assert back.dtype == one.dtype
        assert back.tolist() == one.tolist()


@pytest.mark.parametrize(
    "call",
    [
        lambda **given: (
            af.links.score(["0-0 1-1", "0-1"], ["0-0", "0-1"], bootstrap=5, **given).scores
        ),
        lambda **given: af.links.score(["0-0 1-1", "0-1"], ["0-0", "0-1"], **given).counts,
        lambda **given: af.phrases.extract(["0-0 1-1"], **given),
        lambda **given: af.aligners.align(["a b", "b"], ["c d", "d"], model="ibm1", **given),
        lambda **given: af.lexicon.induce(["a b", "b"], ["c d", "d"], **given).frame.to_pandas(),
        lambda **given: af.lexicon.candidates(["a b"], ["c d"], **given).to_pandas(),
    ],
)
def test_threads_change_no_figures(call):
    wanted = call()
    with ThreadPoolExecutor(2) as executor:
        for given in ({"threads": 1}, {"threads": 2}, {"threads": executor}):
            assert call(**given).equals(wanted)
    for wrong in (0, -1, 1.5, True, "two"):
        with pytest.raises(InputError, match=f"`threads` is {wrong!r}; expected a whole number"):
            call(threads=wrong)


def test_threads_are_a_number_or_an_executor():
    with ThreadPoolExecutor(2) as executor:
        assert pool_of(executor) is executor
        assert [workers_of(one) for one in (executor, 3, None)] == [2, 3, None]
    assert pool_of(None) is pool_of(1) is None


# All threads look numpy up in polars before the first of them has found it.
RACE = """
import polars as pl, polars._dependencies as lazy
import numpy as np, threading, time
from concurrent.futures import ThreadPoolExecutor
from alignframe.core.parallel import parallel_map
load, proxy = lazy.import_module, lazy.numpy
def together(name):
    if threading.current_thread() is not threading.main_thread() and looking.wait():
        while "ndarray" not in vars(proxy):
            time.sleep(0.01)
    return load(name)
looking, lazy.import_module = threading.Barrier(2), together
start = threading.Barrier(2)
def frame(value):
    start.wait()
    return pl.DataFrame({"a": np.zeros(2), "b": value}).height
with ThreadPoolExecutor(2) as pool:
    print(list(parallel_map(frame, [1, 2], pool)))
"""


def test_threads_make_frames_where_polars_was_imported_before_numpy():
    done = subprocess.run([sys.executable, "-c", RACE], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("[2, 2]\n", "")

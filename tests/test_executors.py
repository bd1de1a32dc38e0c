"""Work side by side: in order, and with arrays as they were."""

import pickle
from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np

from alignframe.executors import mapped
from alignframe.kernels.ragged import frozen


class Pickling(Executor):
    """What a pool of processes does to calls and results, without the processes."""

    def map(self, function, *iterables):
        for items in zip(*iterables, strict=True):
            call, given = pickle.loads(pickle.dumps((function, items), protocol=4))
            yield pickle.loads(pickle.dumps(call(*given), protocol=4))


def described(arrays):
    """Return each array, how it may be used where this runs, and the array once more."""
    return [(one, one.flags.writeable, one.flags.aligned) for one in arrays]


def test_results_come_in_order():
    with ThreadPoolExecutor(3) as threads:
        for executor in (None, threads):
            assert list(mapped(lambda n: n * n, range(20), executor)) == [n * n for n in range(20)]


def test_read_only_arrays_stay_so_on_their_way_to_processes():
    """Else every process would compile its kernels anew, for arrays that can be written to."""
    arrays = [np.arange(7), np.zeros(0), np.arange(5, dtype=np.uint16)]
    given = [*map(frozen, arrays), *arrays]
    (found,) = mapped(described, [given], Pickling())
    assert [there for _, there, _ in found] == [False] * 3 + [True] * 3
    assert [back.flags.writeable for back, _, _ in found] == [False] * 3 + [True] * 3
    assert all(aligned for _, _, aligned in found)
    for (back, _, _), one in zip(found, given, strict=True):
        assert back.dtype == one.dtype
        assert back.tolist() == one.tolist()

"""Mapping a function over items in parallel: on threads, processes or a cluster."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Generic, TypeVar

from alignframe.errors import FROM_1
from alignframe.typing import Threads

Item = TypeVar("Item")
Found = TypeVar("Found")


class ThreadPool(ThreadPoolExecutor):
    """Threads, of which there are fewer if the system allows no more."""

    def _adjust_thread_count(self) -> None:
        try:
            super()._adjust_thread_count()
        except RuntimeError:
            # What was submitted waits in the queue, for those that there are.
            if not self._threads:
                raise


def parallel_map(
    call: Callable[[Item], Found], items: Iterable[Item], executor: Executor | None
) -> Iterator[Found]:
    """Yield a function's result for each item, in order; without an executor, one at a time."""
    if executor is None:
        yield from map(call, items)
        return
    ready_for_threads()
    # Read-only arrays stay so in other processes: pickle alone would make them writable, and each
    # process would compile the kernels again for that type.
    for sent in executor.map(_Call(_Sent(call)), map(_Sent, items)):
        yield sent.value


def ready_for_threads() -> None:
    """Make polars look up numpy, in case it was imported first: two threads at once would fail."""
    # The proxy takes over the names of numpy, one of which is that of its own dictionary.
    if polars := sys.modules.get("polars"):
        import numpy as np

        polars.Series(np.empty(0))


@dataclass(frozen=True)
class _Sent(Generic[Item]):
    """A value whose read-only arrays stay read-only in another process."""

    value: Item

    def __reduce__(self) -> tuple[Callable[[bytes], object], tuple[bytes]]:
        # From protocol 5 on, read-only buffers stay read-only.
        return _received, (pickle.dumps(self.value, protocol=5),)


def _received(data: bytes) -> _Sent[object]:
    return _Sent(pickle.loads(data))  # noqa: S301 (of this process's own making)


@dataclass(frozen=True)
class _Call(Generic[Item, Found]):
    call: _Sent[Callable[[Item], Found]]

    def __call__(self, item: _Sent[Item]) -> _Sent[Found]:
        return _Sent(self.call.value(item.value))


def pool_of(threads: Threads) -> Executor | None:
    """Return a given executor, or a new one with this many threads; None for one thread."""
    if threads is None or hasattr(threads, "map"):
        return threads  # type: ignore[return-value]
    number: int = FROM_1.checked(threads, "`threads`")
    return None if number == 1 else ThreadPool(number)


def workers_of(threads: Threads) -> int | None:
    """Return the number of threads, or of workers of an executor; None if it is not known."""
    return getattr(threads, "_max_workers", None) if hasattr(threads, "map") else threads

"""Kernels run by Python while their input is small and they are not compiled.

Compiling a kernel takes longer than running it a thousand times on a few sentences. A kernel that
is called by ``call`` is therefore interpreted, from the same source, until it has seen ``ENOUGH``
numbers in this process; then it is compiled. Where machine code is cached, it is used from the
first call.

Interpreted, whole numbers are Python's, which are exact, and arrays are memory views, which refuse
numbers that do not fit: where machine code would wrap around, there is an error and no wrong
answer. Fractions are Python's, of double precision; ``exp`` and ``log`` are those of the C library,
as in machine code, and both give the same bits. Arrays of single precision are read, compared and
stored, which rounds; one number is rounded by ``np.float32``. A sum or product of two numbers of
single precision, which machine code rounds at once, needs ``np.float64`` around one of them.

Arrays have one or two dimensions: ``a[k]`` is a row of two, ``a[k, c]`` a number, and ``len(a)``
and ``a.shape`` are known, ``a.size`` is not. Kernels that wrap on purpose, or use more of NumPy
than new arrays, ``exp`` and ``log``, are not for ``call``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from ctypes import c_float
from functools import cache
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np
from numba.core.registry import CPUDispatcher

Kernel = Callable[..., Any]

ENOUGH = 1 << 16
"""About a tenth of a second of interpreting; compiling takes from a tenth to two."""

_SEEN: dict[Kernel, int] = {}


def call(kernel: Kernel, *arguments: Any, steps: int | None = None) -> Any:
    """Call a kernel; interpreted, if its input is small and it is not compiled.

    ``steps`` says about how many microseconds interpreting takes, if not one for each number.
    """
    if _is_compiled(kernel):
        return kernel(*arguments)
    seen = _SEEN[kernel] = _SEEN.get(kernel, 0) + (_size(arguments) if steps is None else steps)
    if seen > ENOUGH:
        return kernel(*arguments)
    return _arrays(interpreted(kernel)(*_views(arguments)))


@cache
def interpreted(kernel: Kernel) -> Kernel:
    """Return a kernel as a function of Python, which takes and returns memory views."""
    function = kernel.py_func  # type: ignore[attr-defined]
    used = {
        name: _plain(function.__globals__[name])
        for name in function.__code__.co_names
        if name in function.__globals__
    }
    return FunctionType(
        function.__code__,
        function.__globals__ | used,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )


def _plain(value: Any) -> Any:
    """Return what an interpreted kernel finds under a global name."""
    if isinstance(value, CPUDispatcher):
        # It asks an array for its type, which memory views do not know.
        return _grown if value.__name__ == "grown" else interpreted(value)
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, ModuleType):
        return _NumPy if value is np else value
    return _MATH.get(value, value) if isinstance(value, BuiltinFunctionType) else value


def _grown(view: memoryview, size: int) -> memoryview:
    """Return the view, or a longer copy, like ``kernels.arrays.grown``."""
    if size <= len(view):
        return view
    larger = _view(np.empty(max(2 * len(view), size), np.asarray(view).dtype))
    larger[: len(view)] = view
    return larger


def _exp(x: float) -> float:
    """Return e to the power of x; infinite where Python has an error."""
    try:
        return math.exp(x)
    except OverflowError:
        return math.inf


def _log(x: float) -> float:
    """Return the logarithm of x; -inf of 0 and NaN below, where Python has an error."""
    if x > 0.0:
        return math.log(x)
    return -math.inf if x == 0.0 else math.nan


def _log1p(x: float) -> float:
    """Return the logarithm of 1 + x; see ``_log``."""
    if x > -1.0:
        return math.log1p(x)
    return -math.inf if x == -1.0 else math.nan


_MATH = {math.exp: _exp, math.log: _log, math.log1p: _log1p}


class _Rows:
    """A view of two dimensions, with the rows that memory views of two do not give."""

    def __init__(self, array: Any) -> None:
        self.view = memoryview(array)
        self._rows = [memoryview(row) for row in array]
        self.shape = array.shape

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, at: Any) -> Any:
        return self.view[at] if isinstance(at, tuple) else self._rows[at]

    def __setitem__(self, at: tuple[int, int], value: Any) -> None:
        self.view[at] = value


class _Single:
    """The type of fractions of single precision: of arrays, or of a number, which is rounded."""

    dtype = np.float32

    def __call__(self, number: float) -> float:
        return c_float(number).value


class _Whole:
    """A type of whole numbers: of arrays, or of a number, which must fit."""

    def __init__(self, dtype: type[np.integer[Any]]) -> None:
        self.dtype = dtype
        limits = np.iinfo(dtype)
        self._low, self._high = int(limits.min), int(limits.max)

    def __call__(self, number: int) -> int:
        if not self._low <= number <= self._high:
            raise OverflowError(f"{number} is no {self.dtype.__name__}")
        return int(number)


def _dtype(kind: Any) -> Any:
    return kind.dtype if isinstance(kind, _Whole | _Single) else kind


class _NumPy:
    """What interpreted kernels have of NumPy."""

    bool_, float32, float64 = np.bool_, _Single(), float
    uint8, uint16, uint32 = _Whole(np.uint8), _Whole(np.uint16), _Whole(np.uint32)
    uint64 = _Whole(np.uint64)
    int16, int32, int64 = _Whole(np.int16), _Whole(np.int32), _Whole(np.int64)
    ceil, exp, log = staticmethod(math.ceil), staticmethod(_exp), staticmethod(_log)
    pi = math.pi

    @staticmethod
    def empty(shape: Any, dtype: Any = float) -> Any:
        return _view(np.empty(shape, _dtype(dtype)))

    @staticmethod
    def zeros(shape: Any, dtype: Any = float) -> Any:
        return _view(np.zeros(shape, _dtype(dtype)))

    @staticmethod
    def full(shape: Any, value: float, dtype: Any = None) -> Any:
        return _view(np.full(shape, value, _dtype(dtype)))


def _is_compiled(kernel: Any) -> bool:
    """Whether a kernel needs no compiling: it was called, or its machine code is cached."""
    return not isinstance(kernel, CPUDispatcher) or bool(kernel.overloads) or _is_cached(kernel)


@cache
def _is_cached(kernel: Any) -> bool:
    kept = getattr(kernel._cache, "is_filled", None)  # noqa: SLF001
    return kept is not None and bool(kept(kernel.targetctx.codegen().magic_tuple()))


def _size(arguments: Any) -> int:
    """Return the number of numbers in arrays, and tuples of arrays."""
    return sum(
        part.size if isinstance(part, np.ndarray) else _size(part)
        for part in arguments
        if isinstance(part, np.ndarray | tuple)
    )


def _view(array: Any) -> Any:
    return memoryview(array) if array.ndim < 2 else _Rows(array)


def _views(value: Any) -> Any:
    """Return arrays as memory views and numbers of NumPy as Python's, also within tuples."""
    if isinstance(value, np.ndarray):
        return _view(value)
    if isinstance(value, np.generic):
        return value.item()
    return _within(value, _views)


def _arrays(value: Any) -> Any:
    """Return memory views, and tuples of memory views, as arrays."""
    if isinstance(value, _Rows):
        return np.asarray(value.view)
    if isinstance(value, memoryview):
        return np.asarray(value)
    return _within(value, _arrays)


def _within(value: Any, change: Callable[[Any], Any]) -> Any:
    """Change the members of a tuple, which keeps its names."""
    if not isinstance(value, tuple):
        return value
    changed = map(change, value)
    return value._make(changed) if hasattr(value, "_make") else tuple(changed)

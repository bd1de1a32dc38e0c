"""Kernels for arrays that grow and for sorting."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alignframe.kernels.arrays import grown, sort

_NUMBERS = st.integers(-(2**31), 2**31 - 1) | st.integers(0, 3)


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@given(numbers=st.lists(_NUMBERS, max_size=300), more=st.lists(_NUMBERS, max_size=3))
def test_the_first_numbers_are_sorted(kind, numbers, more):
    keys = np.array(numbers + more, kind)
    sort(keys, len(numbers))
    assert keys.tolist() == sorted(numbers) + more


@pytest.mark.parametrize("step", [1, -1])
def test_sorted_and_reversed_arrays(step):
    keys = np.arange(50_000)[::step].copy()
    sort(keys, keys.size)
    assert (keys == np.arange(50_000)).all()


def test_an_array_with_room_is_kept_and_another_is_copied():
    array = np.arange(4)
    assert grown(array, 4).tolist() == [0, 1, 2, 3]
    larger = grown(array, 5)
    assert larger.size >= 5
    assert larger[:4].tolist() == [0, 1, 2, 3]

"""Functions over arrays of numbers, compiled once and kept beside their module."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """The function compiled for arrays; it releases the interpreter while it runs."""
    return cast(F, numba.njit(cache=True, nogil=True)(function))


def inner(function: F) -> F:
    """The same for a step of a kernel, laid into it: a call would cost more than the step."""
    return cast(F, numba.njit(cache=True, nogil=True, forceinline=True)(function))

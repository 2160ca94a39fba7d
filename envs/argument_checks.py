"""Arguments of environments against the annotations of what takes them.

They come from command lines and files as often as from Python. A value of a wrong kind is named here, before something
deep inside trips over it, or worse, takes it for something else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from polyloop.envs.problems import EnvironmentArgumentError


def check_arguments(function: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Compare arguments with a function's annotations; those that have none are as they are.

    Raises:
        EnvironmentArgumentError: for the first that does not fit.
    """
    for name, kind in get_type_hints(function).items():
        if name in given:
            check_value(name, given[name], kind)


def check_value(name: str, value: object, kind: Any) -> None:
    """Compare one value with an annotation: of `None`, `bool`, numbers, `str`, literals, sequences and mappings of
    them, protocols that can be checked at run time, and unions.

    Raises:
        EnvironmentArgumentError: if it does not fit.
    """
    if _fits(value, kind):
        return
    if get_origin(kind) is Literal:
        raise EnvironmentArgumentError(f"{name}={value!r}: there are {', '.join(map(repr, get_args(kind)))}")
    raise EnvironmentArgumentError(f"{name}={value!r}: it has to be {_words(kind)}")


def check_least(least: int, **given: int) -> None:
    """Compare numbers with the least that makes sense.

    Raises:
        EnvironmentArgumentError: for the first that is less.
    """
    for name, value in given.items():
        if value < least:
            raise EnvironmentArgumentError(f"{name}={value}: it has to be {least} at least")


def check_share(name: str, value: float) -> None:
    """Compare a number with what a share can be.

    Raises:
        EnvironmentArgumentError: if it is none.
    """
    if not 0 <= value <= 1:
        raise EnvironmentArgumentError(f"{name}={value!r}: it has to be a number from 0 to 1")


def _fits(value: object, kind: Any) -> bool:
    inner = get_args(kind)
    match get_origin(kind) or kind:
        case origin if origin in (Union, UnionType):
            return any(_fits(value, each) for each in inner)
        case origin if origin is Literal:
            return any(type(value) is type(each) and value == each for each in inner)
        case origin if origin is Sequence:
            return isinstance(value, Sequence) and not isinstance(value, str) and all(_fits(v, inner[0]) for v in value)
        case origin if origin is Mapping:
            pairs = value.items() if isinstance(value, Mapping) else None
            return pairs is not None and all(_fits(k, inner[0]) and _fits(v, inner[1]) for k, v in pairs)
        case origin if origin is int:  # numpy's integers, too
            return isinstance(value, Integral) and not isinstance(value, bool)
        case origin if origin is float:
            return isinstance(value, Real) and not isinstance(value, bool)
        case origin:
            return origin is Any or isinstance(value, origin)


_NAMES = {
    NoneType: ("None", "None"),
    bool: ("True or False", "True or False"),
    int: ("a whole number", "whole numbers"),
    float: ("a number", "numbers"),
    str: ("text", "text"),
    Any: ("anything", "anything"),
}
"""One, and many of them."""


def _words(kind: Any, many: bool = False) -> str:
    inner = get_args(kind)
    match get_origin(kind) or kind:
        case origin if origin in (Union, UnionType):
            return " or ".join(_words(each, many) for each in inner)
        case origin if origin is Literal:
            return " or ".join(map(repr, inner))
        case origin if origin is Sequence:
            return f"a list of {_words(inner[0], True)}"
        case origin if origin is Mapping:
            return f"a mapping of {_words(inner[0], True)} to {_words(inner[1], True)}"
        case origin:
            return _NAMES[origin][many] if origin in _NAMES else f"an object like {origin.__name__}"

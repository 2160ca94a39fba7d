"""Where members of structures lie: sizes, alignments and offsets, as compilers of this machine lay them out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from pycparser import c_ast

from polyloop.arithmetic import Arithmetic, ArrayOf, Bits, CType, Pointer, Record, leaves


def size_and_alignment(type_: CType) -> tuple[int, int] | None:
    """In bytes, as the ABIs of 64-bit Unix have it; None where it is not known."""
    match type_:
        case Arithmetic(scalar):
            return scalar.bytes, scalar.bytes
        case Pointer():
            return 8, 8
        case ArrayOf(element, c_ast.Constant(type="int", value=count)):
            inner = size_and_alignment(element)
            return (inner[0] * int(count), inner[1]) if inner is not None and count.isdigit() else None
        case Record():
            end, most = 0, 1
            for member in _laid_out(type_):
                if member is None:
                    return None
                end, most = max(end, member.end), max(most, member.alignment)
            return _up(-(-end // 8), most), most
    return None


class _Member(NamedTuple):
    """Where a member is in its structure: its first bit and the one behind it; its alignment in bytes."""

    name: str | None
    type: CType
    start: int
    end: int
    alignment: int


def _laid_out(record: Record) -> Iterator[_Member | None]:
    """The members in order; None for the first one of unknown size, and nothing behind it."""
    end = 0
    for name, type_ in record.members:
        start = 0 if record.union else end
        if isinstance(type_, Bits) and record.most:  # they may begin anywhere
            yield None
            return
        if isinstance(type_, Bits):
            unit, width = 8 * type_.unit, type_.width
            # One without a width ends the unit; none reaches over the end of one.
            start = _up(start, unit) if not width or start % unit + width > unit else start
            end = start + width
            yield _Member(name, type_, start, end, type_.unit if name else 1)
            continue
        inner = size_and_alignment(type_)
        if inner is None:
            yield None
            return
        alignment = min(inner[1], record.most or inner[1])
        start = _up(start, 8 * alignment)
        end = start + 8 * inner[0]
        yield _Member(name, type_, start, end, alignment)


def is_all_numbers(type_: CType) -> bool:
    """Whether copies of all numbers in it are a copy of it: it has no other members, and nothing between them."""
    match type_:
        case Arithmetic():
            return not type_.volatile and not type_.boolean
        case ArrayOf(element):
            return is_all_numbers(element)
        case Record(union=False) if (size := size_and_alignment(type_)) is not None:
            members = [member for member in _laid_out(type_) if member is not None]
            filled = sum(member.end - member.start for member in members)
            return filled == 8 * size[0] and all(is_all_numbers(member.type) for member in members)
    return False


def offset_of(record: Record, name: str) -> tuple[int, int | None] | None:
    """A member's place in its structure, in bytes; None where it is not known. Where numbers of other types lie there,
    too, with where the outermost union that they share begins."""
    for member in _laid_out(record):
        if member is None:
            return None
        within: tuple[int, int | None] | None = None
        if member.name == name:
            within = 0, None
        elif member.name is None and isinstance(member.type, Record) and member.type.member(name) is not None:
            within = offset_of(member.type, name)
        if within is not None:
            start, (offset, union) = member.start // 8, within
            shared = 0 if record.union and len(set(leaves(record))) != 1 else None if union is None else start + union
            return start + offset, shared
    return None


def _up(value: int, alignment: int) -> int:
    return -(-value // alignment) * alignment

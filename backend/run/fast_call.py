"""Calling a kernel with numpy arrays at a fraction of a microsecond: arguments are looked over by compiled code.

Asking numpy for an array's type, shape, flags and address costs a microsecond or two an array. What was checked once,
in Python and with words for every mistake, is written down as a table of what these arguments look like; from then on
compiled code compares the fields of the array objects with the table and runs the kernel if all of them agree. If one
does not, nothing has happened and Python checks again.

The fields of numpy's array object are a part of its binary interface, and the head of an object one of CPython's
(`PyArrayObject` and `PyTupleObject` in their headers). Whether they lie where this module thinks is tried out before
they are used; where they do not, there is no fast way.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from polyloop.backend.ir.interpreter import Array
from polyloop.backend.machine.host import host_target
from polyloop.backend.run import jit

_HEAD = object.__basicsize__  # the fields of an object begin here; its type is the word before
_ITEMS = tuple.__basicsize__
_MOST_DIMENSIONS, _MOST_PARAMETERS, _MOST_ARRAYS = 8, 16, 32
_RECORD = 6 + _MOST_DIMENSIONS  # words: dtype, flags, dimensions, bytes, written, slot, extents
_ARRAYS = 4 + _MOST_PARAMETERS  # word at which the records begin, behind: kernel, arrays, parameters, type, values
_C_CONTIGUOUS, _ALIGNED, _WRITEABLE = 0x1, 0x100, 0x400

Entry: TypeAlias = "Callable[[ctypes.c_void_p, tuple[object, ...]], int]"

# ``int checked(long *table, PyObject *tuple)``: see the head of this file.
_CODE = f"""
define i32 @polyloop.checked(ptr %table, ptr %tuple) {{
entry:
  %slots = alloca [{_MOST_PARAMETERS + _MOST_ARRAYS} x i64], align 64
  %kernel = load ptr, ptr %table
  %count.at = getelementptr i64, ptr %table, i64 1
  %count = load i64, ptr %count.at
  %parameters.at = getelementptr i64, ptr %table, i64 2
  %parameters = load i64, ptr %parameters.at
  %class.at = getelementptr i64, ptr %table, i64 3
  %class = load i64, ptr %class.at
  %values = getelementptr i64, ptr %table, i64 4
  %bytes = mul i64 %parameters, 8
  call void @llvm.memcpy.p0.p0.i64(ptr %slots, ptr %values, i64 %bytes, i1 false)
  %size.at = getelementptr i8, ptr %tuple, i64 {_HEAD}
  %size = load i64, ptr %size.at
  %items = getelementptr i8, ptr %tuple, i64 {_ITEMS}
  %records = getelementptr i64, ptr %table, i64 {_ARRAYS}
  %fits = icmp eq i64 %size, %count
  br i1 %fits, label %arrays, label %refused

arrays:
  %n = phi i64 [ 0, %entry ], [ %n.next, %placed ]
  %more = icmp slt i64 %n, %count
  br i1 %more, label %array, label %run

array:
  %item.at = getelementptr ptr, ptr %items, i64 %n
  %item = load ptr, ptr %item.at
  %word = mul i64 %n, {_RECORD}
  %record = getelementptr i64, ptr %records, i64 %word
  %type.at = getelementptr i8, ptr %item, i64 {_HEAD - 8}
  %type = load i64, ptr %type.at
  %is.array = icmp eq i64 %type, %class
  br i1 %is.array, label %fields, label %refused

fields:
  %object = getelementptr i8, ptr %item, i64 {_HEAD}
  %data = load i64, ptr %object
  %nd.at = getelementptr i8, ptr %object, i64 8
  %nd.short = load i32, ptr %nd.at
  %nd = sext i32 %nd.short to i64
  %extents.at = getelementptr i8, ptr %object, i64 16
  %extents = load ptr, ptr %extents.at
  %dtype.at = getelementptr i8, ptr %object, i64 40
  %dtype = load i64, ptr %dtype.at
  %flags.at = getelementptr i8, ptr %object, i64 48
  %flags.short = load i32, ptr %flags.at
  %flags = zext i32 %flags.short to i64
  %want.dtype = load i64, ptr %record
  %want.flags.at = getelementptr i64, ptr %record, i64 1
  %want.flags = load i64, ptr %want.flags.at
  %want.nd.at = getelementptr i64, ptr %record, i64 2
  %want.nd = load i64, ptr %want.nd.at
  %same.dtype = icmp eq i64 %dtype, %want.dtype
  %has.flags = and i64 %flags, %want.flags
  %same.flags = icmp eq i64 %has.flags, %want.flags
  %same.nd = icmp eq i64 %nd, %want.nd
  %both = and i1 %same.dtype, %same.flags
  %all = and i1 %both, %same.nd
  br i1 %all, label %shape, label %refused

shape:
  %d = phi i64 [ 0, %fields ], [ %d.next, %extent ]
  %deeper = icmp slt i64 %d, %nd
  br i1 %deeper, label %extent, label %place

extent:
  %have.at = getelementptr i64, ptr %extents, i64 %d
  %have = load i64, ptr %have.at
  %column = add i64 %d, 6
  %want.at = getelementptr i64, ptr %record, i64 %column
  %want = load i64, ptr %want.at
  %d.next = add i64 %d, 1
  %same = icmp eq i64 %have, %want
  br i1 %same, label %shape, label %refused

place:
  %slot.at = getelementptr i64, ptr %record, i64 5
  %slot = load i64, ptr %slot.at
  %place.at = getelementptr [{_MOST_PARAMETERS + _MOST_ARRAYS} x i64], ptr %slots, i64 0, i64 %slot
  store i64 %data, ptr %place.at
  %length.at = getelementptr i64, ptr %record, i64 3
  %length = load i64, ptr %length.at
  %stop = add i64 %data, %length
  %written.at = getelementptr i64, ptr %record, i64 4
  %written = load i64, ptr %written.at
  br label %others

others:
  %m = phi i64 [ 0, %place ], [ %m.next, %other ]
  %earlier = icmp slt i64 %m, %n
  br i1 %earlier, label %other, label %placed

other:
  %m.next = add i64 %m, 1
  %other.word = mul i64 %m, {_RECORD}
  %other.record = getelementptr i64, ptr %records, i64 %other.word
  %other.slot.at = getelementptr i64, ptr %other.record, i64 5
  %other.slot = load i64, ptr %other.slot.at
  %other.place = getelementptr [{_MOST_PARAMETERS + _MOST_ARRAYS} x i64], ptr %slots, i64 0, i64 %other.slot
  %other.data = load i64, ptr %other.place
  %other.length.at = getelementptr i64, ptr %other.record, i64 3
  %other.length = load i64, ptr %other.length.at
  %other.stop = add i64 %other.data, %other.length
  %other.written.at = getelementptr i64, ptr %other.record, i64 4
  %other.written = load i64, ptr %other.written.at
  %either = or i64 %written, %other.written
  %matters = icmp ne i64 %either, 0
  %begins = icmp ult i64 %data, %other.stop
  %ends = icmp ult i64 %other.data, %stop
  %meet = and i1 %begins, %ends
  %overlap = and i1 %meet, %matters
  br i1 %overlap, label %refused, label %others

placed:
  %n.next = add i64 %n, 1
  br label %arrays

run:
  call void %kernel(ptr %slots)
  ret i32 0

refused:
  ret i32 1
}}
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""


@dataclass(frozen=True)
class FastCall:
    """``entry(pointer, arrays)`` runs the kernel and returns 0, or returns 1 if the arrays do not fit the table."""

    entry: Entry
    pointer: ctypes.c_void_p
    table: object  # keeps the words alive


def make_fast_call(
    function: int, parameters: Sequence[int], arrays: Sequence[tuple[Array, int, bool]], *, overlap: bool
) -> FastCall | None:
    """A fast way to call a kernel with arrays like these, which have been checked; None where there is none.

    Args:
        function: address of the compiled ``void (slots)``.
        parameters: the first slots.
        arrays: in the order of the call, with the slot of each and whether the kernel writes it.
        overlap: whether arrays that are written may overlap others.
    """
    if len(parameters) > _MOST_PARAMETERS or len(arrays) > _MOST_ARRAYS or not _layout_is_known():
        return None
    if any(type(a) is not np.ndarray or a.ndim > _MOST_DIMENSIONS or not a.dtype.isnative for a, _, _ in arrays):
        return None
    words = [function, len(arrays), len(parameters), id(np.ndarray), *parameters]
    words += [0] * (_ARRAYS - len(words))
    for array, slot, written in arrays:
        flags = _C_CONTIGUOUS | _ALIGNED | (_WRITEABLE if written else 0)
        words += [id(array.dtype), flags, array.ndim, array.nbytes, int(written and not overlap), slot]
        words += [*array.shape, *[0] * (_MOST_DIMENSIONS - array.ndim)]
    table = (ctypes.c_int64 * len(words))(*words)
    # The dtypes are compared by address: they have to live as long as the table.
    kept = (table, tuple(array.dtype for array, _, _ in arrays))
    return FastCall(_entry(), ctypes.c_void_p(ctypes.addressof(table)), kept)


@cache
def _layout_is_known() -> bool:
    """Try out, on an array, that its fields lie where the compiled code will look for them."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    probe = np.zeros((3, 5), np.float32)
    start = id(probe) + _HEAD

    def word(address: int) -> int:
        return int(ctypes.c_int64.from_address(address).value)

    if word(start - 8) != id(np.ndarray) or word(start) != probe.ctypes.data:
        return False
    if ctypes.c_int32.from_address(start + 8).value != 2 or word(start + 40) != id(probe.dtype):
        return False
    if (word(word(start + 16)), word(word(start + 16) + 8)) != probe.shape:
        return False
    held = (probe, start)
    if (word(id(held) + _HEAD), word(id(held) + _ITEMS)) != (2, id(probe)):
        return False
    flags, expected = ctypes.c_int32.from_address(start + 48), _C_CONTIGUOUS | _ALIGNED
    if flags.value & (expected | _WRITEABLE) != expected | _WRITEABLE:
        return False
    probe.flags.writeable = False
    return flags.value & (expected | _WRITEABLE) == expected


@cache
def _entry() -> Entry:
    loaded = jit.load(jit.object_code(_CODE, host_target(), optimize=False), ("polyloop.checked",))
    entry = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.py_object)(loaded.addresses["polyloop.checked"])
    entry.owner = loaded  # type: ignore[attr-defined]  # the code lives as long as the function
    return entry

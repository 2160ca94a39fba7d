"""A machine in figures, and its roofline: in text and as SVG.

A roof is the rate that a program reaches at most: as fast as a core computes, or as fast as its bytes come from where
they lie. References: Williams, Waterman and Patterson, "Roofline" (CACM 2009).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

from polyloop.backend.machine.machine import Machine, Operation
from polyloop.show.svg import Picture

LEVELS = ("L1", "L2", "L3", "memory")
_OPERATIONS = ("multiply_add", "add", "multiply", "divide", "square_root", "load", "store", "shuffle", "gather")
_FIRST, _LAST = -5, 7
"""Operations a byte that are drawn, as powers of two."""

_COLUMNS, _ROWS = 61, 14
_BITS = 64


def description_lines(machine: Machine) -> Iterator[str]:
    """What a machine is good at, for people to read."""
    registers = f"{machine.vector_registers} registers of {machine.vector_bits} bits"
    extras = ", ".join(word for word, has in (("masks", machine.masks), ("fused multiply-add", machine.has_fma)) if has)
    source = machine.source
    if source == "measured":
        source += f", {machine.confidence:.0%} of the figures confirmed"
    yield f"{machine.name}: {machine.instructions}, {registers}{', ' if extras else ''}{extras} ({source})"
    peaks = f"{machine.peak_gflops(64):.3g} GFLOPS double, {machine.peak_gflops(32):.3g} single precision"
    yield f"clock {machine.gigahertz:g} GHz; at best {peaks}"
    yield ""
    yield f"{'vector operation':16} {'latency':>9} {'a cycle':>9}"
    for name in _OPERATIONS:
        operation: Operation = getattr(machine, name)
        yield f"{name.replace('_', ' '):16} {operation.latency:>9g} {operation.per_cycle:>9g}"
    yield ""
    yield f"{'from':8} {'bytes':>10} {'ways':>5} {'latency':>8} {'cycles a line':>14} {'GB/s':>7}"
    for level, cache in zip(LEVELS, machine.levels, strict=True):
        size, ways = (_bytes(cache.size), str(cache.ways)) if cache.size else ("", "")
        speed = f"{cache.latency:>8g} {cache.line_cycles:>14g} {machine.bandwidth(LEVELS.index(level)):>7.3g}"
        yield f"{level:8} {size:>10} {ways:>5} {speed}"
    yield f"a page that is looked up in memory costs {machine.page_cycles:g} cycles more"
    yield f"prefetching from memory has to be {machine.prefetch_lines} lines ahead"


def roofline_lines(machine: Machine) -> Iterator[str]:
    """The roofs of double precision drawn with characters, both axes in powers of two."""
    peak = machine.peak_gflops(_BITS)
    high = log2(peak)
    low = min(log2(_roof(machine, 3, 2.0**_FIRST)), high - 1)  # where memory keeps up with the core, roofs are flat
    rows = [[" "] * _COLUMNS for _ in range(_ROWS)]
    for column in range(_COLUMNS):
        intensity = 2 ** (_FIRST + (_LAST - _FIRST) * column / (_COLUMNS - 1))
        for level in range(len(LEVELS)):
            height = round((log2(_roof(machine, level, intensity)) - low) / (high - low) * (_ROWS - 1))
            rows[_ROWS - 1 - height][column] = "-" if _roof(machine, level, intensity) == peak else "123M"[level]
    yield "GFLOPS of double precision, by operations for each byte from L1, L2, L3 (1, 2, 3) and memory (M)"
    for number, row in enumerate(rows):
        value = 2 ** (high - (high - low) * number / (_ROWS - 1))
        yield f"{value:>8.3g} |{''.join(row).rstrip()}"
    yield f"{'':8} +{'-' * _COLUMNS}"
    ticks = [" "] * (_COLUMNS + 4)
    for power in range(_FIRST + 1, _LAST + 1, 2):
        column = round((power - _FIRST) / (_LAST - _FIRST) * (_COLUMNS - 1))
        label = f"{2.0**power:g}"
        ticks[column : column + len(label)] = label
    yield f"{'':8}  {''.join(ticks).rstrip()}"


def draw_roofline(machine: Machine) -> str:
    """An SVG document of the roofs of double precision."""
    picture, left, top, width, height = Picture(), 80.0, 60.0, 620.0, 360.0
    peak = machine.peak_gflops(_BITS)
    low, high = log2(_roof(machine, 3, 2.0**_FIRST)), log2(peak) + 0.3

    def at(intensity: float, rate: float) -> tuple[float, float]:
        x = left + width * (log2(intensity) - _FIRST) / (_LAST - _FIRST)
        return x, top + height * (1 - (log2(rate) - low) / (high - low))

    picture.text(left, 24, f"{machine.name} ({machine.instructions}, {machine.source})", bold=True)
    picture.text(left, 42, "GFLOPS of double precision, by operations for each byte")
    picture.line([(left, top), (left, top + height), (left + width, top + height)])
    for power in range(_FIRST, _LAST + 1, 2):
        x, _ = at(2.0**power, 2.0**low)
        picture.text(x - 8, top + height + 18, f"{2.0**power:g}")
    for level, name in enumerate(LEVELS):
        ridge = peak / machine.bandwidth(level)
        start = max(2.0**_FIRST, 2**low / machine.bandwidth(level))
        picture.line([at(start, _roof(machine, level, start)), at(ridge, peak), at(2.0**_LAST, peak)])
        x, y = at(start, _roof(machine, level, start))
        picture.text(x + 6, y - 6, f"{name} {machine.bandwidth(level):.3g} GB/s")
    x, y = at(2.0**_LAST, peak)
    picture.text(x - 150, y - 8, f"{peak:.3g} GFLOPS")
    return picture.render()


def _roof(machine: Machine, level: int, intensity: float) -> float:
    return min(machine.peak_gflops(_BITS), machine.bandwidth(level) * intensity)


def _bytes(size: int) -> str:
    return f"{size >> 20} MB" if size % (1 << 20) == 0 else f"{size >> 10} kB"

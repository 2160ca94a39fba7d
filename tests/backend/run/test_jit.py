"""Object code in a process: wherever the system has room for it."""

from __future__ import annotations

import mmap
import subprocess
import sys

_RUN = """
import ctypes
from polyloop.backend.machine.host import host_target
from polyloop.backend.run import jit

TEXT = "define double @third(double %x) {{\\n %y = fdiv double %x, 3.0e+00\\n ret double %y\\n}}"
NAMES = ("third",)
code = jit.object_code(TEXT, host_target(), optimize=False)
jit.load(code, NAMES)

system = ctypes.CDLL(None)
system.mmap.restype = ctypes.c_void_p
system.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
system.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
PRIVATE, ANONYMOUS, NO_RESERVE, PAGE, FAR = 0x2, 0x20, 0x4000, {page}, 4 << 30


def taken(size):
    address = system.mmap(None, size, 0, PRIVATE | ANONYMOUS | NO_RESERVE, -1, 0)
    assert address not in (None, ctypes.c_void_p(-1).value)
    return address


# Whatever is free above is taken, and single pages are given back, four gigabytes apart.
lowest = taken(16 * FAR)
for size in (1 << 32, 1 << 30, 1 << 24, 1 << 20, 1 << 16, 1 << 12):
    while (address := taken(max(size, PAGE))) > lowest:
        pass
    system.munmap(address, max(size, PAGE))
for k in range(16):
    system.munmap(lowest + k * FAR + 16 * PAGE, PAGE)
loaded = jit.load(code, NAMES)
function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(loaded.addresses["third"])
assert function(1.0) == 1.0 / 3.0
print("done")
"""


def test_sections_stay_together_in_a_process_without_room() -> None:
    """Constants stand in a section of their own, which code reaches by a 32-bit offset."""
    script = _RUN.format(page=mmap.PAGESIZE)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"

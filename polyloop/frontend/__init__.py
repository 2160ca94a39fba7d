"""The C front end: from C files with ``#pragma scop`` to Scops.

preprocess -> parse -> regions -> statements (integers, values, loops) -> extract. Every token knows its place
in the unchanged text, so that whatever is refused is refused there.
"""

from __future__ import annotations

from polyloop.frontend.reader import CFile, read_c, read_source
from polyloop.frontend.scopes import CSourceError
from polyloop.scop.program import Diagnostic

__all__ = ["CFile", "CSourceError", "Diagnostic", "read_c", "read_source"]

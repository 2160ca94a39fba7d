"""The base of every error that polyloop raises on purpose."""

from __future__ import annotations


class PolyloopError(Exception):
    """Something that the user can act on.

    The message is written for people: what failed, where, why, and what to do about it. The command line
    prints it without a traceback; any other exception that gets that far is a bug in polyloop.
    """

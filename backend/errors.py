"""The backend's named errors. It stands below `polyloop.errors`, which it may not import; callers translate."""

from __future__ import annotations


class BackendError(Exception):
    """Something the caller of the backend can act on; the message is written for people."""


class CompileError(BackendError):
    """A program that cannot be compiled or linked: an unknown external function, IR that LLVM rejects."""


class KernelArgumentError(BackendError):
    """A kernel was called with arguments that do not fit its signature."""


class InterpreterError(BackendError):
    """The nest does something that C leaves undefined: a subscript out of bounds, a division by zero."""


class TargetError(BackendError):
    """Code is asked for that this machine does not run, or for a machine that nobody knows."""


class SettingError(BackendError):
    """An environment variable has a value that makes no sense."""


class VerificationError(Exception):
    """A schedule tree, loop nest or vector program that is not well-formed: a bug of whatever made it, not of a user.

    The message has the rule, the offending node, and where it stands.
    """


class PolyloopWarning(RuntimeWarning):
    """Something that a user can act on, though the work goes on; the command line prints it without a place in code."""

"""What all transforms of Scops have in common: storage and statements change, the values that flow stay.

Where a transform of a tree changes the order of execution, one of these changes what is executed: arrays get other
shapes, copies are made, statements are cut. Fewer dependences are left, so that more orders are legal on the new Scop.
Each proves itself when it is applied, by the unchanged flow of values; they come before the transforms of the tree.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Self

from polyloop.errors import PolyloopError
from polyloop.scop.model import Scop
from polyloop.support.isl_limits import OperationLimitError, limited
from polyloop.transforms.codec import CodedStep


@dataclass(frozen=True)
class ScopRefusal:
    """Why a Scop is not changed: ``cannot expand temp over i in symm: ...``.

    Attributes:
        scop: the Scop's name.
        reason: what is in the way, in words.
    """

    transform: ScopTransform
    scop: str
    reason: str

    def __str__(self) -> str:
        return f"cannot {self.transform.action} in {self.scop}: {self.reason}"


class IllegalScopTransformError(PolyloopError):
    """A change of a Scop that its check refuses; carries the refusal."""

    def __init__(self, refusal: ScopRefusal) -> None:
        super().__init__(str(refusal))
        self.refusal = refusal


@dataclass(frozen=True)
class ScopTransform(CodedStep, ABC):
    """One proven change of a Scop.

    Subclasses are frozen and hold names, integers, accesses and affine expressions, so that one value is the action,
    the line in a log, the key in a cache and the replay.
    """

    error: ClassVar[type[IllegalScopTransformError]] = IllegalScopTransformError

    @classmethod
    @abstractmethod
    def candidates(cls, scop: Scop) -> Iterator[Self]:
        """Instances that may be worth it, lazily; whether they can be proven is not looked at."""

    @property
    @abstractmethod
    def action(self) -> str:
        """What it does in words, for messages."""

    @abstractmethod
    def changed(self, scop: Scop) -> Scop:
        """The new Scop, proven; raises `error` if there is none. `apply` bounds the time of the proof."""

    def check(self, scop: Scop) -> ScopRefusal | None:
        """None if the new Scop exists and provably has the same flow of values, else why not."""
        try:
            self.apply(scop)
        except IllegalScopTransformError as error:
            return error.refusal
        return None

    def apply(self, scop: Scop) -> Scop:
        """The new Scop, proven to have the same flow of values.

        Raises:
            IllegalScopTransformError: if there is none, or isl gives the proof up; says why.
        """
        try:
            with limited():
                return self.changed(scop)
        except OperationLimitError as error:
            raise self.refused(scop, str(error)) from error

    def refused(self, scop: Scop, reason: str) -> IllegalScopTransformError:
        """The error that says why this is not done to a Scop."""
        return self.error(ScopRefusal(self, scop.name, reason))

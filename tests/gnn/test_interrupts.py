"""Signals wait for the end of a block, and nobody else's handling of them changes."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from polyloop.gnn.interrupts import held_signals


def test_nothing_comes() -> None:
    before = signal.getsignal(signal.SIGINT)
    with held_signals() as held:
        assert not held
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_a_signal_takes_effect_at_the_end() -> None:
    reached: list[bool] = []

    def work() -> None:
        with held_signals() as held:
            os.kill(os.getpid(), signal.SIGINT)
            reached.append(bool(held))

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == [True]


def test_sigterm_goes_to_whoever_handled_it() -> None:
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    try:
        with held_signals() as held:
            os.kill(os.getpid(), signal.SIGTERM)
            assert held
            assert not came
        assert came == [signal.SIGTERM]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_ignored_signals_stay_so() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with held_signals() as held:
            os.kill(os.getpid(), signal.SIGINT)
            assert not held
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_error_goes_before_a_signal() -> None:
    def work() -> None:
        with held_signals():
            os.kill(os.getpid(), signal.SIGINT)
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        work()


def test_other_threads_hold_nothing() -> None:
    held: list[bool] = []

    def work() -> None:
        with held_signals() as each:
            held.append(bool(each))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert held == [False]

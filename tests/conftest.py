"""Options of the whole test suite."""

from __future__ import annotations

import pytest

from tests.helpers.golden import Golden


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files anew from what the code says now")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compares texts with golden files."""
    return Golden(request.config.getoption("--update-golden"))

"""What is made once of the ``TEXT`` of a module of tests: a C file as `emission.drivers` writes them, say."""

from __future__ import annotations

import pytest

from polyloop.frontend import read_c
from polyloop.scop.model import Scop
from tests.frontend.emission import Libraries, emitted_and_original


@pytest.fixture(scope="module")
def scops(request: pytest.FixtureRequest) -> dict[str, Scop]:
    """Its Scops by name; with ``AUTO`` of the module without pragmas, too."""
    auto = getattr(request.module, "AUTO", False)
    return {scop.name: scop for scop in read_c("text.c", text=request.module.TEXT, auto=auto)}


@pytest.fixture(scope="module")
def libraries(
    request: pytest.FixtureRequest, scops: dict[str, Scop], tmp_path_factory: pytest.TempPathFactory
) -> Libraries:
    return emitted_and_original(request.module.TEXT, scops, tmp_path_factory.mktemp("text"))

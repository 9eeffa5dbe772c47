"""The service under test.

The tests start with the account of a developer: STEWARD_TEST_URL, STEWARD_TEST_USERNAME and STEWARD_TEST_PASSWORD. Those of
the guides also run the command line: STEWARD_TEST_BINARY.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Iterator

import pytest

PACKAGE = Path(__file__).resolve().parent.parent
for folder in ("src", "scripts"):
    sys.path.insert(0, str(PACKAGE / folder))
sys.path.insert(0, str(Path(__file__).parent))

from person import Person
from service import Service


def setting(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        pytest.exit(f"Set {name} to run the tests against a service.", returncode=1)
    return value


@pytest.fixture(scope="session")
def service() -> Service:
    return Service(setting("STEWARD_TEST_URL"), setting("STEWARD_TEST_USERNAME"), setting("STEWARD_TEST_PASSWORD"))


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    text = (PACKAGE.parent.parent / "docs" / "openapi.json").read_text("utf-8")
    return dict(json.loads(text))


@pytest.fixture(scope="session")
def project(service: Service) -> Iterator[tuple[str, str]]:
    """The IDs of a team and of its project, whose schema is tests/schema.json."""
    yield service.create_project()


@pytest.fixture(scope="module")
def ann(service: Service) -> Person:
    """A person who has signed in to a new project."""
    return Person(service)

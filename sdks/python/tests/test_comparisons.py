"""What conditions and orders find (docs/contract.md#comparisons)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from service import CALLBACK, Service

from steward_sdk import Steward
from steward_sdk.sign_in import SignIn

CASES = json.loads((Path(__file__).resolve().parents[2] / "comparisons.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def values(service: Service) -> Any:
    """The items of the cases. Those with the prefix `_` do not conform to the schema."""
    _, project_id = service.create_project(CASES["schema"])
    sign_in = SignIn(Steward(service.url), project_id, CALLBACK)
    started = sign_in.start()
    tokens = sign_in.complete(service.allow(started.url, service.sign_up("compare")), started.pending)
    items = Steward(service.url, tokens.access_token).own_items(project_id, "values")
    stored = [(name, value) for name, value in CASES["items"].items() if not name.startswith("_")]
    items.batch(operations=[{"op": "put", "id": name, "value": value} for name, value in stored])
    return items


def expected(ids: str) -> list[str]:
    return [each for each in ids.split() if not each.startswith("_")]


@pytest.mark.parametrize("group", ["texts", "values"])
def test_each_condition_finds_its_items(values: Any, group: str) -> None:
    for query, ids in CASES[group]["conditions"].items():
        conditions: dict[str, list[str]] = {}
        for condition in query.split("&"):
            name, _, value = condition.partition("=")
            conditions.setdefault(name, []).append(value)
        found = sorted(each["id"] for each in values.list(conditions=conditions).all())
        assert found == expected(ids), query


@pytest.mark.parametrize("group", ["texts", "values"])
def test_each_order_has_its_items_first(values: Any, group: str) -> None:
    for query, ids in CASES[group]["orders"].items():
        parameters = dict(part.split("=", 1) for part in query.split("&"))
        order = parameters.pop("order")
        parameters.pop("limit", None)
        first = expected(ids)
        found = values.list(order=order, conditions=parameters).first(len(first))
        assert [each["id"] for each in found] == first, query

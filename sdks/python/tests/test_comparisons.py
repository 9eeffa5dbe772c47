"""What conditions and orders find (docs/contract.md#comparisons)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from service import CALLBACK, Service

from steward_sdk import AsyncSteward, InvalidRequestError, Steward, Table
from steward_sdk._query import conditions_of, selected
from steward_sdk.live import LiveItems, LiveTable
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


def where_of(query: str) -> dict[str, Any] | None:
    """Return the conditions of a query such as `t=gte.a&t=not.is.null`, or None if `where` has no such condition."""
    where: dict[str, Any] = {}
    pattern = r"(?:^|&)(\w+)=(not\.)?(?:(\w+)\.)?(.*?)(?=&\w+=|$)"
    for field, negated, operator, operand in re.findall(pattern, query, re.DOTALL):
        kind = CASES["schema"]["tables"]["values"]["fields"].get(field, {}).get("type")
        parse = json.loads if kind in ("number", "boolean") else str
        name, value = operator or "eq", operand
        if operator == "is":
            if operand == "null":
                name, value = "is_null", not negated
            elif not negated:
                name, value = "eq", operand == "true"
            else:
                return None
        elif negated:
            return None
        elif operator == "in":
            listed = operand[1:-1] if operand.startswith("(") else operand
            parts = re.findall(r'"((?:[^"\\]|\\.)*)"|([^,]+)', listed)
            value = [parse(re.sub(r"\\(.)", r"\1", quoted) if quoted else plain) for quoted, plain in parts]
        else:
            value = operand if name in ("like", "ilike") else parse(operand)
        if name in where.get(field, {}):
            return None
        where.setdefault(field, {})[name] = value
    return where


@pytest.fixture(scope="module")
def device() -> LiveTable[Any, Any, Any, Any]:
    """The items of the cases on a device."""
    live = LiveItems(AsyncSteward("http://127.0.0.1:9", "token"), "p")
    stored = [(name, value) for name, value in CASES["items"].items() if not name.startswith("_")]
    puts = [{"type": 1, "table": "values", "key": name, "obj": value} for name, value in stored]
    live._replica.begin_load()
    live._replica.receive(puts, 1, True, True, True)
    return live.table(Table("values"))


def test_conditions_find_on_a_device_what_they_find_on_the_service(values: Any, device: Any) -> None:
    count = 0
    for query, ids in [*CASES["texts"]["conditions"].items(), *CASES["values"]["conditions"].items()]:
        where = where_of(query)
        if where is not None:
            assert sorted(device.items(where=where)) == expected(ids), query
            assert sorted(each["id"] for each in values.list(where=where).all()) == expected(ids), query
            count += 1
    assert count > 90


def test_orders_have_on_a_device_the_order_of_the_service(device: Any) -> None:
    for query, ids in [*CASES["texts"]["orders"].items(), *CASES["values"]["orders"].items()]:
        parameters = dict(part.split("=", 1) for part in query.split("&"))
        order = parameters.pop("order")
        parameters.pop("limit", None)
        where = where_of("&".join(f"{name}={value}" for name, value in parameters.items()))
        assert where is not None
        first = expected(ids)
        assert list(device.items(where=where, order=order, limit=len(first))) == first, query


def test_a_value_of_another_type_is_not_comparable() -> None:
    item = {"id": "a", "t": 100, "b": True}
    for where in ({"t": {"neq": "a"}}, {"t": {"like": "100"}}, {"t": {"lt": "a"}}, {"t": "100"}, {"b": 1}, {"t": True}):
        assert selected([item], where, None, None) == []


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ({"t": None}, 'Use `{"is_null": True}`'),
        ({"t": {"startswith": "a"}}, "`startswith` is not an operator. Use `eq`"),
        ({"t": {"like": 1}}, "`like` of `t` needs a text"),
        ({"t": {"is_null": "no"}}, "`is_null` of `t` needs a boolean"),
        ({"n": float("nan")}, "needs a text, a number or a boolean"),
        ({"t": {"in": ["a", None]}}, "needs a text, a number or a boolean"),
    ],
)
def test_a_condition_that_cannot_be_is_refused(where: Any, message: str) -> None:
    for evaluate in (lambda: selected([], where, None, None), lambda: conditions_of(where, None)):
        with pytest.raises(InvalidRequestError, match=re.escape(message)):
            evaluate()


def test_what_devices_do_not_have_is_refused() -> None:
    for where, order in (({"created_at": {"lt": "2030"}}, None), (None, "title,updated_at.desc")):
        with pytest.raises(InvalidRequestError, match="Devices do not have"):
            selected([], where, order, None)
    with pytest.raises(InvalidRequestError, match="not a valid order"):
        selected([], None, "title.up", None)


def test_conditions_of_both_kinds_are_sent_together() -> None:
    found = conditions_of(
        {"t": {"gte": "a", "in": ["b,", 'c"']}, "b": False, "n": 1e300}, {"t": "not.eq.x", "j": ["is.null"]}
    )
    assert found == {
        "t": ["gte.a", 'in.("b,","c\\"")', "not.eq.x"],
        "b": ["eq.false"],
        "n": ["eq.1e+300"],
        "j": ["is.null"],
    }

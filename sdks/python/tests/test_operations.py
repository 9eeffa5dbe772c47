"""Every operation of the OpenAPI document has a method in both clients, which sends what the document says."""

from __future__ import annotations

import asyncio
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from document import Entry, members_of, read

from steward_sdk import AsyncSteward, Steward
from steward_sdk._generated.operations import OPERATIONS

PACKAGE = Path(__file__).resolve().parent.parent
DOCUMENT = json.loads((PACKAGE.parent.parent / "docs" / "openapi.json").read_text("utf-8"))
ENTRIES = read(DOCUMENT)
URL = "https://steward.example.com"
MEDIA_TYPES = {
    "json": "application/json",
    "form": "application/x-www-form-urlencoded",
    "multipart": "multipart/form-data",
}


def test_the_generated_files_are_current() -> None:
    command = [sys.executable, "scripts/generate.py", "--check"]
    result = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr


def test_every_operation_of_the_document_has_a_row() -> None:
    documented = {
        (operation["operationId"], method.upper(), path)
        for path, methods in DOCUMENT["paths"].items()
        for method, operation in methods.items()
    }
    assert {(each.id, each.method, each.path) for each in OPERATIONS} == documented
    assert len(OPERATIONS) == len(documented)


def test_every_operation_has_a_sample() -> None:
    source = (PACKAGE / "samples" / "operations.py").read_text("utf-8")
    samples = dict(re.findall(r"^# sample: (\w+)\n(.*?)^# end$", source, re.DOTALL | re.MULTILINE))
    assert "steward = Steward(" in samples.pop("preamble")
    assert list(samples) == [each.id for each in OPERATIONS]
    assert [id for id, text in samples.items() if not re.search(r"\bsteward\.\w+(\(.*\))?\.\w+\(", text)] == []
    assert [line for line in source.splitlines() if len(line) > 100] == []


def arguments_of(method: Any) -> tuple[list[Any], dict[str, Any]]:
    """Return a value for each parameter of a method."""
    positional: list[Any] = []
    named: dict[str, Any] = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if name == "timeout":
            continue
        value = value_of(name, str(parameter.annotation))
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            named[name] = value
        else:
            positional.append(value)
    return positional, named


def value_of(name: str, annotation: str) -> Any:
    if annotation.startswith(("Fields", "Changes", "m.UpdateSettingsBody", "Mapping", "Where", "Dict")):
        return {f"{name}_member": "x"}
    if annotation.startswith("Sequence"):
        return [f"{name} 1", f"{name} 2"]
    simple = {"int": 7, "bool": True, "bytes": b"\x89PNG", "float": 1.5}
    return simple.get(annotation.split(" ")[0], f"{name} /?")


def response(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"data": []}, headers={"Location": "https://elsewhere"})


def sent_by(entry: Entry, is_async: bool, name: str) -> tuple[httpx.Request, list[Any], dict[str, Any]]:
    """Call the method of an operation. Returns the request and the arguments."""
    requests: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return response(request)

    transport = httpx.MockTransport(handle)
    shared = [value_of(each.variable, "str") for each in entry.shared_ids]

    def group(client: Any) -> Any:
        found = getattr(client, entry.group)
        return found(*shared) if shared else found

    async def run() -> tuple[list[Any], dict[str, Any]]:
        method = getattr(group(AsyncSteward(URL, "t", http_client=httpx.AsyncClient(transport=transport))), name)
        positional, named = arguments_of(method)
        result = method(*positional, **named)
        await (result.page() if hasattr(result, "pages") else result)
        return positional, named

    if is_async:
        positional, named = asyncio.run(run())
    else:
        method = getattr(group(Steward(URL, "t", http_client=httpx.Client(transport=transport))), name)
        positional, named = arguments_of(method)
        result = method(*positional, **named)
        if hasattr(result, "pages"):
            result.page()
    assert len(requests) == 1
    return requests[0], shared + positional, named


CASES = [
    pytest.param(entry, name, is_async, id=f"{'Async' if is_async else ''}{entry.group}.{name}")
    for entry in ENTRIES
    for name in [entry.method, *([entry.single[0]] if entry.single else [])]
    for is_async in (False, True)
]


@pytest.mark.parametrize(("entry", "name", "is_async"), CASES)
def test_a_method_sends_what_the_document_says(entry: Entry, name: str, is_async: bool) -> None:
    request, positional, named = sent_by(entry, is_async, name)
    operation = DOCUMENT["paths"][entry.path][entry.verb.lower()]
    parameters = operation.get("parameters", [])
    ids = iter(positional)

    path = "/".join(
        httpx.QueryParams({"": next(ids)}).__str__()[1:].replace("+", "%20") if part.startswith("{") else part
        for part in entry.path.split("/")
    )
    assert (request.method, request.url.raw_path.split(b"?")[0].decode()) == (entry.verb, path)

    documented = {
        each["name"] for each in parameters if each["in"] == "query" and each["schema"].get("type") != "object"
    }
    sent = set(parse_qs(urlsplit(str(request.url)).query))
    if any(each["in"] == "query" and each["schema"].get("type") == "object" for each in parameters):
        documented |= {"conditions_member", "where_member"}
    assert sent == documented

    headers = {each["name"] for each in parameters if each["in"] == "header"}
    for header in ("Idempotency-Key", "If-Match", "If-None-Match"):
        is_single = entry.item is not None and name == entry.method
        assert (header in request.headers) == (header in headers and not is_single), header
    if "Idempotency-Key" in headers:
        assert request.headers["Idempotency-Key"] == named["idempotency_key"]
    assert request.headers["Authorization"] == "Bearer t"

    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        assert request.content == b""
        return
    assert entry.body is not None
    media_type = MEDIA_TYPES[entry.body.kind]
    assert request.headers["Content-Type"].split(";")[0] == media_type and media_type in content
    members, _ = members_of(DOCUMENT, content[media_type]["schema"])
    if media_type == "application/json":
        body = json.loads(request.content)
        assert set(body) == (set(members) or {"changes_member"})
    elif media_type == "multipart/form-data":
        assert b'name="file"' in request.content and b"\x89PNG" in request.content
    else:
        assert set(parse_qs(request.content.decode())) == set(members)


def test_both_clients_have_the_same_methods() -> None:
    def methods(client: Any) -> set[str]:
        bound = {"items": client.items("p", "u", "t"), "own_items": client.own_items("p", "t")}
        groups = {**{name: each for name, each in vars(client).items() if not name.startswith("_")}, **bound}
        return {
            f"{group}.{name}{list(inspect.signature(getattr(each, name)).parameters)}"
            for group, each in groups.items()
            for name in dir(each)
            if not name.startswith("_")
        }

    assert methods(Steward(URL)) == methods(AsyncSteward(URL))

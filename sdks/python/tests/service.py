"""The service under test, and people who use it."""

from __future__ import annotations

import html
import itertools
import json
import os
import re
import struct
import time
import zlib
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from steward_sdk import AsyncSteward, Steward

CALLBACK = "http://127.0.0.1:49152/callback"
"""The page to which the service redirects. Nothing listens on it."""
SCHEMA = json.loads((Path(__file__).parent / "schema.json").read_text("utf-8"))
"""The schema of the projects. tests/tables.py has its types."""
EXAMPLES_SCHEMA = Path(__file__).resolve().parents[3] / "examples" / "schema.json"

_count = itertools.count()


def unique(prefix: str) -> str:
    """Return a name that no other test uses."""
    return f"{prefix}-{int(time.time() * 1000):x}-{os.getpid():x}-{next(_count)}"


class Service:
    """A service with the account of a developer."""

    def __init__(self, url: str, username: str, password: str) -> None:
        self.url, self.username, self.password = url, username, password
        self.token = self.access_token(username)

    def access_token(self, username: str) -> str:
        """Return an access token of a new sign-in."""
        return Steward(self.url).auth.log_in(username=username, password=self.password)["access_token"]

    def developer(self, **options: Any) -> Steward:
        return Steward(self.url, self.token, **options)

    def async_developer(self, **options: Any) -> AsyncSteward:
        return AsyncSteward(self.url, self.token, **options)

    def sign_up(self, prefix: str) -> str:
        """Create an account. Returns its username."""
        username = unique(prefix)
        Steward(self.url).auth.sign_up(email=f"{username}@example.com", username=username, password=self.password)
        return username

    def create_project(self, schema: Any = SCHEMA, **auth: Any) -> tuple[str, str]:
        """Create a project with a schema in a new team. Returns the IDs."""
        client = self.developer()
        team = client.teams.create(name="Acme", slug=unique("acme"))
        project = client.projects.create(name="Rocket", slug=unique("rocket"), team_id=team["id"])
        client.schemas.publish(project["id"], schema=schema)
        if auth:
            client.settings.update(project["id"], {"auth": auth})
        return team["id"], project["id"]

    def create_notes_project(self, directory: Path) -> str:
        """Create a project with the schema of the examples, and write `steward.json`. Returns the ID."""
        client = self.developer()
        team = client.teams.create(name="Acme", slug=unique("acme"))
        project = client.projects.create(name="Notes", slug=unique("notes"), team_id=team["id"])
        client.schemas.publish(project["id"], schema=json.loads(EXAMPLES_SCHEMA.read_text("utf-8")))
        config = {"server": self.url, "project": project["id"]}
        (directory / "steward.json").write_text(json.dumps(config), "utf-8")
        return project["id"]

    def allow(self, authorization_url: str, username: str) -> str:
        """Sign a person in at an authorization request, and allow the access. Returns the URL that the browser leaves to."""
        browser = Browser(self.url)
        page = browser.open(authorization_url)
        for _ in range(3):
            if page.is_elsewhere:
                return page.url
            if urlsplit(page.url).path.endswith("/sign-in"):
                page = browser.submit(page, {"login": username, "password": self.password})
            elif urlsplit(page.url).path.endswith("/consent"):
                page = browser.submit(page, {"decision": "allow"})
        raise AssertionError(f"The browser is at {page.url}: {page.text}")


class Page:
    def __init__(self, url: str, text: str, is_elsewhere: bool) -> None:
        self.url, self.text, self.is_elsewhere = url, text, is_elsewhere


class Browser:
    """A browser without scripts: it keeps cookies, follows redirects of the service, and submits its forms."""

    def __init__(self, origin: str) -> None:
        self.origin = origin
        self.http = httpx.Client(trust_env=False, timeout=30)

    def open(self, url: str, form: dict[str, str] | None = None) -> Page:
        for _ in range(20):
            if not url.startswith(f"{self.origin}/"):
                return Page(url, "", True)
            headers = {"Accept": "text/html", "Origin": self.origin, "Sec-Fetch-Site": "same-origin"}
            response = self.http.request("POST" if form else "GET", url, data=form, headers=headers)
            if "location" not in response.headers:
                return Page(url, response.text, False)
            url, form = urljoin(url, response.headers["location"]), None
        raise AssertionError("Too many redirects.")

    def submit(self, page: Page, fields: dict[str, str]) -> Page:
        """Submit the form of a page, with its hidden fields."""
        hidden = re.findall(r'<input[^>]*type="hidden"[^>]*>', page.text)
        pairs = [(re.search(r'name="([^"]*)"', tag), re.search(r'value="([^"]*)"', tag)) for tag in hidden]
        values = {name[1]: html.unescape(value[1]) if value else "" for name, value in pairs if name}
        action = re.search(r'<form[^>]*action="(/auth/(?:sign-in|consent)[^"]*)"', page.text)
        target = urljoin(page.url, html.unescape(action[1])) if action else page.url
        return self.open(target, {**values, **fields})


def png(size: int) -> bytes:
    """Return a square PNG of one color."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = b"\x00" + b"\x20\x60\xa0" * size
    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row * size)) + chunk(b"IEND", b"")
    )

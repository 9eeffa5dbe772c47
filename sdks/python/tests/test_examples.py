"""A person uses each example, which runs with the command and the code of its guide, in Chromium."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import httpx
import pytest
from chromium import Chromium, Person
from conftest import setting
from guide import ROOT, blocks_of, commands_of, files_of, write_files
from running_app import running
from service import Service

EXAMPLES = ROOT / "examples"
WEB_APPS = ("django", "fastapi", "flask")
MAX_LINES = 60
"""How many lines an example may have, without imports, empty lines and what a new project of its framework has."""
CONFIGURATION = ("settings.py", "asgi.py")


def environment() -> dict[str, str]:
    """The environment of a guide after its installation: the programs that it installed are in the path."""
    programs = (Path(sys.executable).parent, Path(setting("STEWARD_TEST_BINARY")).parent)
    path = os.pathsep.join([*map(str, programs), os.environ["PATH"]])
    return {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "sdks" / "python" / "src")}


@pytest.fixture(scope="module")
def person(service: Service) -> Iterator[Person]:
    browser = Chromium()
    try:
        yield Person(browser, service.sign_up("ann"), service.password)
    finally:
        browser.stop()


def create_directory(service: Service, guide: str, directory: Path) -> str:
    """Do what comes before the code of a guide, and write the files. Returns the ID of the project."""
    project_id = service.create_notes_project(directory)
    write_files(guide, directory)
    shutil.copy(EXAMPLES / "tables.py", directory)
    return project_id


@pytest.mark.parametrize("name", WEB_APPS)
def test_a_person_uses_a_web_app(service: Service, person: Person, name: str, tmp_path: Path) -> None:
    project_id = create_directory(service, name, tmp_path)
    with running(commands_of(name)[-1], tmp_path, environment()) as origin:
        for path in ("notes", "callback?code=x&state=x"):
            assert httpx.get(f"{origin}/{path}", trust_env=False).status_code == 401, path
        person.sign_in(origin)
        person.add("Buy <milk>")
        client = service.developer()
        user_id = client.users.list(project_id).first(1)[0]["id"]
        notes = client.items(project_id, user_id, "notes")
        [note] = notes.list().all()
        assert note["title"] == "Buy <milk>"

        # Another device. The page is not loaded again.
        person.browser.run("window.isSamePage = true")
        notes.put("other", {"title": "From another device"})
        person.sees("From another device")
        notes.patch(note["id"], {"done": True})
        person.sees("✓ Buy <milk>")
        notes.delete("other")
        person.browser.until("document.querySelectorAll('li').length === 1")
        assert person.browser.run("return window.isSamePage")

        # What the service does not store is an error.
        person.browser.run("document.querySelector('input[name=title]').value = 'x'.repeat(270_000)")
        person.browser.click('form[action="/notes"] button')
        person.browser.until("document.body.textContent.includes('256 KiB') || document.body.textContent.includes('too large')")
        assert len(notes.list().all()) == 1

        person.browser.open(origin)
        person.sees("✓ Buy <milk>")
        person.browser.click('form[action="/logout"] button')
        person.browser.until("document.querySelector('form').checkVisibility()")
        assert person.titles() == []
        assert client.users.sessions(project_id, user_id) == []


def test_the_programs_show_notes(service: Service, tmp_path: Path) -> None:
    project_id = create_directory(service, "python", tmp_path)
    username = service.sign_up("ann")
    process = subprocess.Popen(
        shlex.split(commands_of("python")[-2]),
        cwd=tmp_path,
        # No browser opens.
        env={**environment(), "BROWSER": "true", "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        text=True,
        # A shell lets its background processes ignore the signal, as do the processes that these start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().removeprefix("Sign in: ").strip()
        assert "Return to the terminal" in httpx.get(service.allow(url, username), trust_env=False).text
        assert process.stdout.readline() == "Buy milk\n"
        client = service.developer()
        user_id = client.users.list(project_id).first(1)[0]["id"]
        notes = client.items(project_id, user_id, "notes")
        assert [each["title"] for each in notes.list()] == ["Buy milk"]
        notes.put("bread", {"title": "Buy bread", "done": True})
        assert process.stdout.readline() == "Buy bread\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.communicate()

    report = subprocess.run(
        ["sh", "-euc", commands_of("python")[-1]],
        cwd=tmp_path,
        env={**environment(), "STEWARD_SERVER": service.url, "STEWARD_TOKEN": service.token},
        capture_output=True,
        text=True,
    )
    assert report.stdout == f"{username} Buy bread done\n{username} Buy milk open\n", report.stderr


@pytest.mark.parametrize("name", [*WEB_APPS, "python"])
def test_a_guide_shows_the_whole_code(name: str) -> None:
    shown = {block.path: block.code for block in blocks_of(name) if block.path}
    paths = (path for path in (EXAMPLES / name).rglob("*") if path.suffix in (".py", ".html"))
    written = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}
    written.pop(f"examples/{name}/tables.py", None)
    assert shown == written


def test_the_types_are_those_of_the_schema() -> None:
    command = ["steward", "schema", "types", "--lang", "python", "--file", str(EXAMPLES / "schema.json")]
    printed = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True).stdout
    assert (EXAMPLES / "tables.py").read_text("utf-8") == printed


@pytest.mark.parametrize("name", WEB_APPS)
def test_an_example_is_short(name: str) -> None:
    code = [text for path, text in files_of(name).items() if path not in CONFIGURATION]
    lines = [line for text in code for line in text.splitlines() if line and not re.match("import|from", line)]
    assert len(lines) <= MAX_LINES

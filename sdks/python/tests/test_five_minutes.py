"""What a new developer does: only the commands and code of the quickstart and of a guide, in an empty directory, with a
service that runs already. Prints how long it took."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Iterator, Sequence

import pytest
from chromium import Chromium, Person
from conftest import PACKAGE, setting
from guide import commands_of, write_files
from running_app import running
from service import Service, unique

TIMEOUT = 240.0
"""How long the commands may take, in seconds. They install packages."""
CODE = re.compile(r"enter the code (\S+)")


@pytest.fixture
def browsers() -> Iterator[tuple[Chromium, Chromium]]:
    with contextlib.ExitStack() as stack:
        first, second = Chromium(), Chromium()
        stack.callback(first.stop)
        stack.callback(second.stop)
        yield first, second


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of the repository in which `make run` has built the service, of which nothing else is used."""
    clone = tmp_path / "steward"
    programs = clone / "target" / "quick"
    programs.mkdir(parents=True)
    (programs / "steward").symlink_to(setting("STEWARD_TEST_BINARY"))
    return clone


def constraints(directory: Path) -> Path:
    """A file with the versions that the tests use, so that a new version of a package does not change their result."""
    requirements = (PACKAGE / "tests" / "requirements.txt").read_text("utf-8")
    path = directory / "constraints.txt"
    path.write_text("\n".join(re.findall(r"^([\w-]+==\S+) \\$", requirements, re.MULTILINE)), "utf-8")
    return path


def run(commands: Sequence[str], cwd: Path, environment: dict[str, str], log_in: Person) -> Path:
    """Run commands in a shell. The person enters the code that `steward login` prints. Returns the directory at the end."""
    script = "\n".join([*commands, "pwd"])
    log = cwd / "log"
    with log.open("wb") as output:
        shell = subprocess.Popen(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=cwd,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        end = time.monotonic() + TIMEOUT
        while (code := CODE.search(log.read_text("utf-8"))) is None:
            assert shell.poll() is None and time.monotonic() < end, log.read_text("utf-8")
            time.sleep(0.05)
        browser = log_in.browser
        browser.open(f"{environment['STEWARD_SERVER']}/auth/device")
        browser.type('input[name="user_code"]', code[1])
        log_in.sign_in_at_service("form button[type=submit], form button:not([type])")
        assert shell.wait(TIMEOUT) == 0, log.read_text("utf-8")
        return Path(log.read_text("utf-8").splitlines()[-1])
    finally:
        shell.kill()
        shell.wait()


@pytest.mark.parametrize("guide", ["fastapi"])
def test_from_an_empty_directory_to_live_notes(
    service: Service,
    browsers: tuple[Chromium, Chromium],
    clone: Path,
    tmp_path: Path,
    guide: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    person, elsewhere = (Person(browser, service.username, service.password) for browser in browsers)
    hidden = ("STEWARD_TOKEN", "DISPLAY", "WAYLAND_DISPLAY", "PYTHONPATH", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    environment["STEWARD_SERVER"] = service.url
    environment["XDG_CONFIG_HOME"] = str(tmp_path / "config")
    environment["PIP_CONSTRAINT"] = str(constraints(tmp_path))
    quickstart = commands_of("quickstart")
    until = next(index for index, block in enumerate(quickstart) if "steward schema push" in block)
    *install, start = commands_of(guide)
    commands = [block for block in [*quickstart[: until + 1], *install] if block != "make run"]
    # The project of the first steps in the console. Other tests have some with the slug that the guide names.
    slug = unique("notes")
    team = service.developer().teams.create(name="Acme", slug=unique("acme"))
    service.developer().projects.create(name="Notes", slug=slug, team_id=team["id"])

    laps = [("begin", time.monotonic())]
    named = [
        block.replace("project get notes", f"project get {slug}").replace("http://localhost:3003", service.url)
        for block in commands
    ]
    directory = run(named, clone, environment, person)
    laps.append(("project, types and packages", time.monotonic()))
    write_files(guide, directory)
    activate = ". .venv/bin/activate\n"
    assert activate in install[0]
    with running(activate + start, directory, environment) as origin:
        person.sign_in(origin)
        person.add("Buy milk")
        laps.append(("signed in, first note", time.monotonic()))
        elsewhere.sign_in(origin)
        elsewhere.sees("Buy milk")
        person.browser.run("window.isSamePage = true")
        elsewhere.add("Live")
        person.sees("Live")
        assert person.browser.run("return window.isSamePage")
        laps.append(("live in another browser", time.monotonic()))
    with capsys.disabled():
        for (_, begin), (name, end) in zip(laps, laps[1:]):
            print(f"\n{guide}: {name}: {end - begin:.1f} s", end="")
        print(f"\n{guide}: from nothing to live notes: {laps[-1][1] - laps[0][1]:.1f} s")

"""A person signs in to each example, writes an item, and signs out, in a browser without scripts."""

from __future__ import annotations

import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Iterator
from urllib.parse import urljoin

import httpx
import pytest
from service import CALLBACK, Service

from steward_sdk import Steward
from steward_sdk.sign_in import SignIn

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
COMMANDS = {
    "fastapi": ["-m", "uvicorn", "fastapi_app:app", "--port"],
    "flask": ["-m", "flask", "--app", "flask_app", "run", "--port"],
    "django": ["django_app.py", "runserver", "--noreload"],
}


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class App:
    """A running example, with the person's browser."""

    def __init__(self, service: Service, origin: str, project_id: str) -> None:
        self.service, self.origin, self.project_id = service, origin, project_id
        self.http = httpx.Client(trust_env=False, timeout=30)

    def request(self, method: str, path: str, form: dict[str, str] | None = None) -> httpx.Response:
        return self.http.request(method, f"{self.origin}{path}", data=form, headers={"Referer": f"{self.origin}/"})

    def page(self) -> str:
        response = self.request("GET", "/")
        assert response.status_code == 200, response.text
        return response.text

    def submit(self, path: str, **fields: str) -> httpx.Response:
        """Submit a form of the page, with its hidden fields."""
        hidden = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.page())
        return self.request("POST", path, {**fields, **({"csrfmiddlewaretoken": hidden[1]} if hidden else {})})


@pytest.fixture(params=sorted(COMMANDS))
def app(request: pytest.FixtureRequest, service: Service) -> Iterator[App]:
    port = free_port()
    origin = f"http://127.0.0.1:{port}"
    _, project_id = service.create_project(
        redirect_uris=["http://127.0.0.1/callback"], post_logout_redirect_uris=["http://127.0.0.1/"]
    )
    environment = {
        **os.environ,
        "ORIGIN": origin,
        "STEWARD_URL": service.url,
        "STEWARD_PROJECT_ID": project_id,
        "SESSION_SECRET": secrets.token_urlsafe(),
        "PYTHONPATH": str(EXAMPLES.parent / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    with tempfile.TemporaryFile() as log:
        command = [sys.executable, *COMMANDS[request.param], str(port)]
        process = subprocess.Popen(command, cwd=EXAMPLES, env=environment, stdout=log, stderr=log)
        try:
            wait_for(port, process)
            yield App(service, origin, project_id)
        except BaseException:
            log.seek(0)
            print(log.read().decode())
            raise
        finally:
            process.terminate()
            process.wait(30)


def wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    end = time.monotonic() + 60
    while True:
        assert process.poll() is None and time.monotonic() < end, "The example did not start."
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)


def test_a_person_signs_in_writes_items_and_signs_out(service: Service, app: App) -> None:
    assert "Sign in" in app.page()
    username = service.sign_up("ann")
    assert app.request("GET", "/callback?code=x&state=x").status_code >= 400
    callback = service.allow(app.request("GET", "/login").headers["location"], username)
    assert callback.startswith(f"{app.origin}/callback?")
    assert app.request("GET", callback.removeprefix(app.origin)).headers["location"] == "/"

    assert app.submit("/", title="Buy <milk>").status_code < 400
    assert "Buy &lt;milk&gt;" in app.page()
    user = service.developer().users.list(app.project_id).first(1)[0]
    assert [note["title"] for note in service.developer().items(app.project_id, user["id"], "notes").list()] == [
        "Buy <milk>"
    ]

    signed_out = urljoin(app.origin, app.submit("/logout").headers["location"])
    assert signed_out.startswith(f"{service.url}/auth/logout?")
    assert "Sign in" in app.page()
    assert service.developer().users.sessions(app.project_id, user["id"]) == []


def test_notes_on_a_terminal_are_in_sync(service: Service, tmp_path: Path) -> None:
    _, project_id = service.create_project()
    sign_in = SignIn(Steward(service.url), project_id, CALLBACK)
    started = sign_in.start()
    tokens = sign_in.complete(service.allow(started.url, service.sign_up("ann")), started.pending)
    environment = {
        **os.environ,
        "STEWARD_URL": service.url,
        "STEWARD_TOKEN": tokens.access_token,
        "STEWARD_PROJECT_ID": project_id,
        "NOTES_FILE": str(tmp_path / "notes.json"),
        "PYTHONPATH": str(EXAMPLES.parent / "src"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    process = subprocess.Popen(
        [sys.executable, "live_app.py", "Buy milk"],
        cwd=EXAMPLES,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        # A shell lets its background processes ignore the signal, as do the processes that these start.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    notes = Steward(service.url, tokens.access_token).own_items(project_id, "notes")
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "Buy milk\n"
        assert [each["title"] for each in notes.list()] == ["Buy milk"]
        notes.create({"title": "Buy bread"})
        assert process.stdout.readline() == "Buy bread\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.communicate()
    state = json.loads((tmp_path / "notes.json").read_text("utf-8"))
    assert sorted(each["title"] for each in state["items"]["notes"].values()) == ["Buy bread", "Buy milk"]


def test_the_examples_are_short() -> None:
    assert [path.name for path in EXAMPLES.glob("*_app.py") if len(path.read_text("utf-8").splitlines()) > 60] == []

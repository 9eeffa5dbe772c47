"""The commands and the receivers in Python of the guide for webhooks."""

from __future__ import annotations

import importlib.util
import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Callable

import httpx
import pytest
from guide import ROOT, blocks_of, commands_of
from running_app import LOG, free_port, running
from service import Service
from test_examples import environment
from test_types import mypy
from test_webhooks import BODY, OTHER, SECRET, sign

EXAMPLES = ROOT / "examples" / "webhooks"
RECEIVER_URL = "https://app.example.com/webhooks"
"""The URL in the guide. The tests use a receiver on this machine instead."""


def lowercase(headers: dict[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def forged() -> list[dict[str, str]]:
    """Headers of messages that are not valid now."""
    signed = lowercase(sign(BODY))
    return [
        {},
        lowercase(sign(BODY, OTHER)),
        lowercase(sign(BODY + b" ")),
        lowercase(sign(BODY, at=time.time() - 310)),
        lowercase(sign(BODY, at=time.time() + 310)),
        {**signed, "webhook-id": "m2"},
        {**signed, "webhook-timestamp": "now"},
        {**signed, "webhook-timestamp": "9" * 400},
        {**signed, "webhook-signature": "v1,"},
    ]


def test_the_verification_by_hand_accepts_what_the_service_signs_and_nothing_else() -> None:
    spec = importlib.util.spec_from_file_location("by_hand", EXAMPLES / "by_hand.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    is_valid: Callable[[bytes, dict[str, str], str], bool] = module.is_valid
    assert is_valid(BODY, lowercase(sign(BODY)), SECRET)
    both = f"{sign(BODY, OTHER)['Webhook-Signature']} {sign(BODY)['Webhook-Signature']}"
    assert is_valid(BODY, {**lowercase(sign(BODY)), "webhook-signature": both}, SECRET)
    assert [headers for headers in forged() if is_valid(BODY, headers, SECRET)] == []
    assert not is_valid(BODY, {**lowercase(sign(BODY)), "webhook-signature": "v1,\u00e4"}, SECRET)
    for secret in ("", "whsec_", "whsec_!"):
        with pytest.raises(ValueError, match="missing or incomplete"):
            is_valid(BODY, lowercase(sign(BODY, "")), secret)


def test_the_receivers_type_check() -> None:
    assert mypy(str(EXAMPLES / "receiver.py"), str(EXAMPLES / "by_hand.py")) == []


def test_the_guide_shows_the_whole_code() -> None:
    shown = {block.path: block.code for block in blocks_of("webhooks") if block.path}
    assert shown == {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in EXAMPLES.iterdir() if path.is_file()}


class Desk:
    """A directory with the receiver, and the project to which the commands of the guide refer."""

    def __init__(self, service: Service, directory: Path) -> None:
        self.client = service.developer()
        self.project_id = service.create_notes_project(directory)
        self.directory = directory
        username = service.sign_up("ann")
        self.client.users.connect(self.project_id, token=service.access_token(username))
        self.user_id = self.client.users.list(self.project_id).first(1)[0]["id"]
        shutil.copy(EXAMPLES / "receiver.py", directory)
        self.port = free_port()
        self.environment = {
            **environment(),
            "STEWARD_SERVER": service.url,
            "STEWARD_TOKEN": service.token,
            "PROJECT": self.project_id,
        }
        self.commands = iter(commands_of("webhooks"))

    def command(self) -> str:
        """Return the next command of the guide, with the receiver of the test."""
        command = next(self.commands)
        return command.replace(RECEIVER_URL, f"http://localhost:{self.port}/webhooks")

    def shell(self, command: str) -> str:
        """Run a command. Returns what it prints."""
        result = subprocess.run(
            ["sh", "-euc", command], cwd=self.directory, env=self.environment, capture_output=True, text=True
        )
        assert result.returncode == 0, result.stderr + result.stdout
        return result.stdout

    def create_note(self, item_id: str) -> None:
        self.client.items(self.project_id, self.user_id, "notes").put(item_id, {"title": "Buy milk"})

    def receives(self, kind: str, count: int = 1) -> None:
        """Wait until the receiver has printed events of a type."""
        end = time.monotonic() + 30
        while (text := (self.directory / LOG).read_text("utf-8")).count(kind) < count:
            assert time.monotonic() < end, text
            time.sleep(0.05)


def test_the_commands_of_the_guide(service: Service, tmp_path: Path) -> None:
    desk = Desk(service, tmp_path)

    # On this machine.
    desk.environment["WEBHOOK_SECRET"] = desk.shell(f'{desk.command()}\nprintf %s "$WEBHOOK_SECRET"')
    start = desk.command()
    with running(start, tmp_path, desk.environment, desk.port):
        listening = subprocess.Popen(
            ["sh", "-c", "exec env " + desk.command().replace("8000", str(desk.port))],
            cwd=tmp_path,
            env=desk.environment,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        try:
            assert listening.stderr and "Sending new events" in listening.stderr.readline()
            desk.create_note("first")
            desk.receives("item.created")
            listening.send_signal(signal.SIGINT)
            assert listening.wait(30) == 0
        finally:
            listening.kill()
            listening.communicate()

    # A webhook by the command line, and one by the API, which is the one that is used.
    assert "whsec_" in desk.shell(desk.command())
    created = json.loads(desk.shell(desk.command()))["data"]
    desk.environment["WEBHOOK_SECRET"] = created["secret"]
    test, fix, rotate = desk.commands
    with running(start, tmp_path, desk.environment, desk.port) as origin:
        deliveries = desk.shell(test)
        desk.receives("webhook.test")
        assert re.search(r"webhook\.test .* 204 ", deliveries), deliveries
        desk.create_note("second")
        desk.receives("item.created")
        for headers in forged():
            assert httpx.post(f"{origin}/webhooks", content=BODY, headers=headers, trust_env=False).status_code == 401
        variables = test.splitlines()[0]
        desk.shell(f"{variables}\n{fix}")
        desk.receives("item.created", 2)
        assert "whsec_" in desk.shell(f"{variables}\n{rotate}")
        # The receiver still has the old secret.
        desk.create_note("third")
        desk.receives("item.created", 3)


def test_the_guide_shows_a_message_of_the_service(service: Service, tmp_path: Path) -> None:
    desk = Desk(service, tmp_path)
    desk.create_note("first")
    [text] = [block.code for block in blocks_of("webhooks") if block.language == "text"]
    shown = json.loads(text.split("\n\n", 1)[1])
    events = desk.client.project_audit_log.events(desk.project_id, after=0)["data"]
    [event] = [each for each in events if each["action"] == "item.created"]
    assert shown["data"].keys() == event.keys() - {"action", "at", "address", "request_id"}
    assert shown["data"]["target"] == event["target"]
    assert shown["data"]["after"].keys() == event["after"].keys()

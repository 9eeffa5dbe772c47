"""Samples of the documentation run against the service."""

from __future__ import annotations

import re
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from service import CALLBACK, Service, png, unique

from steward_sdk import Steward
from steward_sdk._generated.operations import OPERATIONS
from steward_sdk.sign_in import SignIn

SOURCE = (Path(__file__).resolve().parent.parent / "samples" / "operations.py").read_text("utf-8")
SAMPLES = dict(re.findall(r"^# sample: (\w+)\n(.*?)^# end$", SOURCE, re.DOTALL | re.MULTILINE))


class Runner:
    """Runs samples: with the variables of the file, and values that are valid now instead of those of the examples."""

    def __init__(self, steward: Steward) -> None:
        self.steward = steward
        self.ids: dict[str, str] = {}
        self.texts = {'"acme"': f'"{unique("acme")}"'}
        self.ran: set[str] = set()

    def run(self, id: str) -> list[Any]:
        """Run a sample. Returns what it prints."""
        text = SAMPLES[id]
        for old, new in self.texts.items():
            text = text.replace(old, new)
        next_month = datetime.now(timezone.utc) + timedelta(days=30)
        text = re.sub(r'"20\d\d-\d\d-\d\dT[^"]*"', f'"{next_month.strftime("%Y-%m-%dT%H:%M:%SZ")}"', text)
        printed: list[Any] = []
        exec(text, {**self.ids, "Path": Path, "steward": self.steward, "print": printed.append})
        self.ran.add(id)
        return printed

    def run_all(self, *ids: str) -> None:
        """Run samples that print something, or nothing if they end something."""
        for id in ids:
            printed = self.run(id)
            assert bool(printed) == ("print(" in SAMPLES[id]) and None not in printed, (id, printed)


def test_samples_run(service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("icon.png", "logo.png", "background.jpg"):
        Path(name).write_bytes(png(32))
    runner = Runner(service.developer())
    team(runner)
    project(runner)
    keys_and_webhooks(runner)
    schema(runner)
    people(runner, service)
    runner.run_all("getRoot", "getOpenIdMetadata", "getKeySet", "getLiveness", "slugify", "deleteProject", "deleteTeam")
    print(f"{len(runner.ran)} of {len(OPERATIONS)} samples ran.")
    assert len(runner.ran) >= 90


def team(runner: Runner) -> None:
    (runner.ids["team_id"],) = runner.run("createTeam")
    assert "Acme" in runner.run("listTeams")
    assert runner.run("checkTeamSlug") == [False]
    runner.run_all("getTeam", "updateTeam", "listMembers", "listTeamAudit", "createTeamWebhook", "listTeamWebhooks")
    (runner.ids["invite_id"],) = runner.run("createInvite")
    assert runner.run("listInvites") == ["ann@example.com"]
    runner.run_all("deleteInvite")


def project(runner: Runner) -> None:
    (runner.ids["project_id"],) = runner.run("createProject")
    assert "Acme" in runner.run("listProjects")
    assert runner.run("checkProjectSlug") == [False]
    runner.run_all("getProject", "updateProject", "listProjectAudit", "getProjectProfile", "getRequestStats")
    runner.run_all("listRequests", "getUserStats", "updateSettings", "getSettings", "resetSettings", "createPersonalToken")
    runner.run_all("listPersonalTokens")
    (icon,) = runner.run("uploadIcon")
    runner.texts["018f2a3d-0a1b-7c2d-8e3f-405162738495.png"] = icon.rsplit("/", 1)[1]
    Path("icon.png").unlink()
    runner.run_all("getImage", "listImages", "deleteIcon", "uploadBackground", "deleteBackground")
    assert Path("icon.png").read_bytes().startswith(b"\x89PNG")


def keys_and_webhooks(runner: Runner) -> None:
    project_id = runner.ids["project_id"]
    (value,) = runner.run("createKey")
    runner.texts["stw_sk_ExampleExampleExampleExampleExampleExampleE000000"] = value
    runner.ids["key_id"] = runner.steward.keys.list(project_id).first(1)[0]["id"]
    assert runner.run("verifyKey") == [True]
    assert runner.run("listKeys") == ["Server"]
    runner.run_all("getKey", "updateKey", "regenerateKey", "revokePreviousKeyValues", "deleteKey", "createClient")
    runner.ids["client_id"] = runner.steward.oauth_clients.list(project_id)[0]["id"]
    runner.run_all("listClients", "getClient", "updateClient", "uploadClientLogo", "deleteClientLogo")
    runner.run_all("rotateClientSecret", "deleteClient", "createProjectWebhook")
    runner.ids["webhook_id"] = runner.steward.project_webhooks.list(project_id).first(1)[0]["id"]
    runner.run_all("listProjectWebhooks", "getProjectWebhook", "updateProjectWebhook", "rotateProjectWebhookSecret")
    runner.run_all("deleteProjectWebhook")


def schema(runner: Runner) -> None:
    assert list(runner.run("publishSchema")[0]["tables"]["notes"]["fields"]) == ["title", "done"]
    assert list(runner.run("patchSchema")[0]["tables"]["notes"]["fields"]) == ["title", "done", "rank"]
    runner.run_all("compareSchema", "rollbackSchema", "getJsonSchema")
    assert len(runner.run("getSchema")) == 3
    assert runner.run("verifyUpdateSchema") == [False], "Its version is not the next one."


def people(runner: Runner, service: Service) -> None:
    project_id = runner.ids["project_id"]
    anonymous = Steward(service.url)
    sign_in = SignIn(anonymous, project_id, CALLBACK)
    address, pending = sign_in.start()
    tokens = sign_in.complete(service.allow(address, service.sign_up("ann")), pending)
    assert runner.run("listUsers")[0].startswith("ann-")
    user_id = runner.ids["user_id"] = runner.steward.users.list(project_id).first(1)[0]["id"]
    runner.run_all("getUser", "updateUser", "listUserSessions", "exportUser")

    runner.run_all("listProjectTables", "listProjectItems")

    own = Runner(anonymous.with_token(sign_in.session(tokens).token))
    own.ids = {"project_id": project_id}
    for person, suffix in ((runner, "Item"), (own, "OwnItem")):
        (person.ids["item_id"],) = person.run(f"create{suffix}")
        for id in ("bread", "tea"):
            runner.steward.items(project_id, user_id, "notes").put(id, {"title": id})
        assert person.run(f"batch{suffix}s") == ["milk", "bread", "tea"]
        assert "Buy milk" in person.run(f"list{suffix}s")
        person.run_all(f"get{suffix}", f"put{suffix}", f"patch{suffix}", f"delete{suffix}")
    own.run_all("getSession", "getOwnCredential", "getUserInfo", "getOwnApp", "exportOwnData", "leaveOwnApp")
    runner.run_all("signOutUser", "deleteUser")
    runner.ran |= own.ran

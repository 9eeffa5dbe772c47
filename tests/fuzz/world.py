"""A service of its own, and someone's team and project in it."""

import json
import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PASSWORD = "correct horse battery"
NOTES = {
    "tables": {
        "notes": {
            "fields": {
                "title": {"type": "string", "required": True},
                "rank": {"type": "number", "indexed": True},
                "done": {"type": "boolean"},
                "more": {"type": "json"},
            }
        }
    }
}


class Service:
    """The binary over an empty database; ends with the block that it is used in."""

    def __init__(self, binary):
        self.directory = tempfile.TemporaryDirectory()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.base = f"http://127.0.0.1:{port}"
        settings = {
            "STEWARD_BIND": f"127.0.0.1:{port}",
            "STEWARD_PUBLIC_URL": self.base,
            "STEWARD_DATA_DIR": self.directory.name,
            "STEWARD_SECRET": "a secret for fuzzing, and for fuzzing only",
            "STEWARD_RATE_LIMITS": "off",
            "STEWARD_LOG": "warn",
        }
        if "DATABASE_URL" in os.environ:
            settings["DATABASE_URL"] = os.environ["DATABASE_URL"]
        self.log = open(os.path.join(self.directory.name, "log"), "w+b")
        self.process = subprocess.Popen([binary, "serve"], env=settings, stdout=subprocess.DEVNULL, stderr=self.log)

        self.binary, self.settings = binary, settings

    def claim(self):
        """Creates the first account: before that, nobody can sign up."""
        command = [self.binary, "account", "create", "--email", "operator@example.com"]
        subprocess.run(command, env=self.settings, input=PASSWORD, text=True, stdout=subprocess.DEVNULL, check=True)

    def __enter__(self):
        for _ in range(300):
            try:
                urllib.request.urlopen(f"{self.base}/health/ready")
                self.claim()
                return self
            except (urllib.error.URLError, ConnectionError):
                time.sleep(0.1)
        raise SystemExit("the service is not ready")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.log.close()
        self.directory.cleanup()

    def errors(self):
        """What the service logged as errors of its own."""
        self.log.seek(0)
        return [line for line in self.log.read().decode().splitlines() if '"level":"ERROR"' in line]


def send(base, credential, method, path, body=None):
    """The JSON answer to a request that must succeed."""
    headers = {"Content-Type": "application/json"}
    if credential:
        headers["Authorization"] = f"Bearer {credential}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def person(base, name):
    """The id and credential of someone who signs up."""
    email = f"{name}@example.com"
    made = send(base, None, "POST", "/auth/signup", {"email": email, "password": PASSWORD, "username": name})
    session = send(base, None, "POST", "/auth/login", {"username": name, "password": PASSWORD})
    return made["data"]["id"], session["access_token"]


def make(base, name):
    """A world for one caller: the ids of what is in it, and the credentials of those who may call."""
    owner_id, owner = person(base, f"{name}-owner")
    viewer_id, viewer = person(base, f"{name}-viewer")
    _, visitor = person(base, f"{name}-visitor")

    def post(path, body, credential=owner):
        return send(base, credential, "POST", path, body)

    team = post("/team", {"name": name, "slug": name})["data"]["id"]
    invite = post(f"/team/{team}/invite", {"username": f"{name}-viewer", "roles": "viewer"})["data"]["id"]
    post("/team/accept-invite", {"invite_id": invite}, viewer)
    project = post("/project", {"name": name, "team_id": team})["data"]["id"]
    post(f"/project/{project}/schema", {"schema": NOTES})
    own_key = post(f"/project/{project}/key", {"label": "own", "roles": "admin"})["key"]
    other_key = post(f"/project/{project}/key", {"label": "other", "roles": "read"})["key"]
    post(f"/project/{project}/user/connect", {"token": visitor}, None)
    user = send(base, owner, "GET", f"/project/{project}/user")["data"][0]["id"]
    for number in range(5):
        value = {"title": f"Note {number}", "rank": number}
        send(base, owner, "PUT", f"/project/{project}/user/{user}/db/notes/note-{number}", {"value": value})
    hook = {"url": "https://hooks.invalid/steward", "events": ["*"]}
    return {
        "base": base,
        "owner": owner,
        "credentials": {"owner": owner, "viewer": viewer, "key": own_key["value"], "nobody": None},
        "known": {
            "team_id": team,
            "id": project,
            "project_id": project,
            "key_id": other_key["id"],
            "user_id": user,
            "table_id": "notes",
            "item_id": "note-1",
            "member_id": viewer_id,
            "hex": project.replace("-", ""),
            "invite_id": post(f"/team/{team}/invite", {"email": f"{name}@example.net", "roles": "viewer"})["data"]["id"],
            "token_id": owner_id,
            "webhook_id": {
                "team": post(f"/team/{team}/webhook", hook)["data"]["id"],
                "project": post(f"/project/{project}/webhook", hook)["data"]["id"],
            },
        },
    }

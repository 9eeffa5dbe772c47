"""A service with settings of its own, which can be started again with others."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from pathlib import Path

from service import Service

PASSWORD = "correct horse battery staple 9"


class OwnService:
    """A service in a directory, with an account."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._process: subprocess.Popen[bytes] | None = None
        self._run("migrate")
        account = ("--email", "dev@example.com", "--username", "dev", "--name", "dev")
        self._run("account", "create", *account, input=f"{PASSWORD}\n".encode())

    def start(self, **settings: str) -> Service:
        environment = self._environment(settings)
        command = [os.environ["STEWARD_TEST_BINARY"], "serve"]
        with (self.directory / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, cwd=self.directory, env=environment, stdout=log, stderr=subprocess.STDOUT
            )
        deadline = time.monotonic() + 30
        while True:
            assert self._process.poll() is None and time.monotonic() < deadline, (self.directory / "log").read_text()
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.05)
            else:
                return Service(f"http://127.0.0.1:{self.port}", "dev", PASSWORD)

    def stop(self) -> None:
        if self._process:
            # What is stored survives this.
            self._process.kill()
            self._process.wait(30)
            self._process = None

    def _run(self, *arguments: str, input: bytes = b"") -> None:
        command = [os.environ["STEWARD_TEST_BINARY"], *arguments]
        environment = self._environment({})
        result = subprocess.run(command, cwd=self.directory, env=environment, input=input, capture_output=True)
        assert result.returncode == 0, result.stderr

    def _environment(self, settings: dict[str, str]) -> dict[str, str]:
        own = {
            "STEWARD_BIND": f"127.0.0.1:{self.port}",
            "STEWARD_PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            "STEWARD_DATA_DIR": str(self.directory),
            "STEWARD_ENV": "test",
            "STEWARD_RATE_LIMITS": "off",
            "STEWARD_SECRET": "5" * 64,
        }
        return {"PATH": os.environ.get("PATH", ""), **own, **settings}

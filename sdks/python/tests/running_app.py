"""An app that runs, started with the command of its guide."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import time
from pathlib import Path
from typing import Iterator, Mapping

START_TIMEOUT = 60.0
LOG = "app.log"
"""The file with what an app prints, in its directory."""


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@contextlib.contextmanager
def running(command: str, directory: Path, environment: Mapping[str, str], port: int | None = None) -> Iterator[str]:
    """Run the command that starts an app, on another port than 8000. Yields its origin. What it prints is in `LOG`."""
    port = port or free_port()
    own, count = re.subn(r"\b8000\b", str(port), command)
    assert count == 1, f"The command does not name the port 8000: {command}"
    origin = f"http://localhost:{port}"
    with (directory / LOG).open("wb") as log:
        process = subprocess.Popen(
            ["sh", "-c", own],
            cwd=directory,
            env={**environment, "ORIGIN": origin, "PYTHONDONTWRITEBYTECODE": "1"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _wait_for(port, process)
            yield origin
        except BaseException:
            print((directory / LOG).read_text("utf-8"))
            raise
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_TIMEOUT
    while True:
        assert process.poll() is None and time.monotonic() < end, "The app did not start."
        with socket.socket() as client:
            if client.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)

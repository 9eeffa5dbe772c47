"""A person with Chromium, by WebDriver."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

BINARY = "/usr/bin/chromium-headless-shell"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
TIMEOUT = 30.0
"""How long an expression may take to become true, in seconds."""


class Chromium:
    """A browser with a temporary profile."""

    def __init__(self) -> None:
        self._profile = tempfile.TemporaryDirectory(prefix="steward-sdk-", ignore_cleanup_errors=True)
        environment = {**os.environ, "HOME": self._profile.name, "TMPDIR": self._profile.name}
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            self._http = httpx.Client(base_url=f"http://127.0.0.1:{self._port()}", trust_env=False, timeout=TIMEOUT)
            options = {"args": [*FLAGS, f"--user-data-dir={Path(self._profile.name, 'profile')}"], "binary": BINARY}
            capabilities = {"alwaysMatch": {"browserName": "chrome-headless-shell", "goog:chromeOptions": options}}
            created = self._command("POST", "/session", {"capabilities": capabilities})
        except BaseException:
            self._driver.kill()
            raise
        self._session = f"/session/{created['sessionId']}"

    def _port(self) -> int:
        assert self._driver.stdout
        for line in self._driver.stdout:
            if match := re.search(r"started successfully on port (\d+)", line):
                return int(match[1])
        raise AssertionError("chromedriver did not start. Run tests/install-tools.sh.")

    def _command(self, method: str, path: str, body: object = None) -> Any:
        value = self._http.request(method, path, json=body if method == "POST" else None).json()["value"]
        if isinstance(value, dict) and "error" in value:
            raise AssertionError(f"{path}: {value['message']}")
        return value

    def open(self, url: str) -> None:
        self._command("POST", f"{self._session}/url", {"url": url})

    def run(self, script: str) -> Any:
        """Run a script in the page. Returns what it returns."""
        return self._command("POST", f"{self._session}/execute/sync", {"script": script, "args": []})

    def until(self, expression: str) -> None:
        """Wait until an expression in the page is true."""
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                if self.run(f"return !!({expression})"):
                    return
            except (AssertionError, httpx.HTTPError):
                # Such as a page that is loading.
                if time.monotonic() > end:
                    raise
            if time.monotonic() > end:
                state = self.run("return `${location.href}\\n${document.body.innerText.slice(0, 600)}`")
                raise AssertionError(f"Not reached: {expression}\n{state}")
            time.sleep(0.05)

    def _element(self, selector: str) -> str:
        """Return the path of a visible element."""
        self.until(f"document.querySelector({selector!r})?.checkVisibility()")
        found = self._command("POST", f"{self._session}/element", {"using": "css selector", "value": selector})
        return f"{self._session}/element/{next(iter(found.values()))}"

    def click(self, selector: str) -> None:
        self._command("POST", f"{self._element(selector)}/click", {})

    def type(self, selector: str, text: str) -> None:
        self._command("POST", f"{self._element(selector)}/value", {"text": text})

    def stop(self) -> None:
        try:
            self._command("DELETE", self._session)
        finally:
            self._driver.kill()
            self._driver.wait()
            self._http.close()
            self._profile.cleanup()


class Person:
    """A person with an account, who uses an app in a browser."""

    def __init__(self, browser: Chromium, username: str, password: str) -> None:
        self.browser, self.username, self.password = browser, username, password

    def sign_in_at_service(self, begin: str) -> None:
        """Fill in the pages of the service, which appear after a click on `begin`: password, and consent."""
        allow = 'button[name="decision"][value="allow"]'
        self.browser.click(begin)
        self.browser.until(f"document.querySelector('input[name=login]') || document.querySelector({allow!r})")
        if not self.browser.run(f"return !!document.querySelector({allow!r})"):
            self.browser.type('input[name="login"]', self.username)
            self.browser.type('input[name="password"]', self.password)
            self.browser.click("form button[type=submit], form button:not([type])")
        self.browser.click(allow)

    def sign_in(self, origin: str) -> None:
        self.browser.open(origin)
        self.sign_in_at_service('form[action="/login"] button')
        self.browser.until(f"location.href === '{origin}/'")

    def add(self, title: str) -> None:
        self.browser.type('input[name="title"]', title)
        self.browser.click('form[action="/notes"] button')
        self.sees(title)

    def sees(self, text: str) -> None:
        """Wait until a note on the page contains a text."""
        self.browser.until(f"[...document.querySelectorAll('li')].some((row) => row.textContent.includes({text!r}))")

    def titles(self) -> list[str]:
        found = self.browser.run("return [...document.querySelectorAll('li')].map((row) => row.textContent)")
        return sorted(str(text) for text in found)

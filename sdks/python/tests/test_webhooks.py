"""Verification of messages to webhooks: those of the service, and forged ones."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import queue
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Callable, Iterator

import pytest
from service import Service

from steward_sdk import InvalidRequestError, VerificationError
from steward_sdk.webhooks import verify_webhook

SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
OTHER = "whsec_" + base64.b64encode(b"o" * 32).decode()
BODY = json.dumps({"type": "project.updated", "timestamp": "2030-01-31T12:00:00Z", "data": {"name": "Ä"}}).encode()


def sign(body: bytes, secret: str = SECRET, message_id: str = "m1", at: float | None = None) -> dict[str, str]:
    timestamp = str(int(time.time() if at is None else at))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {"Webhook-Id": message_id, "Webhook-Timestamp": timestamp, "Webhook-Signature": signature}


def test_a_signed_message_is_valid() -> None:
    for body in (BODY, BODY.decode()):
        event = verify_webhook(body, sign(BODY), SECRET)
        assert (event["id"], event["type"], event["data"]) == ("m1", "project.updated", {"name": "Ä"})


def test_several_secrets_and_signatures_are_possible_during_a_rotation() -> None:
    headers = sign(BODY)
    headers["Webhook-Signature"] = f"v1a,xx {sign(BODY, OTHER)['Webhook-Signature']} {headers['Webhook-Signature']}"
    assert verify_webhook(BODY, headers, SECRET)["id"] == "m1"
    assert verify_webhook(BODY, sign(BODY, OTHER), [SECRET, OTHER])["id"] == "m1"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda headers: headers.update({"Webhook-Id": "m2"}), "No signature"),
        (lambda headers: headers.update({"Webhook-Timestamp": str(int(time.time()) + 1)}), "No signature"),
        (lambda headers: headers.update(sign(BODY, OTHER)), "No signature"),
        (lambda headers: headers.update(sign(BODY + b" ")), "No signature"),
        (lambda headers: headers.update({"Webhook-Signature": headers["Webhook-Signature"][3:]}), "No signature"),
        (lambda headers: headers.update({"Webhook-Signature": "v1,"}), "No signature"),
        (lambda headers: headers.update({"Webhook-Signature": "v1,\u20ac v1,\udcff"}), "No signature"),
        (lambda headers: headers.update({"Webhook-Id": "\udcff"}), "No signature"),
        (
            lambda headers: headers.update({"Webhook-Signature": "v1,x " * 10 + headers["Webhook-Signature"]}),
            "No signature",
        ),
        (lambda headers: headers.pop("Webhook-Signature"), "no header `webhook-signature`"),
        (lambda headers: headers.pop("Webhook-Timestamp"), "no header `webhook-timestamp`"),
        (lambda headers: headers.update(sign(BODY, at=time.time() - 301)), "timestamp"),
        (lambda headers: headers.update(sign(BODY, at=time.time() + 302)), "timestamp"),
        (lambda headers: headers.update({"Webhook-Timestamp": "now"}), "timestamp"),
        (lambda headers: headers.update({"Webhook-Timestamp": "\u0661\u0661"}), "timestamp"),
        (lambda headers: headers.update({"Webhook-Timestamp": "9" * 400}), "timestamp"),
    ],
)
def test_a_forged_or_old_message_is_not_valid(change: Callable[[dict[str, str]], object], message: str) -> None:
    headers = sign(BODY)
    change(headers)
    with pytest.raises(VerificationError, match=message) as caught:
        verify_webhook(BODY, headers, SECRET)
    assert caught.value.code == "verification_failed"


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{}", b"\xff"])
def test_a_signed_body_that_is_not_an_event_is_not_valid(body: bytes) -> None:
    with pytest.raises(VerificationError, match="not an event"):
        verify_webhook(body, sign(body), SECRET)


def test_the_tolerance_can_be_changed() -> None:
    assert verify_webhook(BODY, sign(BODY, at=time.time() - 900), SECRET, tolerance=1_000)
    for tolerance in (0, -1, 3_601):
        with pytest.raises(InvalidRequestError):
            verify_webhook(BODY, sign(BODY), SECRET, tolerance=tolerance)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_AAAA", "whsec_%%%", base64.b64encode(b"k" * 32).decode()])
def test_an_invalid_secret_is_an_error_that_does_not_contain_it(secret: str) -> None:
    with pytest.raises(InvalidRequestError) as caught:
        verify_webhook(BODY, sign(BODY), secret)
    assert len(secret) < 8 or secret not in str(caught.value)
    with pytest.raises(InvalidRequestError):
        verify_webhook(BODY, sign(BODY), [])


@pytest.fixture
def receiver() -> Iterator[tuple[str, "queue.Queue[tuple[bytes, dict[str, str]]]"]]:
    """A server that keeps the messages that it receives."""
    messages: queue.Queue[tuple[bytes, dict[str, str]]] = queue.Queue()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            messages.put((body, dict(self.headers.items())))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/", messages
    server.shutdown()
    server.server_close()


def receive(
    messages: "queue.Queue[tuple[bytes, dict[str, str]]]", kind: str, secrets: list[str]
) -> tuple[bytes, dict[str, str]]:
    """Return the next message of a type. All messages before it must be valid, too."""
    while True:
        body, headers = messages.get(timeout=30)
        if verify_webhook(body, headers, secrets)["type"] == kind:
            return body, headers


def test_messages_of_the_service_are_valid(
    service: Service, receiver: tuple[str, "queue.Queue[tuple[bytes, dict[str, str]]]"]
) -> None:
    url, messages = receiver
    client = service.developer()
    _, project_id = service.create_project()
    webhook = client.project_webhooks.create(project_id, url=url, events=["*"])
    client.project_webhooks.test(project_id, webhook["id"])
    body, headers = receive(messages, "webhook.test", [webhook["secret"]])
    with pytest.raises(VerificationError):
        verify_webhook(body.replace(b"webhook.test", b"webhook.fest"), headers, webhook["secret"])

    # For a day after a rotation, both secrets sign.
    rotated = client.project_webhooks.rotate_secret(project_id, webhook["id"])
    client.projects.update(project_id, name="Rocket 3")
    body, headers = receive(messages, "project.updated", [rotated["secret"], webhook["secret"]])
    for secrets in (webhook["secret"], rotated["secret"]):
        assert verify_webhook(body, headers, secrets)["data"]["project_id"] == project_id
    with pytest.raises(VerificationError):
        verify_webhook(body, headers, OTHER)

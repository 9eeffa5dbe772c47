"""Verification of messages to webhooks (Standard Webhooks)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Mapping, Sequence, cast

from typing_extensions import TypedDict

from ._errors import InvalidRequestError, VerificationError

DEFAULT_TOLERANCE = 300
MAX_TOLERANCE = 3_600
MAX_SIGNATURES = 10
"""The service signs with two secrets for a day after a rotation. More are ignored, because each costs time."""


class WebhookEvent(TypedDict):
    """A message to a webhook."""

    id: str
    """ID of the message. Messages can arrive more than once: deduplicate by the ID."""
    type: str
    """Type of the event, such as `project.updated`. Ignore types that you do not know."""
    timestamp: str
    """When the event happened."""
    data: Any
    """The event, as the event feed returns it, without the address and the request ID."""


def verify_webhook(
    body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float = DEFAULT_TOLERANCE,
) -> WebhookEvent:
    """Verify a message to a webhook, and return it.

    Raises `VerificationError` if the message is not from the service, was changed, or is too old.

    :param body: The body of the request, byte by byte as it arrived: not parsed JSON.
    :param headers: The headers of the request. Their case does not matter.
    :param secrets: The secret of the webhook (`whsec_...`), or several during a rotation.
    :param tolerance: How far the timestamp may be from the time of this server, in seconds: at most 3,600.
    """
    if not 0 < tolerance <= MAX_TOLERANCE:
        raise InvalidRequestError(f"`tolerance` must be more than 0 and at most {MAX_TOLERANCE} seconds.")
    keys = [_key(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise InvalidRequestError("Pass the secret of the webhook.")
    found = {name.lower(): value for name, value in headers.items()}
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    missing = [name for name in names if not found.get(name)]
    if missing:
        raise VerificationError(f"The message has no header `{missing[0]}`.")
    message_id, timestamp, signatures = (found[name] for name in names)
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > tolerance:
        raise VerificationError("The timestamp of the message is too far from the time of this server.")

    content = body.encode("utf-8", "replace") if isinstance(body, str) else bytes(body)
    signed = f"{message_id}.{timestamp}.".encode("utf-8", "replace") + content
    sent = [
        each[3:].encode("utf-8", "replace") for each in signatures.split(" ")[:MAX_SIGNATURES] if each.startswith("v1,")
    ]
    is_valid = False
    for key in keys:
        expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
        for signature in sent:
            # All are compared, each in constant time.
            is_valid |= hmac.compare_digest(expected, signature)
    if not is_valid:
        raise VerificationError(
            "No signature of the message is valid. Check the secret, and pass the body as it arrived."
        )
    try:
        event = json.loads(content)
    except ValueError:
        event = None
    if not isinstance(event, dict) or not isinstance(event.get("type"), str):
        raise VerificationError("The body of the message is not an event.")
    return cast("WebhookEvent", {**event, "id": message_id})


def _key(secret: str) -> bytes:
    try:
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True) if secret.startswith("whsec_") else b""
    except (binascii.Error, ValueError):
        key = b""
    if len(key) < 16:
        raise InvalidRequestError("The secret of a webhook begins with `whsec_`. Copy all of it.")
    return key

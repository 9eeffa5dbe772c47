import base64
import hashlib
import hmac
import time
from typing import Mapping


def is_valid(body: bytes, headers: Mapping[str, str], secret: str) -> bool:
    """Return whether a message is from the service. The names of the headers are in lower case."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    if len(key) < 24:
        # Anyone can sign with an empty key.
        raise ValueError("The secret of the webhook is missing or incomplete.")
    message_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not timestamp.isdecimal() or len(timestamp) > 12 or abs(time.time() - int(timestamp)) > 300:
        return False
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(digest)
    return any(hmac.compare_digest(expected, sent.encode()) for sent in headers.get("webhook-signature", "").split())

"""The public keys of the service, found by discovery and cached."""

from __future__ import annotations

import time
from typing import Any, Dict, Generator

from ._errors import InvalidRequestError, InvalidResponseError, StewardError, TransportError

TTL = 3_600.0
"""The service allows its keys to be cached for an hour, in seconds."""
MAX_AGE = 24 * TTL
"""While the service is not available, keys that are at most this old are used, in seconds."""
MIN_INTERVAL = 30.0
"""Unknown key IDs cause a request at most this often, in seconds: anyone can invent one."""
MAX_KEYS = 100

METADATA_PATH = "/.well-known/openid-configuration"


class KeySet:
    """The public keys by ID. `refresh` yields paths and receives the parsed responses, so that it serves both clients."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._keys: Dict[str, Dict[str, Any]] = {}
        self._fetched_at = float("-inf")
        self._tried_at = float("-inf")

    def needs_refresh(self, kid: str) -> bool:
        """Return whether the keys have to be read before this one is looked up."""
        now = time.monotonic()
        is_missing = kid not in self._keys or now - self._fetched_at > TTL
        # Without any keys, each call tries again.
        return is_missing and (not self._keys or now - self._tried_at > MIN_INTERVAL)

    def refresh(self) -> Generator[str, Any, None]:
        """Read the keys. If that fails, those from before are used for a day."""
        self._tried_at = time.monotonic()
        try:
            metadata = yield METADATA_PATH
            keys = yield self._path_of(metadata)
            if not isinstance(keys, dict) or not isinstance(keys.get("keys"), list):
                raise InvalidResponseError("The key set of the service has no `keys`.")
        except StewardError:
            if time.monotonic() - self._fetched_at > MAX_AGE:
                raise
            return
        found = [key for key in keys["keys"][:MAX_KEYS] if isinstance(key, dict) and isinstance(key.get("kid"), str)]
        self._keys = {key["kid"]: key for key in found}
        self._fetched_at = time.monotonic()

    def find(self, kid: str) -> Dict[str, Any] | None:
        """Return a key, or None if the service does not have it."""
        if time.monotonic() - self._fetched_at > MAX_AGE:
            raise TransportError(f"The keys of {self._url} could not be read.", code="connection_failed")
        return self._keys.get(kid)

    def _path_of(self, metadata: Any) -> str:
        issuer = metadata.get("issuer") if isinstance(metadata, dict) else None
        if issuer != self._url:
            raise InvalidRequestError(f"The issuer of the service is {issuer!r}, not {self._url!r}. Pass it as `url`.")
        uri = metadata.get("jwks_uri")
        if not isinstance(uri, str) or not uri.startswith(f"{self._url}/"):
            raise InvalidResponseError("The metadata of the service has no valid `jwks_uri`.")
        return uri[len(self._url) :]

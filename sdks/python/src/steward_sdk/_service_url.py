"""The URL of a service, over which no one else can read the tokens."""

from __future__ import annotations

import ipaddress

import httpx

from ._errors import InvalidRequestError


def service_url(text: str) -> str:
    """Return the URL of a service without a slash at the end. It uses HTTPS, or HTTP on this machine."""
    text = text.rstrip("/")
    try:
        url = httpx.URL(text)
    except (httpx.InvalidURL, TypeError):
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host or url.query or url.fragment or url.userinfo:
        raise InvalidRequestError(f"{text!r} is not a valid URL of a service, such as https://steward.example.com.")
    if url.scheme == "http" and not is_local(text):
        raise InvalidRequestError(f"{text} must use HTTPS. Over HTTP, others on the network can read the tokens.")
    return text


def is_local(text: str) -> bool:
    """Return whether a URL is on this machine."""
    host = httpx.URL(text).host
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

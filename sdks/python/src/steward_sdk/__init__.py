"""SDK of Steward.

`Steward` and `AsyncSteward` have a method for each operation of the API. The other modules:

- `steward_sdk.webhooks` verifies messages of webhooks.
- `steward_sdk.tokens` verifies access tokens (with the extra `tokens`).
- `steward_sdk.sign_in` signs people in.
- `steward_sdk.live` synchronizes the items of a person (with the extra `live`).
- `steward_sdk.models` has the types of requests and responses.
"""

from ._client import AsyncTokenSource, TokenSource
from ._errors import (
    ConflictError,
    ForbiddenError,
    InvalidRequestError,
    InvalidResponseError,
    NotFoundError,
    NotModifiedError,
    PreconditionFailedError,
    RateLimitedError,
    SignInError,
    StewardError,
    TransportError,
    UnauthorizedError,
    UnavailableError,
    VerificationError,
    Violation,
)
from ._generated.async_resources import AsyncOperations
from ._generated.codes import ErrorCode
from ._generated.sync_resources import Operations
from ._operation import OMITTED, Omitted
from ._pages import AsyncPages, Page, Pages
from ._query import (
    BooleanCondition,
    BooleanConditions,
    JsonCondition,
    NumberCondition,
    NumberConditions,
    TextCondition,
    TextConditions,
)
from ._resource import Metadata, etag_of, metadata_of
from ._tables import Table
from ._version import __version__


class Steward(Operations):
    """A client of a Steward service. It can be shared by threads."""


class AsyncSteward(AsyncOperations):
    """An asynchronous client of a Steward service."""


__all__ = [
    "OMITTED",
    "AsyncPages",
    "AsyncSteward",
    "AsyncTokenSource",
    "BooleanCondition",
    "BooleanConditions",
    "ConflictError",
    "ErrorCode",
    "ForbiddenError",
    "InvalidRequestError",
    "InvalidResponseError",
    "JsonCondition",
    "Metadata",
    "NotFoundError",
    "NotModifiedError",
    "NumberCondition",
    "NumberConditions",
    "Omitted",
    "Page",
    "Pages",
    "PreconditionFailedError",
    "RateLimitedError",
    "SignInError",
    "Steward",
    "StewardError",
    "Table",
    "TextCondition",
    "TextConditions",
    "TokenSource",
    "TransportError",
    "UnauthorizedError",
    "UnavailableError",
    "VerificationError",
    "Violation",
    "__version__",
    "etag_of",
    "metadata_of",
]

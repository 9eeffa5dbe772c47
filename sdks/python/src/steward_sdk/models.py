"""Types of requests and responses: the schemas of the OpenAPI document.

They are `TypedDict`s, so a response keeps members that a later version of the service adds, and can be sent back.
"""

from ._generated.models import *

"""What schemathesis gets wrong: it takes a request for valid if it matches the schema of the operation, but a schema
cannot say all that the service requires. Each remark of this kind is listed here, with the reason; all others fail the
run."""

import atexit
import collections
import json
import re

# Parts of `code: field: message`, for each violation, or of `code: message`, and why no schema says this.
VALID_BUT_REFUSED = {
    "A value must name something that is there, and that the caller may use.": [
        r"No (confidential )?client has this `client_id`",
        r"The (code|device code|refresh token) is invalid",
        r"contains \".*\", which you are not a member of",
        r"must be (the|a) next_cursor of",
        r"after: must be the value of",
        r"request_uri.*(invalid|expired)",
    ],
    "The published schema of the project states the fields of items and the next schema.": [
        r"is not a known field; known fields are",
        r"^(invalid_item|invalid_schema):",
    ],
    "Which parameters a client has to send depends on how it is registered and on the other parameters (OAuth).": [
        r"The client authenticates in several ways",
        r"The `\w+` parameter (is missing|must be)",
        r"No credential was sent",
        r"The grant type `?\w+`? requires a client|`private_key_jwt` requires the public keys",
        r"`client_id` .*(does not match|is not)",
        r"^(unauthorized_client|unsupported_grant_type|invalid_target|invalid_scope):",
    ],
    "What is allowed depends on other members, and null is as absent: generators of clients have no such types.": [
        r"either `\w+` or `\w+` is required",
        r"at least one of .* is required|`\w+` or `\w+` is required",
        r"data: is not a known field",
        r"cannot be combined with",
        r"issuer: is required for this kind of provider|issuer: can be set only",
        r"redirect_uris[`:] must contain at least one URI",
        r"grant_types: can contain|`grant_types` must contain at least one|(roles|scope): can be set only",
        r"roles: must be one or more of .* for a public key",
        r"slug: is required\. Send the text",
    ],
    "A list must not name the same thing twice, or too many in one text.": [
        r"id: must not be repeated in a batch",
        r"if_(none_)?match: must have at most \d+ entity tags",
    ],
    "A time is compared with now, or with the one that is stored, and the calendar has fewer days than the pattern.": [
        r"created_before: must be at most",
        r"second_factor_from: must be a date",
        r"expires_at: (must be in the future|cannot be changed)",
    ],
    "Regular expressions that all generators of clients can read know no properties of characters.": [
        r"must not contain the character U\+[0-9A-F]+, which people cannot see",
        r"slug: must contain at least one letter or digit",
    ],
    "Formats of JSON Schema are wider than these rules about URLs and addresses, or are not checked.": [
        r"redirect_uris\[\d+\][`:] must be an https URL",
        r"(issuer|url|website): must be an https?(\(s\))? URL",
        r"email: must be",
        r"(issuer|url): .*(provider cannot be used|could not be|private)",
    ],
    "The password is compared with common ones.": [r"password: is easy to guess"],
    "The keys of a set are checked with their algorithm.": [r"jwks: "],
    "The content of a file is not described.": [r"^(invalid_image|unsupported_image|invalid_multipart):"],
    "No database stores NUL in text, or numbers of any size.": [
        r"a string contains a NUL character",
        r"a number would be stored as another one",
    ],
    "The service reads 1.0 as a fraction, although it is an integer for JSON Schema.": [r"not floating point"],
    "Members that a form ignores are texts in JSON, too.": [r"expected an object with string values"],
    "The changes of settings are merged (RFC 7396), so the document has no schema for them.": [r"^\w+: auth(\.\S*)?: "],
    "Another request has changed the resource.": [r"^precondition_failed:"],
}

# Parts of `check: operation: remark`, and why they are wrong.
OTHERS = {
    "A host can be written in any script, which the format `uri` does not know but `iri` does.": [
        r"negative_data_rejection.*(Value not matching the 'uri' format|violates `format` at /properties/(url|website))"
    ],
    "The characters of a password are counted in its normal form (NFKC), which can have more of them.": [
        r"negative_data_rejection: \w+: .*violates `minLength` at /properties/password"
    ],
    "The test of a webhook waits for its host, and here no host answers.": [
        r"not_a_server_error: test(Team|Project)Webhook: .*503"
    ],
    "Each request of the run has the credential, also those that should have none.": [
        r"missing_required_header: .*missing required 'Authorization' header"
    ],
    "A form can contain the credential, of the client (RFC 6749 §2.3.1) or of the person (RFC 6750 §2.2).": [
        r"ignored_auth: (introspectToken|postUserInfo): "
    ],
}

found = collections.Counter()


def of_refusal(response):
    """Whether all violations of a refused request are listed."""
    try:
        error = json.loads(response.content)
    except ValueError:
        return False
    violations = [f"{one['field']}: {one['message']}" for one in error.get("errors", []) if "field" in one]
    texts = [f"{error['error']}: {text}" for text in violations or [error["message"]]]
    return count([reason_of(VALID_BUT_REFUSED, text) for text in texts])


def of_another(name, operation, remark):
    """Whether a remark of another check is listed."""
    return count([reason_of(OTHERS, f"{name}: {operation}: {' '.join(str(remark).split())}")])


def reason_of(listed, text):
    return next((reason for reason, parts in listed.items() if any(re.search(part, text) for part in parts)), None)


def count(reasons):
    if not all(reasons):
        return False
    found.update(set(reasons))
    return True


@atexit.register
def report():
    for reason, times in found.most_common():
        print(f"{times} remarks are wrong: {reason}")

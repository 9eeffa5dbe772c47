"""An OpenID provider with Authlib, for tests in which the service is the relying party.

It shows no pages: every authorization request signs in the person that the test has chosen, and grants the scopes.
Environment variables: PORT, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI.
"""

import os
import sys
import threading
import time
import uuid
from dataclasses import dataclass, field

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2 import OAuth2Error
from authlib.oauth2.rfc6749 import ClientMixin, InvalidRequestError, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oidc.core import AuthorizationCodeMixin, OpenIDCode, UserInfo, UserInfoEndpoint
from authlib.oidc.discovery import OpenIDProviderMetadata
from flask import Flask, request
from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey
from werkzeug.serving import make_server

SCOPES = ["openid", "email", "profile"]


def generate_key(alg):
    parameters = {"kid": str(uuid.uuid4()), "use": "sig", "alg": alg}
    key_types = {"RS256": (RSAKey, 2048), "ES256": (ECKey, "P-256"), "EdDSA": (OKPKey, "Ed25519")}
    key_type, size = key_types[alg]
    return key_type.generate_key(size, parameters)


class Client(ClientMixin):
    client_id = os.environ["CLIENT_ID"]
    client_secret = os.environ["CLIENT_SECRET"]
    client_metadata = {}
    redirect_uri = os.environ["REDIRECT_URI"]
    id_token_signed_response_alg = "RS256"

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return self.redirect_uri

    def get_allowed_scope(self, scope):
        return " ".join(name for name in (scope or "").split() if name in SCOPES)

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri == self.redirect_uri

    def check_client_secret(self, client_secret):
        return client_secret == self.client_secret

    def check_endpoint_auth_method(self, method, endpoint):
        return (method == "none") != bool(self.client_secret)

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type == "authorization_code"


@dataclass
class Code(AuthorizationCodeMixin):
    code: str
    subject: str
    redirect_uri: str
    scope: str
    nonce: str
    code_challenge: str
    code_challenge_method: str
    auth_time: int = field(default_factory=lambda: int(time.time()))

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return self.auth_time


@dataclass
class Token(TokenMixin):
    subject: str
    scope: str

    def get_scope(self):
        return self.scope

    def get_client(self):
        return client

    def get_user(self):
        return people[self.subject]

    def is_expired(self):
        return False

    def is_revoked(self):
        return False


class AuthorizationCodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def save_authorization_code(self, code, request):
        parameters = request.payload.data
        codes[code] = Code(
            code=code,
            subject=request.user["sub"],
            redirect_uri=parameters.get("redirect_uri"),
            scope=request.scope,
            nonce=parameters.get("nonce"),
            code_challenge=parameters["code_challenge"],
            code_challenge_method=parameters["code_challenge_method"],
        )

    def query_authorization_code(self, code, client):
        return codes.get(code)

    def delete_authorization_code(self, authorization_code):
        del codes[authorization_code.code]

    def authenticate_user(self, authorization_code):
        return people[authorization_code.subject]


class RequiredCodeChallenge(CodeChallenge):
    """The library requires PKCE only of public clients, and not the method S256."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ["S256"]

    def validate_code_challenge(self, grant, redirect_uri):
        if "code_challenge_method" not in grant.request.payload.data:
            raise InvalidRequestError("Missing 'code_challenge_method'")
        super().validate_code_challenge(grant, redirect_uri)


class IdToken(OpenIDCode):
    def exists_nonce(self, nonce, request):
        return any(code.nonce == nonce for code in codes.values())

    def resolve_client_private_key(self, client):
        return keys[client.id_token_signed_response_alg]

    def get_encode_header(self, client):
        alg = client.id_token_signed_response_alg
        return {"alg": alg, "kid": keys[alg].kid}

    def get_client_claims(self, client):
        return {"iss": issuer}

    def generate_user_info(self, user, scope):
        return UserInfo(user).filter(scope)


class Claims(UserInfoEndpoint):
    def generate_user_info(self, user, scope):
        return UserInfo(user).filter(scope)


class Validator(BearerTokenValidator):
    def authenticate_token(self, token_string):
        return tokens.get(token_string)


def save_token(token, request):
    tokens[token["access_token"]] = Token(subject=request.user["sub"], scope=token["scope"])


client = Client()
keys = {alg: generate_key(alg) for alg in ("RS256", "ES256", "EdDSA")}
codes, tokens, people, requests = {}, {}, {}, []
# None: the person refuses, or there is none yet.
person = None

app = Flask(__name__)
server = AuthorizationServer(app, lambda client_id: client if client_id == client.client_id else None, save_token)
server.register_grant(AuthorizationCodeGrant, [IdToken(), RequiredCodeChallenge()])
protector = ResourceProtector()
protector.register_token_validator(Validator())
server.register_endpoint(Claims(resource_protector=protector))


@app.before_request
def record():
    if request.endpoint == "authorize":
        requests.append({"endpoint": "authorize", "params": request.values.to_dict()})
    elif request.endpoint == "token":
        client_auth = "basic" if request.authorization else "post" if "client_secret" in request.form else "none"
        has_verifier = "code_verifier" in request.form
        requests.append({"endpoint": "token", "client_auth": client_auth, "has_verifier": has_verifier})


@app.route("/.well-known/openid-configuration")
def metadata():
    metadata = OpenIDProviderMetadata(
        issuer=issuer,
        authorization_endpoint=f"{issuer}/oauth/authorize",
        token_endpoint=f"{issuer}/oauth/token",
        userinfo_endpoint=f"{issuer}/oauth/userinfo",
        jwks_uri=f"{issuer}/oauth/jwks",
        scopes_supported=SCOPES,
        response_types_supported=["code"],
        grant_types_supported=["authorization_code"],
        subject_types_supported=["public"],
        id_token_signing_alg_values_supported=list(keys),
        token_endpoint_auth_methods_supported=AuthorizationCodeGrant.TOKEN_ENDPOINT_AUTH_METHODS,
        code_challenge_methods_supported=RequiredCodeChallenge.SUPPORTED_CODE_CHALLENGE_METHOD,
    )
    metadata.validate()
    return metadata


@app.route("/oauth/jwks")
def jwks():
    return KeySet(list(keys.values())).as_dict()


@app.route("/oauth/authorize", methods=["GET", "POST"])
def authorize():
    try:
        grant = server.get_consent_grant(end_user=person)
    except OAuth2Error as error:
        return server.handle_error_response(request, error)
    return server.create_authorization_response(grant=grant, grant_user=person)


@app.route("/oauth/token", methods=["POST"])
def token():
    return server.create_token_response()


@app.route("/oauth/userinfo", methods=["GET", "POST"])
def userinfo():
    return server.create_endpoint_response("userinfo")


@app.post("/test/person")
def set_person():
    global person
    person = None if request.json.get("denied") else request.json
    if person:
        people[person["sub"]] = person
    return "", 204


@app.post("/test/client")
def set_client():
    client.redirect_uri = request.json["redirect_uri"]
    return "", 204


@app.post("/test/signing")
def set_signing():
    alg = request.json["alg"]
    keys[alg] = generate_key(alg)
    client.id_token_signed_response_alg = alg
    return "", 204


@app.get("/test/requests")
def list_requests():
    return requests


def exit_with_the_test():
    sys.stdin.read()
    os._exit(0)


listener = make_server("127.0.0.1", int(os.environ["PORT"]), app, threaded=True)
issuer = f"http://127.0.0.1:{listener.port}"
threading.Thread(target=exit_with_the_test, daemon=True).start()
print(f"READY {issuer}", flush=True)
listener.serve_forever()

"""An app that signs users in with pyoidc. Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PORT."""

import os

from flask import Flask, redirect, request, session
from oic import rndstr
from oic.oic import Client
from oic.oic.message import AuthorizationResponse, RegistrationResponse
from oic.utils.authn.client import CLIENT_AUTHN_METHOD

names = ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "PORT")
issuer, client_id, client_secret, port = (os.environ[name] for name in names)
redirect_uri = f"http://127.0.0.1:{port}/callback"

app = Flask(__name__)
app.secret_key = "a secret for tests, and for tests only"
client = Client(client_authn_method=CLIENT_AUTHN_METHOD)
client.provider_config(issuer)
client.store_registration_info(RegistrationResponse(client_id=client_id, client_secret=client_secret))


@app.route("/")
def home():
    return "Home"


@app.route("/login")
def login():
    session["state"], session["nonce"] = rndstr(), rndstr()
    parameters = {
        "client_id": client_id,
        "response_type": "code",
        "scope": ["openid", "profile", "email"],
        "nonce": session["nonce"],
        "redirect_uri": redirect_uri,
        "state": session["state"],
    }
    authorization = client.construct_AuthorizationRequest(request_args=parameters)
    return redirect(authorization.request(client.authorization_endpoint))


@app.route("/callback")
def callback():
    info = request.query_string.decode()
    response = client.parse_response(AuthorizationResponse, info=info, sformat="urlencoded")
    assert response["state"] == session["state"]
    parameters = {"code": response["code"], "redirect_uri": redirect_uri}
    token = client.do_access_token_request(state=response["state"], request_args=parameters)
    assert token["id_token"]["nonce"] == session["nonce"]
    user = client.do_user_info_request(state=response["state"])
    session["user"] = {"name": user["name"], "email": user["email"]}
    return redirect("/")


@app.route("/user")
def user():
    return session.get("user") or "null"


@app.route("/logout")
def logout():
    session.clear()
    return redirect("/")


app.run(port=port)

"""An app that signs users in with Requests-OAuthlib. Environment variables: ISSUER, CLIENT_ID, PORT."""

import os

import requests
from flask import Flask, redirect, request, session
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

issuer, client_id, port = (os.environ[name] for name in ("ISSUER", "CLIENT_ID", "PORT"))
# The library requires HTTPS otherwise.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

app = Flask(__name__)
app.secret_key = "a secret for tests, and for tests only"
redirect_uri = f"http://127.0.0.1:{port}/callback"
token_url = f"{issuer}/auth/token"
credentials = HTTPBasicAuth(client_id, "unused")


@app.route("/")
def home():
    return "Home"


@app.route("/login")
def login():
    steward = OAuth2Session(client_id, redirect_uri=redirect_uri, scope=["openid", "profile", "email"])
    url, session["state"] = steward.authorization_url(f"{issuer}/auth/authorize")
    return redirect(url)


@app.route("/callback")
def callback():
    steward = OAuth2Session(client_id, state=session["state"], redirect_uri=redirect_uri)
    session["token"] = steward.fetch_token(token_url, client_secret="unused", authorization_response=request.url)
    return redirect("/")


@app.route("/user")
def user():
    if "token" not in session:
        return "null"
    user = OAuth2Session(client_id, token=session["token"]).get(f"{issuer}/auth/userinfo").json()
    return {"name": user["name"], "email": user["email"]}


@app.route("/refresh")
def refresh():
    steward = OAuth2Session(client_id, token=session["token"])
    session["token"] = steward.refresh_token(token_url, auth=credentials)
    return {"refresh_token": session["token"]["refresh_token"]}


@app.route("/logout")
def logout():
    # The library does not revoke tokens.
    data = {"token": session.pop("token")["refresh_token"]}
    requests.post(f"{issuer}/auth/revoke", data, auth=credentials).raise_for_status()
    return redirect("/")


app.run(port=port)

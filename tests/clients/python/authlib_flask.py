"""An app that signs users in with Authlib. Environment variables: ISSUER, CLIENT_ID, PORT."""

import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

issuer, client_id, port = (os.environ[name] for name in ("ISSUER", "CLIENT_ID", "PORT"))

app = Flask(__name__)
app.secret_key = "a secret for tests, and for tests only"
oauth = OAuth(app)
oauth.register(
    name="steward",
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_id=client_id,
    client_secret="unused",
    client_kwargs={"scope": "openid profile email"},
)


@app.route("/")
def home():
    return "Home"


@app.route("/login")
def login():
    return oauth.steward.authorize_redirect(url_for("callback", _external=True))


@app.route("/callback")
def callback():
    token = oauth.steward.authorize_access_token()
    session["user"] = token["userinfo"]
    session["id_token"] = token["id_token"]
    session["refresh_token"] = token["refresh_token"]
    return redirect("/")


@app.route("/user")
def user():
    user = session.get("user")
    return {"name": user["name"], "email": user["email"]} if user else "null"


@app.route("/refresh")
def refresh():
    token = oauth.steward.fetch_access_token(grant_type="refresh_token", refresh_token=session["refresh_token"])
    session["refresh_token"] = token["refresh_token"]
    return {"refresh_token": token["refresh_token"]}


@app.route("/logout")
def logout():
    id_token = session["id_token"]
    session.clear()
    return oauth.steward.logout_redirect(url_for("home", _external=True), id_token_hint=id_token)


app.run(port=port)

"""An app that signs users in with Authlib 0.15. Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PORT."""

import os

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session, url_for

names = ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "PORT")
issuer, client_id, client_secret, port = (os.environ[name] for name in names)

app = Flask(__name__)
app.secret_key = "a secret for tests, and for tests only"
oauth = OAuth(app)
oauth.register(
    name="steward",
    server_metadata_url=f"{issuer}/.well-known/openid-configuration",
    client_id=client_id,
    client_secret=client_secret,
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
    session["user"] = oauth.steward.parse_id_token(token)
    return redirect("/")


@app.route("/user")
def user():
    user = session.get("user")
    return {"name": user["name"], "email": user["email"]} if user else "null"


@app.route("/logout")
def logout():
    session.clear()
    return redirect("/")


app.run(port=port)

import json
import os
import secrets
from pathlib import Path

from flask import Flask, abort, jsonify, redirect, request, session
from steward_sdk import SignInError, Steward, StewardError
from steward_sdk.sign_in import Session, SignIn
from tables import NOTES
from werkzeug.wrappers import Response

ORIGIN = os.environ.get("ORIGIN", "http://localhost:8000")
config = json.loads(Path("steward.json").read_text())
steward = Steward(config["server"])
sign_in = SignIn(steward, config["project"], f"{ORIGIN}/callback")
sessions: dict[str, Session] = {}  # Tokens stay on the server. Use a database for several processes.
app = Flask(__name__)
app.secret_key = secrets.token_hex()
app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=ORIGIN.startswith("https:"))


def client() -> Steward:
    if not (own := sessions.get(session.get("id", ""))):
        abort(401, "Sign in first.")
    return steward.with_token(own.token)


@app.errorhandler(StewardError)
def failed(error: StewardError) -> tuple[str, int]:
    return error.message, 401 if isinstance(error, SignInError) else error.status or 503


@app.get("/")
def page() -> Response:
    return app.send_static_file("index.html")


@app.get("/notes")
def notes() -> Response:
    response = jsonify(client().own_items(config["project"], NOTES).list(order="created_at").all())
    response.add_etag()
    return response.make_conditional(request)


@app.post("/notes")
def add() -> Response:
    client().own_items(config["project"], NOTES).create({"title": request.form["title"]})
    return redirect("/", 303)


@app.get("/login")
def login() -> Response:
    url, session["pending"] = sign_in.start()
    return redirect(url)


@app.get("/callback")
def callback() -> Response:
    tokens = sign_in.complete(request.args, session.pop("pending", None))
    session["id"] = secrets.token_urlsafe()
    sessions[session["id"]] = sign_in.session(tokens)
    return redirect("/")


@app.post("/logout")
def logout() -> Response:
    if own := sessions.pop(session.pop("id", ""), None):
        sign_in.sign_out(own.tokens)
    return redirect("/", 303)

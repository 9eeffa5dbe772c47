"""Notes of the signed-in person, with Flask: `flask --app flask_app run`."""

import os
import secrets

from flask import Flask, redirect, render_template_string, request, session
from markupsafe import escape
from steward_sdk import SignInError, Steward
from steward_sdk.sign_in import Session, SignIn
from werkzeug.wrappers import Response

ORIGIN, PROJECT_ID = os.environ["ORIGIN"], os.environ["STEWARD_PROJECT_ID"]
steward = Steward(os.environ["STEWARD_URL"])
sign_in = SignIn(steward, PROJECT_ID, f"{ORIGIN}/callback")
app = Flask(__name__)
app.secret_key = os.environ["SESSION_SECRET"]
app.config.update(SESSION_COOKIE_SAMESITE="Lax", SESSION_COOKIE_SECURE=ORIGIN.startswith("https:"))
sessions: dict[str, Session] = {}  # Tokens stay on the server. Use a database for several processes.
PAGE = """<ul>{% for title in titles %}<li>{{ title }}{% endfor %}</ul>
<form method="post" action="/"><input name="title"><button>Add</button></form>
<form method="post" action="/logout"><button>Sign out</button></form>"""


@app.errorhandler(SignInError)
def sign_in_failed(error: SignInError) -> "tuple[str, int]":
    return f'{escape(str(error))} <a href="/login">Sign in</a>', 400


@app.route("/", methods=["GET", "POST"])
def notes() -> "str | Response":
    own = sessions.get(session.get("id", ""))
    if own is None:
        return '<a href="/login">Sign in</a>'
    items = steward.with_token(own.token).own_items(PROJECT_ID, "notes")
    if request.method == "POST":
        items.create({"title": request.form["title"]})
        return redirect("/", 303)
    return render_template_string(PAGE, titles=[note["title"] for note in items.list()])


@app.get("/login")
def login() -> Response:
    url, session["pending"] = sign_in.start()
    return redirect(url, 303)


@app.get("/callback")
def callback() -> Response:
    tokens = sign_in.complete(request.args, session.pop("pending", None))
    session["id"] = secrets.token_urlsafe()
    sessions[session["id"]] = sign_in.session(tokens)
    return redirect("/", 303)


@app.post("/logout")
def logout() -> Response:
    own = sessions.pop(session.pop("id", ""), None)
    if own:
        sign_in.sign_out(own.tokens)
    return redirect(sign_in.sign_out_url(own.tokens if own else None, f"{ORIGIN}/"), 303)

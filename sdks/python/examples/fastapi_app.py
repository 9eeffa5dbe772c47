"""Notes of the signed-in person, with FastAPI: `uvicorn fastapi_app:app`."""

import html
import os
import secrets
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.middleware.sessions import SessionMiddleware
from steward_sdk import AsyncSteward, SignInError
from steward_sdk.sign_in import AsyncSession, AsyncSignIn

ORIGIN, PROJECT_ID = os.environ["ORIGIN"], os.environ["STEWARD_PROJECT_ID"]
steward = AsyncSteward(os.environ["STEWARD_URL"])
sign_in = AsyncSignIn(steward, PROJECT_ID, f"{ORIGIN}/callback")
app = FastAPI()
app.add_middleware(SessionMiddleware, secret_key=os.environ["SESSION_SECRET"], https_only=ORIGIN.startswith("https:"))
sessions: dict[str, AsyncSession] = {}  # Tokens stay on the server. Use a database for several processes.
FORMS = '<form method="post" action="/"><input name="title"></form><form method="post" action="/logout"><button>Sign out</button></form>'


@app.exception_handler(SignInError)
async def sign_in_failed(_: Request, error: Exception) -> Response:
    return HTMLResponse(f'{html.escape(str(error))} <a href="/login">Sign in</a>', 400)


@app.api_route("/", methods=["GET", "POST"])
async def notes(request: Request) -> Response:
    session = sessions.get(request.session.get("id", ""))
    if session is None:
        return HTMLResponse('<a href="/login">Sign in</a>')
    items = steward.with_token(session.token).own_items(PROJECT_ID, "notes")
    if request.method == "POST":
        await items.create({"title": parse_qs((await request.body()).decode())["title"][0]})
        return RedirectResponse("/", 303)
    titles = [html.escape(note["title"]) async for note in items.list()]
    return HTMLResponse(f"<ul><li>{'<li>'.join(titles)}</ul>{FORMS}")


@app.get("/login")
async def login(request: Request) -> Response:
    url, request.session["pending"] = sign_in.start()
    return RedirectResponse(url, 303)


@app.get("/callback")
async def callback(request: Request) -> Response:
    tokens = await sign_in.complete(str(request.url), request.session.pop("pending", None))
    request.session["id"] = secrets.token_urlsafe()
    sessions[request.session["id"]] = sign_in.session(tokens)
    return RedirectResponse("/", 303)


@app.post("/logout")
async def logout(request: Request) -> Response:
    session = sessions.pop(request.session.pop("id", ""), None)
    if session:
        await sign_in.sign_out(session.tokens)
    return RedirectResponse(sign_in.sign_out_url(session.tokens if session else None, f"{ORIGIN}/"), 303)

import json
import os
import secrets
from pathlib import Path
from typing import Annotated, Any, AsyncIterable

from fastapi import Depends, FastAPI, Form, HTTPException, Request
from fastapi.responses import JSONResponse, RedirectResponse
from fastapi.sse import EventSourceResponse
from fastapi.staticfiles import StaticFiles
from starlette.middleware.sessions import SessionMiddleware
from steward_sdk import AsyncSteward, SignInError, StewardError
from steward_sdk.live import LiveItems
from steward_sdk.sign_in import AsyncSession, AsyncSignIn
from tables import NOTES

ORIGIN = os.environ.get("ORIGIN", "http://localhost:8000")
config = json.loads(Path("steward.json").read_text())
steward = AsyncSteward(config["server"])
sign_in = AsyncSignIn(steward, config["project"], f"{ORIGIN}/callback")
sessions: dict[str, AsyncSession] = {}  # Tokens stay on the server. Use a database for several processes.
app = FastAPI()
app.add_middleware(SessionMiddleware, secret_key=secrets.token_hex(), https_only=ORIGIN.startswith("https:"))


async def client_of(request: Request) -> AsyncSteward:
    if not (session := sessions.get(request.session.get("id", ""))):
        raise HTTPException(401, "Sign in first.")
    await session.token()
    return steward.with_token(session.token)


Client = Annotated[AsyncSteward, Depends(client_of)]


@app.exception_handler(StewardError)
async def failed(_: Request, error: StewardError) -> JSONResponse:
    return JSONResponse({"detail": error.message}, 401 if isinstance(error, SignInError) else error.status or 503)


@app.get("/notes", response_class=EventSourceResponse)
async def live_notes(client: Client) -> AsyncIterable[dict[str, Any]]:
    async with LiveItems(client, config["project"]) as live:
        async for change in live.changes():
            yield {"id": change.id, "item": change.item}


@app.post("/notes")
async def add(client: Client, title: Annotated[str, Form()]) -> RedirectResponse:
    await client.own_items(config["project"], NOTES).create({"title": title})
    return RedirectResponse("/", 303)


@app.get("/login")
async def login(request: Request) -> RedirectResponse:
    url, request.session["pending"] = sign_in.start()
    return RedirectResponse(url)


@app.get("/callback")
async def callback(request: Request) -> RedirectResponse:
    tokens = await sign_in.complete(str(request.url), request.session.pop("pending", None))
    request.session["id"] = secrets.token_urlsafe()
    sessions[request.session["id"]] = sign_in.session(tokens)
    return RedirectResponse("/")


@app.post("/logout")
async def logout(request: Request) -> RedirectResponse:
    if session := sessions.pop(request.session.pop("id", ""), None):
        await sign_in.sign_out(session.tokens)
    return RedirectResponse("/", 303)


app.mount("/", StaticFiles(directory="static", html=True))

import json
from pathlib import Path
from typing import AsyncIterator

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect
from django.urls import path
from django.utils.deprecation import MiddlewareMixin
from django.views.generic import TemplateView
from steward_sdk import AsyncSteward, SignInError, StewardError
from steward_sdk.live import LiveItems
from steward_sdk.sign_in import AsyncSignIn, Tokens
from tables import NOTES

config = json.loads(Path("steward.json").read_text())
steward = AsyncSteward(config["server"])
sign_in = AsyncSignIn(steward, config["project"], f"{settings.ORIGIN}/callback")


class StewardErrors(MiddlewareMixin):
    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if not isinstance(error, StewardError):
            return None
        return HttpResponse(error.message, status=401 if isinstance(error, SignInError) else error.status or 503)


async def client_of(request: HttpRequest) -> AsyncSteward:
    async def save(tokens: Tokens) -> None:
        await request.session.aset("tokens", tokens.to_dict())
        await request.session.asave()

    if not (stored := await request.session.aget("tokens")):
        raise SignInError("Sign in first.", code="signed_out")
    session = sign_in.session(Tokens.from_dict(stored), save)
    await session.token()
    return steward.with_token(session.token)


async def notes(request: HttpRequest) -> HttpResponseBase:
    client = await client_of(request)
    if request.method == "POST":
        await client.own_items(config["project"], NOTES).create({"title": request.POST["title"]})
        return redirect("/")
    return StreamingHttpResponse(events(client), content_type="text/event-stream")


async def events(client: AsyncSteward) -> AsyncIterator[str]:
    async with LiveItems(client, config["project"]) as live:
        async for change in live.changes():
            yield f"data: {json.dumps({'id': change.id, 'item': change.item})}\n\n"


async def login(request: HttpRequest) -> HttpResponse:
    url, pending = sign_in.start()
    await request.session.aset("pending", pending)
    return redirect(url)


async def callback(request: HttpRequest) -> HttpResponse:
    tokens = await sign_in.complete(request.GET.dict(), await request.session.apop("pending", None))
    await request.session.acycle_key()
    await request.session.aset("tokens", tokens.to_dict())
    return redirect("/")


async def logout(request: HttpRequest) -> HttpResponse:
    if request.method == "POST" and (stored := await request.session.apop("tokens", None)):
        await sign_in.sign_out(Tokens.from_dict(stored))
    return redirect("/")


page = TemplateView.as_view(template_name="index.html")
urlpatterns = [path("", page), path("notes", notes), path("login", login), path("callback", callback), path("logout", logout)]

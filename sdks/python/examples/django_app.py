"""Notes of the signed-in person, with Django: `python django_app.py runserver`. Sessions, and their tokens, are on the server."""

import os
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template import Context, Template
from django.template.context_processors import csrf
from django.urls import path
from steward_sdk import SignInError, Steward
from steward_sdk.sign_in import SignIn, Tokens

ORIGIN, PROJECT_ID = os.environ["ORIGIN"], os.environ["STEWARD_PROJECT_ID"]
steward = Steward(os.environ["STEWARD_URL"])
sign_in = SignIn(steward, PROJECT_ID, f"{ORIGIN}/callback")
MIDDLEWARE = ["django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware"]
SESSIONS = {"SESSION_ENGINE": "django.contrib.sessions.backends.cache", "SESSION_COOKIE_SECURE": ORIGIN.startswith("https:")}
PAGE = """<ul>{% for title in titles %}<li>{{ title }}{% endfor %}</ul>
<form method="post" action="/">{% csrf_token %}<input name="title"><button>Add</button></form><form method="post" action="/logout">{% csrf_token %}<button>Sign out</button></form>"""


def notes(request: HttpRequest) -> HttpResponse:
    if "tokens" not in request.session:
        return HttpResponse('<a href="/login">Sign in</a>')
    own = sign_in.session(Tokens.from_dict(request.session["tokens"]), lambda new: request.session.update({"tokens": new.to_dict()}))
    items = steward.with_token(own.token).own_items(PROJECT_ID, "notes")
    try:
        if request.method == "POST":
            items.create({"title": request.POST["title"]})
            return HttpResponseRedirect("/")
        return HttpResponse(Template(PAGE).render(Context({"titles": [note["title"] for note in items.list()], **csrf(request)})))
    except SignInError:
        return HttpResponseRedirect("/login")


def login(request: HttpRequest) -> HttpResponse:
    url, request.session["pending"] = sign_in.start()
    return HttpResponseRedirect(url)


def callback(request: HttpRequest) -> HttpResponse:
    tokens = sign_in.complete(request.GET.dict(), request.session.pop("pending", None))
    request.session.cycle_key()
    request.session["tokens"] = tokens.to_dict()
    return HttpResponseRedirect("/")


def logout(request: HttpRequest) -> HttpResponse:
    if request.method == "POST" and "tokens" in request.session:
        sign_in.sign_out(Tokens.from_dict(request.session.pop("tokens")))
    return HttpResponseRedirect(sign_in.sign_out_url(None, f"{ORIGIN}/"))


urlpatterns = [path("", notes), path("login", login), path("callback", callback), path("logout", logout)]
OPTIONS = {"ROOT_URLCONF": __name__, "SECRET_KEY": os.environ["SESSION_SECRET"], "ALLOWED_HOSTS": [urlsplit(ORIGIN).hostname]}
settings.configure(MIDDLEWARE=MIDDLEWARE, TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates"}], **SESSIONS, **OPTIONS)
if __name__ == "__main__":
    execute_from_command_line()

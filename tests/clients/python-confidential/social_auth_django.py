"""An app that signs users in with social-auth-django. Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PORT."""

import os
from wsgiref.simple_server import make_server

import django
from django.conf import settings
from django.contrib.auth import logout
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.urls import include, path, reverse

names = ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "PORT")
issuer, client_id, client_secret, port = (os.environ[name] for name in names)

settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    LOGGING={
        "version": 1,
        "disable_existing_loggers": False,
        "handlers": {"log": {"class": "logging.StreamHandler"}},
        "root": {"handlers": ["log"]},
    },
    SECRET_KEY="a secret for tests, and for tests only",
    ROOT_URLCONF=__name__,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
    INSTALLED_APPS=[
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "social_django",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    LOGIN_REDIRECT_URL="/",
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=issuer,
    SOCIAL_AUTH_OIDC_KEY=client_id,
    SOCIAL_AUTH_OIDC_SECRET=client_secret,
)
django.setup()


def login(request):
    # The library requires a form.
    token = f'<input type="hidden" name="csrfmiddlewaretoken" value="{get_token(request)}">'
    action = reverse("social:begin", args=["oidc"])
    return HttpResponse(f'<form method="post" action="{action}">{token}<button>Log in</button></form>')


def sign_out(request):
    logout(request)
    return redirect("/")


def user(request):
    user = request.user
    return JsonResponse({"name": user.username, "email": user.email} if user.is_authenticated else None, safe=False)


urlpatterns = [
    path("", lambda request: HttpResponse("Home")),
    path("login", login),
    path("logout", sign_out),
    path("user", user),
    path("", include("social_django.urls", namespace="social")),
]
call_command("migrate", verbosity=0)
make_server("127.0.0.1", int(port), get_wsgi_application()).serve_forever()

"""An app that signs users in with mozilla-django-oidc.

Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PORT.
"""

import os
from wsgiref.simple_server import make_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.urls import include, path, reverse
from django.views.generic import RedirectView

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
        "mozilla_django_oidc",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
    ],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
    LOGIN_REDIRECT_URL="/",
    LOGOUT_REDIRECT_URL="/",
    OIDC_RP_CLIENT_ID=client_id,
    OIDC_RP_CLIENT_SECRET=client_secret,
    # The library has no discovery, and expects HS256 otherwise.
    OIDC_RP_SIGN_ALGO="RS256",
    OIDC_OP_JWKS_ENDPOINT=f"{issuer}/auth/.well-known/jwks.json",
    OIDC_OP_AUTHORIZATION_ENDPOINT=f"{issuer}/auth/authorize",
    OIDC_OP_TOKEN_ENDPOINT=f"{issuer}/auth/token",
    OIDC_OP_USER_ENDPOINT=f"{issuer}/auth/userinfo",
)
django.setup()


def logout(request):
    # The library requires a form.
    token = f'<input type="hidden" name="csrfmiddlewaretoken" value="{get_token(request)}">'
    return HttpResponse(f'<form method="post" action="{reverse("oidc_logout")}">{token}<button>Log out</button></form>')


def user(request):
    # The library does not request the scope `profile`.
    user = {"name": None, "email": request.user.email} if request.user.is_authenticated else None
    return JsonResponse(user, safe=False)


urlpatterns = [
    path("", lambda request: HttpResponse("Home")),
    path("login", RedirectView.as_view(pattern_name="oidc_authentication_init")),
    path("logout", logout),
    path("user", user),
    path("oidc/", include("mozilla_django_oidc.urls")),
]
call_command("migrate", verbosity=0)
make_server("127.0.0.1", int(port), get_wsgi_application()).serve_forever()

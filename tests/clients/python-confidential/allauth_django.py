"""An app that signs users in with django-allauth. Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PORT."""

import os
from wsgiref.simple_server import make_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application
from django.http import HttpResponse, JsonResponse
from django.urls import include, path
from django.views.generic import RedirectView

names = ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "PORT")
issuer, client_id, client_secret, port = (os.environ[name] for name in names)
app = {
    "provider_id": "steward",
    "name": "Steward",
    "client_id": client_id,
    "secret": client_secret,
    "settings": {"server_url": issuer},
}

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
        "allauth",
        "allauth.account",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.openid_connect",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.common.CommonMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "allauth.account.middleware.AccountMiddleware",
    ],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
        }
    ],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    LOGIN_REDIRECT_URL="/",
    # The library sends a link that verifies the address.
    EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
    SOCIALACCOUNT_PROVIDERS={"openid_connect": {"APPS": [app]}},
)
django.setup()


def user(request):
    user = request.user
    return JsonResponse({"name": user.username, "email": user.email} if user.is_authenticated else None, safe=False)


urlpatterns = [
    path("", lambda request: HttpResponse("Home")),
    # The pages of the library ask for confirmation.
    path("login", RedirectView.as_view(pattern_name="openid_connect_login"), {"provider_id": "steward"}),
    path("logout", RedirectView.as_view(pattern_name="account_logout")),
    path("user", user),
    path("accounts/", include("allauth.urls")),
]
call_command("migrate", verbosity=0)
make_server("127.0.0.1", int(port), get_wsgi_application()).serve_forever()

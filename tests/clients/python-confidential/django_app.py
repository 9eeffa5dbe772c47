"""What the Django apps of this directory have in common."""

import os
from wsgiref.simple_server import make_server

import django
from django.conf import settings
from django.core.management import call_command
from django.core.wsgi import get_wsgi_application

names = ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "PORT")
issuer, client_id, client_secret, port = (os.environ[name] for name in names)


def configure(apps, middleware=(), **more):
    """Configures an app whose module contains its URLs. `more` are the settings of its library."""
    settings.configure(
        ALLOWED_HOSTS=["127.0.0.1"],
        LOGGING={
            "version": 1,
            "disable_existing_loggers": False,
            "handlers": {"log": {"class": "logging.StreamHandler"}},
            "root": {"handlers": ["log"]},
        },
        SECRET_KEY="a secret for tests, and for tests only",
        ROOT_URLCONF="__main__",
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        INSTALLED_APPS=[
            "django.contrib.auth",
            "django.contrib.contenttypes",
            "django.contrib.sessions",
            *apps,
        ],
        MIDDLEWARE=[
            "django.contrib.sessions.middleware.SessionMiddleware",
            "django.middleware.common.CommonMiddleware",
            "django.middleware.csrf.CsrfViewMiddleware",
            "django.contrib.auth.middleware.AuthenticationMiddleware",
            *middleware,
        ],
        LOGIN_REDIRECT_URL="/",
        **more,
    )
    django.setup()


def serve():
    call_command("migrate", verbosity=0)
    make_server("127.0.0.1", int(port), get_wsgi_application()).serve_forever()

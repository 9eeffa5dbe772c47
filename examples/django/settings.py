import os
import secrets
from urllib.parse import urlsplit

ORIGIN = os.environ.get("ORIGIN", "http://localhost:8000")
ALLOWED_HOSTS = [urlsplit(ORIGIN).hostname]
SECRET_KEY = secrets.token_hex()
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "app.StewardErrors",
]
SESSION_ENGINE = "django.contrib.sessions.backends.cache"  # Tokens stay on the server. Several processes share a cache.
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ORIGIN.startswith("https:")
ROOT_URLCONF = "app"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "DIRS": ["templates"]}]

"""An app that signs users in with django-allauth. Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PORT."""

from django.http import HttpResponse, JsonResponse
from django.urls import include, path
from django.views.generic import RedirectView

from django_app import client_id, client_secret, configure, issuer, serve

app = {
    "provider_id": "steward",
    "name": "Steward",
    "client_id": client_id,
    "secret": client_secret,
    "settings": {"server_url": issuer},
}

configure(
    apps=[
        "allauth",
        "allauth.account",
        "allauth.socialaccount",
        "allauth.socialaccount.providers.openid_connect",
    ],
    middleware=["allauth.account.middleware.AccountMiddleware"],
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "APP_DIRS": True,
            "OPTIONS": {"context_processors": ["django.template.context_processors.request"]},
        }
    ],
    AUTHENTICATION_BACKENDS=["allauth.account.auth_backends.AuthenticationBackend"],
    # The library sends a link that verifies the address.
    EMAIL_BACKEND="django.core.mail.backends.dummy.EmailBackend",
    SOCIALACCOUNT_PROVIDERS={"openid_connect": {"APPS": [app]}},
)


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
serve()

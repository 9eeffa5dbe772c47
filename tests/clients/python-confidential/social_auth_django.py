"""An app that signs users in with social-auth-django. Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PORT."""

from django.contrib.auth import logout
from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.shortcuts import redirect
from django.urls import include, path, reverse

from django_app import client_id, client_secret, configure, issuer, serve

configure(
    apps=["social_django"],
    AUTHENTICATION_BACKENDS=["social_core.backends.open_id_connect.OpenIdConnectAuth"],
    SOCIAL_AUTH_OIDC_OIDC_ENDPOINT=issuer,
    SOCIAL_AUTH_OIDC_KEY=client_id,
    SOCIAL_AUTH_OIDC_SECRET=client_secret,
)


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
serve()

"""An app that signs users in with mozilla-django-oidc.

Environment variables: ISSUER, CLIENT_ID, CLIENT_SECRET, PORT.
"""

from django.http import HttpResponse, JsonResponse
from django.middleware.csrf import get_token
from django.urls import include, path, reverse
from django.views.generic import RedirectView

from django_app import client_id, client_secret, configure, issuer, serve

configure(
    apps=["mozilla_django_oidc"],
    AUTHENTICATION_BACKENDS=["mozilla_django_oidc.auth.OIDCAuthenticationBackend"],
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
serve()

//! OAuth 2.0 and OpenID Connect (docs/contract.md#token-endpoint).

use std::borrow::Cow;

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};

use crate::identity::account::TokenResponse;
use crate::operation::operations;
use crate::values::Secret;

operations! {
    ROWS, "auth";

    /// Authorize a client
    ///
    /// Starts the sign-in of a person to a project (RFC 6749 §4.1.1, OpenID Connect Core §3.1.2.1). Redirects to a sign-in
    /// page, or back to the client with a code if a session and a grant exist. An invalid `client_id` or `redirect_uri`
    /// returns an error without a redirect; other errors are returned to `redirect_uri`, unless the client registered itself.
    Authorize Get "/auth/authorize", SignIns Unsupported Opened, query(AuthorizeParameters),
        302("Redirect to a sign-in page or back to the client."), deviates("docs/contract.md#authorization-endpoint"),
        errors("invalid_client", "unauthorized_client", "invalid_scope", "unsupported_response_type", "login_required",
            "consent_required", "interaction_required", "request_not_supported", "request_uri_not_supported",
            "registration_not_supported");

    /// Authorize a client with a form
    ///
    /// The same as `GET /auth/authorize`, with the parameters in the body. OpenID Connect Core §3.1.2.1 requires both
    /// methods.
    AuthorizeByForm Post "/auth/authorize", SignIns Unsupported Opened,
        body(AuthorizeForm => "application/x-www-form-urlencoded"),
        302("Redirect to a sign-in page or back to the client."), deviates("docs/contract.md#authorization-endpoint"),
        errors("invalid_client", "unauthorized_client", "invalid_scope", "unsupported_response_type", "login_required",
            "consent_required", "interaction_required", "request_not_supported", "request_uri_not_supported",
            "registration_not_supported");

    /// Push an authorization request
    ///
    /// Stores the parameters of an authorization request (RFC 9126), so that the browser only carries the `request_uri` of the
    /// response and the `client_id` to `/auth/authorize`. It can be used once, within 90 seconds. A confidential client
    /// authenticates as at the token endpoint. With a proof in the header `DPoP`, the code is bound to its key (RFC 9449 §10.1).
    PushAuthorizationRequest Post "/auth/par", SignIns Unsupported Secret,
        body(PushedAuthorizationForm => "application/x-www-form-urlencoded"), 201(PushedAuthorization),
        deviates("docs/contract.md#authorization-endpoint (RFC 9126)"),
        errors("invalid_client", "invalid_dpop_proof", "invalid_scope", "unauthorized_client",
            "unsupported_response_type", "request_not_supported", "registration_not_supported");

    /// Authorize a device
    ///
    /// Begins the sign-in of a person to a device without a browser (RFC 8628). The device shows `user_code` and
    /// `verification_uri`, and sends `device_code` to the token endpoint until the person has decided, which takes at most 10
    /// minutes. Only registered clients with the grant type of devices, and this service's command line, can use it. A
    /// confidential client authenticates as at the token endpoint.
    AuthorizeDevice Post "/auth/device/code", SignIns Unsupported Secret,
        body(DeviceAuthorizationRequest => "application/x-www-form-urlencoded"), 200(DeviceAuthorization),
        deviates("docs/contract.md#device-authorization (RFC 8628)"),
        errors("invalid_client", "invalid_scope", "unauthorized_client");

    /// Exchange a code or a refresh token for tokens
    ///
    /// A code is valid for 10 minutes and can be used once; using it again revokes the tokens that it was exchanged for.
    /// Each exchange of a refresh token returns a new one. A confidential client authenticates with HTTP Basic, or with
    /// `client_id` and `client_secret`, and can exchange its secret alone for a token with its roles (`client_credentials`). A
    /// device exchanges its device code, and gets `authorization_pending` until the person has decided (RFC 8628 §3.5).
    /// A client with keys sends an assertion instead of a secret (RFC 7523). Other clients have no secret: any value is accepted.
    /// With a proof in the header `DPoP`, the tokens are bound to its key (RFC 9449).
    ExchangeToken Post "/auth/token", SignIns Unsupported Secret ClientCredential,
        body(TokenRequest => "application/x-www-form-urlencoded" "application/json"), 200(TokenResponse),
        deviates("docs/contract.md#token-endpoint (RFC 6749)"),
        errors("invalid_grant", "invalid_client", "invalid_dpop_proof", "invalid_scope", "unauthorized_client",
            "unsupported_grant_type", "authorization_pending", "slow_down", "access_denied", "expired_token");

    /// Revoke a token
    ///
    /// Revokes all tokens of the sign-in that issued the token (RFC 7009). Succeeds if the token is unknown (RFC 7009
    /// §2.2).
    RevokeToken Post "/auth/revoke", SignIns Unsupported ClientCredential,
        body(TokenParameters => "application/x-www-form-urlencoded" "application/json"),
        200("The token is revoked or unknown."), deviates("docs/contract.md#token-endpoint (RFC 7009)"),
        errors("invalid_client", "invalid_grant", "unsupported_token_type"), command("logout");

    /// Introspect a token
    ///
    /// Returns the metadata of a token (RFC 7662). A private API key and a confidential client can introspect the tokens for
    /// their project, a signed-in person their own tokens, and a client that names itself with HTTP Basic the tokens that
    /// were issued to it. Every other token is reported as not active.
    IntrospectToken Post "/auth/introspect", Reads Safe Secret ClientCredential,
        body(TokenParameters => "application/x-www-form-urlencoded" "application/json"), 200(Introspection),
        deviates("docs/contract.md#token-endpoint (RFC 7662)"), errors("invalid_client"), command("token introspect");
}

/// Parameters of an authorization request (RFC 6749 §4.1.1).
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct AuthorizeParameters {
    /// UUID or DID of the project, or ID of a client that it registered.
    #[param(example = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55")]
    pub client_id: String,
    /// URI that receives the response. It must be registered for the client. It is required, and so is `response_type`,
    /// unless `request_uri` is sent.
    #[param(example = "https://example.com/callback")]
    pub redirect_uri: Option<String>,
    /// Must be `code`.
    #[param(example = "code")]
    pub response_type: Option<String>,
    /// How the client receives the response: `query` (default) or `fragment` of the redirect URI, or `form_post`, a form that
    /// the browser posts to it.
    #[param(example = "query")]
    pub response_mode: Option<String>,
    /// Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are ignored.
    #[param(example = "openid profile app:db:read")]
    pub scope: Option<String>,
    /// Value that is returned unchanged in the response, so that the client can detect forged responses. At most 2,048
    /// bytes. Required unless `code_challenge` is sent.
    #[param(example = "af0ifjsldkj")]
    pub state: Option<String>,
    /// SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the project turns PKCE off.
    #[param(example = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")]
    pub code_challenge: Option<String>,
    /// Must be `S256` if `code_challenge` is sent.
    #[param(example = "S256")]
    pub code_challenge_method: Option<String>,
    /// SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this key (RFC 9449 §10).
    #[param(example = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")]
    pub dpop_jkt: Option<String>,
    /// Value that is returned in the ID token. At most 512 bytes.
    #[param(example = "n-0S6_WzA2Mj")]
    pub nonce: Option<String>,
    /// `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by spaces. With `none`, a
    /// redirect URI on loopback or with a private-use scheme gets `interaction_required`, because the user confirms each
    /// of its requests.
    #[param(example = "login")]
    pub prompt: Option<String>,
    /// Login to suggest on the sign-in page. At most 320 bytes.
    #[param(example = "ann@example.com")]
    pub login_hint: Option<String>,
    /// Maximum time since the person last signed in, in seconds. After that, the person must sign in again.
    #[param(example = "3600")]
    pub max_age: Option<String>,
    /// Reference to a request that the client pushed to `/auth/par`. All other parameters except `client_id` and
    /// `id_token_hint` are ignored then.
    pub request_uri: Option<String>,
    /// Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by spaces. With `aal2`, a
    /// person who has a second factor must have signed in with it. The claim `acr` of the ID token says whether the person
    /// did. At most 320 bytes.
    #[param(example = "aal2")]
    pub acr_values: Option<String>,
}

/// Parameters of an authorization request, sent as a form.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct AuthorizeForm {
    /// UUID or DID of the project, or ID of a client that it registered.
    pub client_id: String,
    /// URI that receives the response. It must be registered for the client. It is required, and so is `response_type`,
    /// unless `request_uri` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://example.com/callback")]
    pub redirect_uri: Option<String>,
    /// Must be `code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "code")]
    pub response_type: Option<String>,
    /// How the client receives the response: `query` (default) or `fragment` of the redirect URI, or `form_post`, a form that
    /// the browser posts to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "query")]
    pub response_mode: Option<String>,
    /// Requested scopes, separated by spaces or commas; `openid` by default. Unknown scopes are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "openid profile app:db:read")]
    pub scope: Option<String>,
    /// Value that is returned unchanged in the response, so that the client can detect forged responses. At most 2,048
    /// bytes. Required unless `code_challenge` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "af0ifjsldkj")]
    pub state: Option<String>,
    /// SHA-256 of the code verifier, in base64url (RFC 7636 §4.2). Required unless the project turns PKCE off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")]
    pub code_challenge: Option<String>,
    /// Must be `S256` if `code_challenge` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "S256")]
    pub code_challenge_method: Option<String>,
    /// SHA-256 thumbprint of a key (RFC 7638). The code can be exchanged only with a proof of this key (RFC 9449 §10).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")]
    pub dpop_jkt: Option<String>,
    /// Value that is returned in the ID token. At most 512 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "n-0S6_WzA2Mj")]
    pub nonce: Option<String>,
    /// `none`, or one or more of `login`, `consent`, `select_account` and `create`, separated by spaces. With `none`, a
    /// redirect URI on loopback or with a private-use scheme gets `interaction_required`, because the user confirms each
    /// of its requests.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "login")]
    pub prompt: Option<String>,
    /// Login to suggest on the sign-in page. At most 320 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ann@example.com")]
    pub login_hint: Option<String>,
    /// Maximum time since the person last signed in, in seconds. After that, the person must sign in again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "3600")]
    pub max_age: Option<String>,
    /// Assurance that the client asks for: `aal1` for one factor or `aal2` for two, separated by spaces. With `aal2`, a
    /// person who has a second factor must have signed in with it. The claim `acr` of the ID token says whether the person
    /// did. At most 320 bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "aal2")]
    pub acr_values: Option<String>,
    /// Reference to a request that the client pushed to `/auth/par`. All other parameters except `client_id` and
    /// `id_token_hint` are ignored then. It cannot be pushed itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_uri: Option<String>,
}

/// Parameters of a pushed authorization request, sent as a form.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct PushedAuthorizationForm {
    /// The parameters of the authorization request.
    #[serde(flatten)]
    pub request: AuthorizeForm,
    /// Secret of a confidential client, if it is not sent with HTTP Basic.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_secret: Option<Secret>,
    /// Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_assertion_type: Option<String>,
    /// JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_assertion: Option<Secret>,
}

/// A reference to a pushed authorization request.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct PushedAuthorization {
    /// Value of the `request_uri` parameter at `/auth/authorize`.
    #[schema(value_type = String, example = "urn:ietf:params:oauth:request_uri:stw_pr_ExampleExampleExampleExampleExampleExampleE")]
    pub request_uri: Secret,
    /// Number of seconds for which it can be used, once.
    #[schema(example = 90)]
    pub expires_in: i64,
}

/// Parameters of a device authorization request (RFC 8628 §3.1).
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct DeviceAuthorizationRequest {
    /// ID of the client. It can also be sent as the user name of HTTP Basic.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55")]
    pub client_id: Option<String>,
    /// Secret of a confidential client, if it is not sent with HTTP Basic.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_secret: Option<Secret>,
    /// Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_assertion_type: Option<String>,
    /// JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_assertion: Option<Secret>,
    /// Requested scopes, separated by spaces or commas. `openid` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "openid profile app:db:read")]
    pub scope: Option<String>,
    /// Maximum time since the person last signed in, in seconds. After that, the person must sign in again.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "3600")]
    pub max_age: Option<String>,
}

/// What a device shows to a person, and exchanges for tokens (RFC 8628 §3.2).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DeviceAuthorization {
    /// Code that the device sends to the token endpoint. It can be exchanged once.
    #[schema(value_type = String, example = "stw_dc_ExampleExampleExampleExampleExampleExampleE")]
    pub device_code: Secret,
    /// Code that the person enters.
    #[schema(example = "WDJB-MJHT")]
    pub user_code: String,
    /// Page on which the person enters it.
    #[schema(example = "https://steward.example.com/auth/device")]
    pub verification_uri: String,
    /// The same page with the code filled in, for example as a QR code.
    #[schema(example = "https://steward.example.com/auth/device?user_code=WDJB-MJHT")]
    pub verification_uri_complete: String,
    /// Number of seconds for which the person can enter the code.
    #[schema(example = 600)]
    pub expires_in: i64,
    /// Minimum number of seconds between two requests to the token endpoint.
    #[schema(example = 5)]
    pub interval: i64,
}

/// Parameters of a token request (RFC 6749 §4.1.3, §4.4 and §6, RFC 8628 §3.4): a code, a refresh token, the secret of a
/// client, or the code of a device.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({
    "grant_type": "authorization_code",
    "code": "stw_ac_ExampleExampleExampleExampleExampleExampleE",
    "redirect_uri": "https://example.com/callback",
    "client_id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55",
    "code_verifier": "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
}))]
pub struct TokenRequest {
    /// `authorization_code` (default), `refresh_token`, `client_credentials` or
    /// `urn:ietf:params:oauth:grant-type:device_code`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grant_type: Option<String>,
    /// Authorization code. A refresh token is also accepted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub code: Option<Secret>,
    /// Redirect URI of the authorization request. Must match if sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_uri: Option<String>,
    /// ID of the client, or UUID or DID of the project. Must match if sent. It can also be sent as the user name of HTTP
    /// Basic. Required for a confidential client.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Secret of a confidential client. It can also be sent as the password of HTTP Basic. Ignored for other clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_secret: Option<Secret>,
    /// Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_assertion_type: Option<String>,
    /// JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_assertion: Option<Secret>,
    /// Verifier of the code challenge (RFC 7636 §4.1): 43 to 128 characters. Required if the authorization request
    /// contained a code challenge.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub code_verifier: Option<Secret>,
    /// Refresh token of an earlier response.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub refresh_token: Option<Secret>,
    /// Code of a device that waits for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub device_code: Option<Secret>,
    /// Roles of the token, separated by spaces, among those of the client; all by default. Only for `client_credentials`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// Parameters of a revocation (RFC 7009 §2.1) or introspection request (RFC 7662 §2.1).
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct TokenParameters {
    /// Access token or refresh token.
    #[schema(value_type = String, example = "stw_rt_ExampleExampleExampleExampleExampleExampleE")]
    pub token: Secret,
    /// `access_token` or `refresh_token`. Ignored: the type is detected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "refresh_token")]
    pub token_type_hint: Option<String>,
    /// ID of the client, or UUID or DID of the project, if it is not sent with HTTP Basic. A revocation request must match
    /// the token's client if it is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Secret of a confidential client, if it is not sent with HTTP Basic.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_secret: Option<Secret>,
    /// Must be `urn:ietf:params:oauth:client-assertion-type:jwt-bearer` if `client_assertion` is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_assertion_type: Option<String>,
    /// JWT that a client with keys signs instead of sending a secret (RFC 7523 §2.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub client_assertion: Option<Secret>,
}

/// Metadata of a token (RFC 7662 §2.2). If the token is not active, `active` is the only field.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct Introspection {
    /// Whether the token is valid and the caller may introspect it.
    pub active: bool,
    /// `Bearer` for an access token, `DPoP` for one that is bound to a key, or `refresh_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Bearer")]
    pub token_type: Option<Cow<'static, str>>,
    /// Scopes of the token, separated by spaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "openid profile app:db:read")]
    pub scope: Option<String>,
    /// Client that the token was issued to, as the client sent its ID: UUID or DID of a project, or ID of a first-party
    /// client such as `steward-cli`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Account ID of the person.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "018f2a3c-91b7-7e02-8d54-6a0f3be27c19")]
    pub sub: Option<String>,
    /// Audience: DID of the project, or the URL of this service for a first-party token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "did:web:steward.example.com:projects:018f2a3c7d1e7cc49b3a2f6d1c0e8a55")]
    pub aud: Option<String>,
    /// Issuer: the URL of this service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://steward.example.com")]
    pub iss: Option<String>,
    /// When the token expires, in seconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1_769_860_800)]
    pub exp: Option<i64>,
    /// When the token was issued, in seconds since the Unix epoch.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1_769_859_900)]
    pub iat: Option<i64>,
    /// When the person signed in, in seconds since the Unix epoch (RFC 9470 §6.2).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = 1_769_859_900)]
    pub auth_time: Option<i64>,
    /// Assurance of the sign-in: `aal1` for one factor, `aal2` for two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "aal2")]
    pub acr: Option<Cow<'static, str>>,
    /// How the person signed in (RFC 8176): `pwd`, `otp`, `pop` for a passkey, and `mfa` for two factors.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = json!(["pwd", "otp", "mfa"]))]
    pub amr: Option<Vec<String>>,
    /// Key to which the token is bound; absent for a token without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cnf: Option<Confirmation>,
}

/// The key to which a token is bound (RFC 9449 §6.2).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Confirmation {
    /// SHA-256 thumbprint of the key (RFC 7638).
    #[schema(example = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")]
    pub jkt: String,
}

//! Accounts and their sign-in with a password (docs/contract.md#accounts).

use std::borrow::Cow;

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{SERVICE, operations};
use crate::values::{AccountId, Secret, Timestamp};

operations! {
    ROWS, "auth";

    /// Sign up
    ///
    /// Creates an account, if the sign-up policy of the service allows it. Until the first account of a new service is
    /// created with the link in its log, `not_set_up` is returned. The email address is unverified at first; the
    /// service sends a verification link to it.
    SignUp Post "/auth/signup", SignIns Unsupported, body(NewAccount),
        201(data CreatedAccount, "The account was created."), shows(UserInfo), ignores(CreatedAccount),
        deviates("docs/contract.md#accounts: the operation has the name that forms have"),
        errors("not_set_up", "signup_closed", "email_taken", "username_taken");

    /// Log in
    ///
    /// Checks the password of an account and returns the tokens of a first-party session. They have the scope `admin` and
    /// can administer teams and projects. Applications of projects use `GET /auth/authorize` instead. An account with a
    /// second factor is refused with `second_factor_required`: only the sign-in in a browser asks for it.
    LogIn Post "/auth/login", SignIns Unsupported Secret, body(PasswordLogin),
        200(TokenResponse, "The tokens of the session."), deviates("docs/contract.md#token-endpoint (OpenID Connect)"),
        errors("invalid_credentials", "second_factor_required");

    /// Get user info
    ///
    /// Returns the claims about the caller's account that the scopes of the access token give access to.
    GetUserInfo Get "/auth/userinfo", Reads Safe, 200(UserInfo, "The claims about the account."),
        304("The claims have the ETag in `If-None-Match`."), shows(UserInfo), deviates("docs/contract.md#accounts"),
        errors("precondition_failed"), command("whoami");

    /// Get user info with POST
    ///
    /// Same as `GET /auth/userinfo`. OpenID Connect Core §5.3 requires both methods. The access token can be sent in the body
    /// instead of the header (RFC 6750 §2.2).
    PostUserInfo Post "/auth/userinfo", Reads Safe, body(UserInfoForm, optional => "application/x-www-form-urlencoded"),
        200(UserInfo, "The claims about the account."), shows(UserInfo), deviates("docs/contract.md#accounts");
}

operations! {
    SERVICE_ROWS, SERVICE;

    /// Redirect to user info
    ///
    /// The user info moved permanently to `/auth/userinfo`.
    GetUserInfoMoved Get "/auth/userInfo", Reads Safe, 301("Redirects to `/auth/userinfo`.");
}

/// Values of a new account.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct NewAccount {
    /// Email address. It is unique across the service, case-insensitively.
    pub email: String,
    /// Password of 10 to 256 characters that is hard to guess, also for someone who knows the email address and the names.
    #[schema(value_type = String)]
    pub password: Secret,
    /// Name of the person: 1 to 100 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Ann Example")]
    pub name: Option<String>,
    /// Username: 3 to 32 letters, digits, hyphens and underscores. It is unique across the service, case-insensitively.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
}

/// The new account.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct CreatedAccount {
    /// Unique ID of the account.
    pub id: AccountId,
    /// Email address of the account.
    pub email: String,
    /// Username of the account; null if it has none.
    pub username: Option<String>,
    /// Name of the person; null if none was given.
    #[schema(example = "Ann Example")]
    pub name: Option<String>,
    /// When the account was created.
    pub created_at: Timestamp,
}

/// A password, and the email address or the username of its account.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[schema(example = json!({"email": "ann@example.com", "password": "correct horse battery staple"}))]
pub struct PasswordLogin {
    /// Email address of the account. Send either `email` or `username`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Username of the account. Send either `email` or `username`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Password of the account.
    #[schema(value_type = String)]
    pub password: Secret,
}

/// Response with tokens (RFC 6749 §5.1).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct TokenResponse {
    /// Access token (JWT). Send it as `Authorization: <token_type> <token>`.
    #[schema(value_type = String, example = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJleGFtcGxlIn0.ZXhhbXBsZQ")]
    pub access_token: Secret,
    /// `Bearer`, or `DPoP` for a token that is bound to a key (RFC 9449).
    #[schema(example = "Bearer")]
    pub token_type: Cow<'static, str>,
    /// Lifetime of the access token in seconds.
    #[schema(example = 900)]
    pub expires_in: i64,
    /// Refresh token. Exchange it at `POST /auth/token` for new tokens. Absent if the client may not use the grant type
    /// `refresh_token`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "stw_rt_ExampleExampleExampleExampleExampleExampleE")]
    pub refresh_token: Option<Secret>,
    /// Same value as `refresh_token`, for clients that read this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, example = "stw_rt_ExampleExampleExampleExampleExampleExampleE")]
    pub refresh: Option<Secret>,
    /// Space-separated scopes that were granted; for `client_credentials`, the roles.
    #[schema(example = "openid profile email")]
    pub scope: String,
    /// ID token (JWT, OpenID Connect Core §2). Only present if the scope `openid` was granted.
    #[schema(value_type = Option<String>, example = "eyJhbGciOiJFUzI1NiIsInR5cCI6IkpXVCJ9.eyJhdWQiOiJleGFtcGxlIn0.ZXhhbXBsZQ")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id_token: Option<Secret>,
}

/// The access token, for clients that do not send it in the header.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
pub struct UserInfoForm {
    /// Access token.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub access_token: Option<Secret>,
}

/// Claims that the scopes of the token give access to (OpenID Connect Core §5.3.2).
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct UserInfo {
    /// Unique ID of the account, as in the `sub` claim of its tokens.
    #[schema(example = "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55")]
    pub sub: String,
    /// Same value as `sub`.
    pub id: String,
    /// Name of the person. Only present with the scope `profile`, and if the account has a name.
    #[schema(example = "Ann Example")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Username. Only present with the scope `profile`, and if the account has a username.
    #[schema(example = "ann")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preferred_username: Option<String>,
    /// Email address. Only present with the scope `email`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Whether the person proved that the email address is theirs. Only present with the scope `email`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_verified: Option<bool>,
    /// Same value as `preferred_username`, for clients that read this name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// URL of a profile picture. Accounts have no pictures, so it is never present.
    #[schema(example = "https://example.com/ann.png")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<String>,
}

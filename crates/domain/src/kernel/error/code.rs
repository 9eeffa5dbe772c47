//! Error codes. This is the only list of them; the OpenAPI document, the responses and the tests read it.

macro_rules! codes {
    ($($variant:ident $name:literal)+) => {
        /// Stable, machine-readable code of an error.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names are self-explanatory")]
        pub enum ErrorCode { $($variant),+ }

        impl ErrorCode {
            /// Every code, in declaration order.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Returns the code with a name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.as_str() == name)
            }

            /// Returns the code as it appears in responses.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

codes! {
    InvalidRequest "invalid_request"
    UnknownField "unknown_field"
    InvalidSchema "invalid_schema"
    InvalidItem "invalid_item"
    SlugReserved "slug_reserved"
    Unauthorized "unauthorized"
    InvalidCredentials "invalid_credentials"
    SecondFactorRequired "second_factor_required"
    InsufficientUserAuthentication "insufficient_user_authentication"
    Forbidden "forbidden"
    NotFound "not_found"
    SlugTaken "slug_taken"
    EmailTaken "email_taken"
    UsernameTaken "username_taken"
    SignupClosed "signup_closed"
    NotSetUp "not_set_up"
    InvalidClient "invalid_client"
    InvalidGrant "invalid_grant"
    InvalidDpopProof "invalid_dpop_proof"
    UnauthorizedClient "unauthorized_client"
    InvalidClientMetadata "invalid_client_metadata"
    InvalidRedirectUri "invalid_redirect_uri"
    InvalidScope "invalid_scope"
    UnsupportedGrantType "unsupported_grant_type"
    UnsupportedTokenType "unsupported_token_type"
    UnsupportedResponseType "unsupported_response_type"
    AccessDenied "access_denied"
    AuthorizationPending "authorization_pending"
    SlowDown "slow_down"
    ExpiredToken "expired_token"
    LoginRequired "login_required"
    ConsentRequired "consent_required"
    InteractionRequired "interaction_required"
    RequestNotSupported "request_not_supported"
    RequestUriNotSupported "request_uri_not_supported"
    RegistrationNotSupported "registration_not_supported"
    TooManyRequests "too_many_requests"
    LastOwner "last_owner"
    AlreadyMember "already_member"
    TeamOwnsProjects "team_owns_projects"
    VersionConflict "version_conflict"
    SchemaBreaking "schema_breaking"
    TooManyItems "too_many_items"
    UserNotConnected "user_not_connected"
    QuotaExceeded "quota_exceeded"
    Contended "conflict"
    IdempotencyMismatch "idempotency_mismatch"
    IdempotencyInProgress "idempotency_in_progress"
    IdempotencyResponseLost "idempotency_answer_lost"
    PreconditionFailed "precondition_failed"
    ItemTooLarge "item_too_large"
    InvalidImage "invalid_image"
    UnsupportedImage "unsupported_image"
    ImageTooLarge "image_too_large"
    Unavailable "unavailable"
    OutcomeUnknown "outcome_unknown"
    StorageFull "storage_full"
    Internal "internal_error"
}

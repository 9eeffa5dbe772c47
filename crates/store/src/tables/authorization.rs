//! Tables for authorization requests, codes, grants and tokens.

use diesel::sql_types::{BigInt, Binary, Bool, Nullable, Text};
use steward_domain::identity::{
    AuthorizationCode, AuthorizationParameters, AuthorizationRequest, ClientId, DeviceAuthorization, Grant,
    LogoutDelivery, RefreshState, RefreshToken, ResponseTarget, TokenFamily,
};

use super::row::row;
use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, Uid};

row! {
    struct AuthorizationRequestRow for AuthorizationRequest in authorization_requests (id; revision) {
        id -> Uid,
        digest -> Text,
        parameters = AuthorizationParameters {
            scopes -> Text,
            state -> Nullable<Text>,
            nonce -> Nullable<Text>,
            response_mode -> Text,
            challenge -> Nullable<Text>,
            bound_to: dpop_jkt -> Nullable<Text>,
            prompt -> Text,
            login_hint -> Nullable<Text>,
            max_age -> Nullable<BigInt>,
            level: acr -> Nullable<Text>,
            ui_locales -> Nullable<Text>,
        },
        created_at -> Instant,
        expires_at -> Instant,
        revision -> BigInt,
    }
    store |request| {
        client_id -> Text = request.client.as_str().to_owned(),
        project_id -> Nullable<Uid> = project_of(&request.client),
        redirect_uri -> Text = String::store(&request.redirect_uri().cloned())?,
        device_id -> Nullable<Uid> = match request.target {
            ResponseTarget::Client(_) => None,
            ResponseTarget::Device(id) => Some(Id(id.uuid())),
        },
    }
    load {
        client = client(client_id, project_id),
        target = match (device_id, redirect_uri.load()?) {
            (Some(id), None) => ResponseTarget::Device(id.0.into()),
            (None, Some(uri)) => ResponseTarget::Client(uri),
            (Some(_), Some(_)) | (None, None) => {
                return Err(JobError::corrupt("an authorization request without a client or a device that waits"));
            }
        },
    }
}

row! {
    struct DeviceAuthorizationRow for DeviceAuthorization in device_authorizations (id; revision) {
        id -> Uid,
        digest -> Text,
        user_code -> Text,
        scopes -> Text,
        max_age -> Nullable<BigInt>,
        requested_from -> Nullable<Text>,
        created_at -> Instant,
        expires_at -> Instant,
        denied_at -> Nullable<Instant>,
        revision -> BigInt,
    }
    store |device| {
        client_id -> Text = device.client.as_str().to_owned(),
        project_id -> Nullable<Uid> = project_of(&device.client),
    }
    load { client = client(client_id, project_id) }
}

row! {
    struct AuthorizationCodeRow for AuthorizationCode in authorization_codes (family_id; revision) {
        family_id -> Uid,
        digest -> Text,
        account_id -> Uid,
        session_id -> Uid,
        redirect_uri -> Text,
        /// Not updated, so that scopes of a newer version of the service are preserved.
        #[diesel(skip_update)]
        scopes -> Text,
        nonce -> Nullable<Text>,
        challenge -> Nullable<Text>,
        bound_to: dpop_jkt -> Nullable<Text>,
        authenticated_at -> Instant,
        /// Not updated, so that methods of a newer version of the service are preserved.
        #[diesel(skip_update)]
        methods -> Text,
        password_set_at -> Instant,
        created_at -> Instant,
        expires_at -> Instant,
        redeemed_at -> Nullable<Instant>,
        revision -> BigInt,
    }
    store |code| {
        client_id -> Text = code.client.as_str().to_owned(),
        project_id -> Nullable<Uid> = project_of(&code.client),
    }
    load { client = client(client_id, project_id) }
}

row! {
    struct GrantRow for Grant in grants (id; revision) {
        id -> Uid,
        account_id -> Uid,
        project_id -> Uid,
        scopes -> Text,
        client_scopes -> Text,
        created_at -> Instant,
        updated_at -> Instant,
        revision -> BigInt,
    }
}

row! {
    struct TokenFamilyRow for TokenFamily in token_families (id; revision) {
        id -> Uid,
        account_id -> Uid,
        session_id -> Nullable<Uid>,
        /// Not updated, so that scopes of a newer version of the service are preserved.
        #[diesel(skip_update)]
        scopes -> Text,
        authenticated_at -> Instant,
        /// Not updated, so that methods of a newer version of the service are preserved.
        #[diesel(skip_update)]
        methods -> Text,
        password_set_at -> Instant,
        created_at -> Instant,
        ends_at -> Nullable<Instant>,
        revoked_at -> Nullable<Instant>,
        lost_at -> Nullable<Instant>,
        revision -> BigInt,
    }
    store |family| {
        project_client_id -> Nullable<Uid> = family.client.project_client().map(|id| Id(id.uuid())),
        client_id -> Text = family.client.as_str().to_owned(),
        project_id -> Nullable<Uid> = project_of(&family.client),
    }
    load { client = client(client_id, project_id) }
}

row! {
    struct RefreshTokenRow for RefreshToken in refresh_tokens (id; revision) {
        id -> Uid,
        family_id -> Uid,
        digest -> Text,
        issued_at -> Instant,
        expires_at -> Instant,
        bound_to: dpop_jkt -> Nullable<Text>,
        used_at -> Nullable<Instant>,
        revision -> BigInt,
    }
    store |token| {
        replaced_at -> Nullable<Instant> = match token.state {
            RefreshState::Current => None,
            RefreshState::Replaced { at, .. } | RefreshState::Lost { at } => Some(At(at)),
        },
        answer -> Nullable<Binary> = match &token.state {
            RefreshState::Replaced { answer, .. } => answer.clone(),
            RefreshState::Current | RefreshState::Lost { .. } => None,
        },
        next_id -> Nullable<Uid> = match token.state {
            RefreshState::Replaced { next, .. } => next.map(|id| Id(id.uuid())),
            RefreshState::Current | RefreshState::Lost { .. } => None,
        },
        is_lost -> Bool = matches!(token.state, RefreshState::Lost { .. }),
    }
    load {
        state = match (replaced_at, answer, next_id, is_lost) {
            (None, None, None, false) => RefreshState::Current,
            (Some(at), answer, next, false) => {
                RefreshState::Replaced { at: at.0, answer, next: next.map(|id| id.0.into()) }
            }
            (Some(at), None, None, true) => RefreshState::Lost { at: at.0 },
            (None, ..) => {
                return Err(JobError::corrupt("a refresh token without `replaced_at` that has been exchanged"));
            }
            (Some(_), _, _, true) => {
                return Err(JobError::corrupt("a refresh token that is lost and has been exchanged"));
            }
        },
    }
}

row! {
    struct LogoutDeliveryRow for LogoutDelivery in logout_deliveries (id) {
        id -> Uid,
        account_id -> Uid,
        session_id -> Uid,
        project_id -> Uid,
        attempts -> BigInt,
        next_attempt_at -> Instant,
    }
    store |delivery| { client_id -> Text = delivery.client.as_str().to_owned() }
    load { client = client(client_id, Some(project_id)) }
}

fn client(client_id: String, project_id: Option<Id>) -> ClientId {
    ClientId::stored(client_id, project_id.map(|id| id.0.into()))
}

fn project_of(client: &ClientId) -> Option<Id> {
    client.project().map(|id| Id(id.uuid()))
}

//! Tables for projects, their keys and their schemas.

use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, Text};
use steward_domain::administration::{ApiKey, Project, ProjectImages};
use steward_domain::data::SchemaDraft;
use steward_domain::data::schema::SchemaVersion;
use steward_domain::identity::{ClientSecret, ClientSettings, IdentityProvider, ProjectClient, SignInSettings};
use steward_domain::kernel::policy::KeyRoles;
use steward_domain::kernel::{KeyDigest, ReplacedValue, ReplacedValues, TokenDigest};

use super::replaced_value::{expiry, last_use, replaced, time};
use super::row::{row, table};
use crate::error::JobError;
use crate::sql_types::{At, Instant, JsonText, Uid};

row! {
    struct ProjectRow for Project in projects (id; revision) {
        id -> Uid,
        team_id -> Uid,
        name -> Text,
        slug -> Text,
        website -> Nullable<Text>,
        profile -> JsonText,
        sign_in = SignInSettings {
            redirect_uris -> JsonText,
            require_pkce -> Bool,
            legacy_scopes -> Bool,
            email_codes -> Bool,
            second_factor_from -> Nullable<Instant>,
            post_logout_redirect_uris -> JsonText,
            backchannel_logout_uri -> Nullable<Text>,
            accent_color -> Nullable<Text>,
            background_color -> Nullable<Text>,
            tos_uri -> Nullable<Text>,
            policy_uri -> Nullable<Text>,
        },
        images = ProjectImages { icon -> Nullable<JsonText>, background -> Nullable<JsonText> },
        created_at -> Instant,
        updated_at -> Instant,
        revision -> BigInt,
    }
    others {
        deleted_at -> Nullable<Instant>,
        access_epoch -> BigInt,
    }
}

table! {
    project_slugs (slug) {
        slug -> Text,
        project_id -> Uid,
    }
}

table! {
    request_counts (project_id, day) {
        project_id -> Uid,
        day -> CalendarDay,
        requests -> BigInt,
    }
}

row! {
    struct ProjectClientRow for ProjectClient in project_clients (id; revision) {
        id -> Uid,
        project_id -> Uid,
        settings = ClientSettings {
            name -> Text,
            grant_types -> Text,
            redirect_uris -> JsonText,
            scopes -> Text,
            roles -> Nullable<Text>,
            require_pkce -> Bool,
            skip_consent -> Bool,
            keys: jwks -> Nullable<JsonText>,
            require_dpop -> Bool,
            require_pushed_requests -> Bool,
            access_token_seconds -> Nullable<BigInt>,
            sign_in_seconds -> Nullable<BigInt>,
        },
        logo -> Nullable<JsonText>,
        registered_itself -> Bool,
        created_by -> Nullable<Uid>,
        configured_by -> Nullable<Uid>,
        created_at -> Instant,
        revision -> BigInt,
    }
    store |client| {
        secret_digest -> Nullable<Text> =
            client.secret.as_ref().map(|secret| secret.digest.0.clone()).or_else(|| no_secret(client)),
        secret_hint -> Nullable<Text> =
            client.secret.as_ref().map(|secret| secret.hint.clone()).or_else(|| no_secret(client)),
        secret_last_used -> Nullable<Instant> = client.secret.as_ref().and_then(|secret| secret.last_used).map(At),
        previous_digest -> Nullable<Text> = previous(client).map(|previous| previous.stored.0.clone()),
        previous_expires_at -> Nullable<Instant> = expiry(previous(client)),
        previous_last_used -> Nullable<Instant> = last_use(previous(client)),
        earlier_digest -> Nullable<Text> = earlier(client).map(|earlier| earlier.stored.0.clone()),
        earlier_expires_at -> Nullable<Instant> = expiry(earlier(client)),
        earlier_last_used -> Nullable<Instant> = last_use(earlier(client)),
        used_before -> Nullable<Instant> = client.secret.as_ref().and_then(|secret| secret.replaced.used_before).map(At),
    }
    load {
        secret = match (secret_digest, secret_hint) {
            (None, None) => None,
            (Some(digest), Some(_)) if digest == NO_SECRET => None,
            (Some(digest), Some(hint)) => Some(ClientSecret {
                digest: TokenDigest(digest),
                hint,
                last_used: time(secret_last_used),
                replaced: ReplacedValues::stored(
                    replaced(previous_digest.map(TokenDigest), previous_expires_at, previous_last_used)?,
                    replaced(earlier_digest.map(TokenDigest), earlier_expires_at, earlier_last_used)?,
                    time(used_before),
                ),
            }),
            _ => return Err(JobError::corrupt("a client with an incomplete secret")),
        },
    }
    others {
        deleted_at -> Nullable<Instant>,
    }
}

/// What a client that authenticates with keys has instead of the digest of a secret. It is that of no secret, so that a version
/// that does not know keys refuses the client, instead of regarding it as public.
const NO_SECRET: &str = "private_key_jwt";

fn no_secret(client: &ProjectClient) -> Option<String> {
    client.settings.keys.as_ref().map(|_| NO_SECRET.to_owned())
}

fn previous(client: &ProjectClient) -> Option<&ReplacedValue<TokenDigest>> {
    client.secret.as_ref()?.replaced.previous.as_ref()
}

fn earlier(client: &ProjectClient) -> Option<&ReplacedValue<TokenDigest>> {
    client.secret.as_ref()?.replaced.earlier.as_ref()
}

row! {
    struct IdentityProviderRow for IdentityProvider in identity_providers (id; revision) {
        id -> Uid,
        project_id -> Nullable<Uid>,
        kind -> Text,
        name -> Text,
        issuer -> Text,
        client_id -> Text,
        client_secret -> Nullable<Binary>,
        email_domains -> Text,
        is_enabled -> Bool,
        created_by -> Nullable<Uid>,
        configured_by -> Nullable<Uid>,
        created_at -> Instant,
        revision -> BigInt,
    }
    others {
        deleted_at -> Nullable<Instant>,
    }
}

row! {
    struct ApiKeyRow for ApiKey in api_keys (project_id, id; revision) {
        id -> Uid,
        project_id -> Uid,
        label -> Text,
        is_private -> Bool,
        digest = KeyDigest { pepper -> BigInt, hex: digest -> Text },
        hint -> Text,
        created_by -> Uid,
        regenerated_by -> Nullable<Uid>,
        created_at -> Instant,
        expires_at -> Nullable<Instant>,
        last_used -> Nullable<Instant>,
        revision -> BigInt,
    }
    store |key| {
        roles -> Text = key.roles.to_string(),
        previous_pepper -> Nullable<BigInt> = key.replaced.previous.as_ref().map(|previous| previous.stored.pepper),
        previous_digest -> Nullable<Text> = key.replaced.previous.as_ref().map(|previous| previous.stored.hex.clone()),
        previous_expires_at -> Nullable<Instant> = expiry(key.replaced.previous.as_ref()),
        previous_last_used -> Nullable<Instant> = last_use(key.replaced.previous.as_ref()),
        earlier_pepper -> Nullable<BigInt> = key.replaced.earlier.as_ref().map(|earlier| earlier.stored.pepper),
        earlier_digest -> Nullable<Text> = key.replaced.earlier.as_ref().map(|earlier| earlier.stored.hex.clone()),
        earlier_expires_at -> Nullable<Instant> = expiry(key.replaced.earlier.as_ref()),
        earlier_last_used -> Nullable<Instant> = last_use(key.replaced.earlier.as_ref()),
        used_before -> Nullable<Instant> = key.replaced.used_before.map(At),
    }
    load {
        roles = KeyRoles::from_stored(&roles, is_private),
        replaced = ReplacedValues::stored(
            replaced(key_digest(previous_pepper, previous_digest), previous_expires_at, previous_last_used)?,
            replaced(key_digest(earlier_pepper, earlier_digest), earlier_expires_at, earlier_last_used)?,
            time(used_before),
        ),
    }
}

fn key_digest(pepper: Option<i64>, hex: Option<String>) -> Option<KeyDigest> {
    pepper.zip(hex).map(|(pepper, hex)| KeyDigest { pepper, hex })
}

row! {
    struct SchemaVersionRow for SchemaVersion in schema_versions (id) {
        id -> Uid,
        project_id -> Uid,
        number -> Integer,
        document -> JsonText,
        published_at -> Instant,
    }
}

row! {
    struct SchemaDraftRow for SchemaDraft in schema_drafts (project_id, account_id) {
        project_id -> Uid,
        account_id -> Uid,
        editor -> Text,
        content -> Text,
        based_on -> Integer,
        updated_at -> Instant,
    }
}

#[cfg(test)]
mod tests {
    use steward_domain::identity::{ClientKeys, ClientType};
    use steward_domain::mocks::a_client;

    use super::*;

    #[test]
    fn a_version_that_does_not_know_keys_regards_their_client_as_confidential() {
        let keys = ClientKeys::stored(r#"{"keys":[{"kty":"EC"}]}"#).ok();
        let settings = ClientSettings { keys, ..a_client().settings };
        let client = ProjectClient { secret: None, settings, ..a_client() };
        let row = ProjectClientRow::try_from(&client).unwrap();
        // No secret has this digest, which has 43 characters.
        assert_eq!((row.secret_digest.as_deref(), row.secret_hint.is_some()), (Some(NO_SECRET), true));
        let loaded = ProjectClient::try_from(row).unwrap();
        assert_eq!((loaded.client_type(), &loaded), (ClientType::Confidential, &client));
    }
}

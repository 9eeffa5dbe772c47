//! Clients that a project registers besides its own ID, which is that of a public client: programs at which people sign
//! in, and programs that act on their own behalf (RFC 6749 §2, RFC 7591 §2).

use std::fmt;
use std::sync::Arc;

use chrono::TimeDelta;
use serde_json::json;

use crate::error::{Error, ErrorCode, FieldViolations, OAuthError};
use crate::policy::{KeyRoles, Permission, PermissionSet};
use crate::violations::Violation;

use super::{
    AuditView, Audited, InvalidValue, Label, OpaqueKind, OwnerIds, PresentedValue, ProjectClientId, ProjectId,
    ProjectInTeam, RedirectUri, ResourceKind, Revision, ScopeSet, Secret, Time, TokenDigest,
};

/// The maximum number of redirect URIs of a client.
const MAX_REDIRECT_URIS: usize = 50;
/// The limits of the lifetime of access tokens, in seconds. A replaced signing key is published for a day.
const ACCESS_TOKEN_SECONDS: std::ops::RangeInclusive<u32> = 60..=86_400;
/// The limits of the time after which the person must sign in again, in seconds.
const SIGN_IN_SECONDS: std::ops::RangeInclusive<u32> = 300..=31_536_000;

/// Whether a client can keep a secret (RFC 6749 §2.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientType {
    /// It cannot: an app in a browser or on a device.
    Public,
    /// It can: a program on a server.
    Confidential,
}

impl ClientType {
    /// All types.
    pub const ALL: [Self; 2] = [Self::Public, Self::Confidential];

    /// Returns the name used in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Confidential => "confidential",
        }
    }

    /// Parses the name.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let named = Self::ALL.into_iter().find(|one| one.as_str() == text);
        named.ok_or(InvalidValue("must be `public` or `confidential`"))
    }
}

/// A way in which a client receives tokens (RFC 7591 §2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GrantType {
    /// A person signs in (RFC 6749 §4.1).
    AuthorizationCode,
    /// The client renews the tokens of a person (RFC 6749 §6).
    RefreshToken,
    /// The client acts on its own behalf, with its roles (RFC 6749 §4.4).
    ClientCredentials,
}

impl GrantType {
    /// All types.
    pub const ALL: [Self; 3] = [Self::AuthorizationCode, Self::RefreshToken, Self::ClientCredentials];

    /// Returns the name used in OAuth.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AuthorizationCode => "authorization_code",
            Self::RefreshToken => "refresh_token",
            Self::ClientCredentials => "client_credentials",
        }
    }
}

/// The grant types that a client may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantTypes(Vec<GrantType>);

impl GrantTypes {
    /// Returns the types of a client at which people sign in.
    pub fn for_people() -> Self {
        Self(vec![GrantType::AuthorizationCode, GrantType::RefreshToken])
    }

    /// Parses a list of names.
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidValue> {
        let mut types = Vec::new();
        for name in names {
            let named = GrantType::ALL.into_iter().find(|one| one.as_str() == name);
            types.push(named.ok_or(InvalidValue(
                "must contain only `authorization_code`, `refresh_token` and `client_credentials`",
            ))?);
        }
        types.sort_unstable();
        types.dedup();
        if types.is_empty() { Err(InvalidValue("must contain at least one grant type")) } else { Ok(Self(types)) }
    }

    /// Parses a stored list. Types that this version does not know are ignored.
    pub fn from_stored(text: &str) -> Self {
        let names: Vec<&str> = text.split(' ').collect();
        Self(GrantType::ALL.into_iter().filter(|one| names.contains(&one.as_str())).collect())
    }

    /// Returns whether the client may use the grant type.
    pub fn contain(&self, one: GrantType) -> bool {
        self.0.contains(&one)
    }

    /// Returns the names, in a fixed order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.0.iter().map(|one| one.as_str())
    }
}

impl fmt::Display for GrantTypes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names().collect::<Vec<_>>().join(" "))
    }
}

/// What a client may do, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientSettings {
    /// The name that people see when they are asked for consent.
    pub name: Label,
    /// The grant types that the client may use.
    pub grant_types: GrantTypes,
    /// The URIs that may receive authorization codes.
    pub redirect_uris: Vec<RedirectUri>,
    /// The scopes that the client may request when a person signs in.
    pub scopes: ScopeSet,
    /// The roles of a client that acts on its own behalf.
    pub roles: Option<KeyRoles>,
    /// Whether an authorization request must contain a code challenge (RFC 7636).
    pub require_pkce: bool,
    /// Whether people are not asked for consent, because the client belongs to the project itself. They are
    /// asked once whether to continue.
    pub skip_consent: bool,
    /// The lifetime of access tokens, in seconds. `None` for that of the service.
    pub access_token_seconds: Option<u32>,
    /// The time after which the person must sign in again, in seconds. `None` for that of the service.
    pub sign_in_seconds: Option<u32>,
}

/// Values of a new client, or changes to one.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is that of `ClientSettings` with this name; `None` leaves it unchanged")]
pub struct ClientChanges {
    pub name: Option<Label>,
    pub grant_types: Option<GrantTypes>,
    pub redirect_uris: Option<Vec<RedirectUri>>,
    pub scopes: Option<ScopeSet>,
    pub roles: Option<Option<KeyRoles>>,
    pub require_pkce: Option<bool>,
    pub skip_consent: Option<bool>,
    pub access_token_seconds: Option<Option<u32>>,
    pub sign_in_seconds: Option<Option<u32>>,
}

/// What a person or program enters for a client.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is that of `ClientSettings` with this name; `None` leaves it unchanged")]
pub struct ClientInput<'a> {
    pub name: Option<&'a str>,
    pub grant_types: Option<&'a [String]>,
    pub redirect_uris: Option<&'a [String]>,
    /// Names, separated by spaces.
    pub scope: Option<&'a str>,
    /// An empty text for none.
    pub roles: Option<&'a str>,
    pub require_pkce: Option<bool>,
    pub skip_consent: Option<bool>,
    /// 0 for the lifetime of the service.
    pub access_token_seconds: Option<u32>,
    /// 0 for the lifetime of the service.
    pub sign_in_seconds: Option<u32>,
}

impl ClientChanges {
    /// Parses the fields. Their combination is checked by [`ClientSettings::check`].
    pub fn parse(input: &ClientInput<'_>, errors: &mut FieldViolations) -> Self {
        let roles = |text: &str| if text.is_empty() { Ok(None) } else { KeyRoles::parse(text).map(Some) };
        let grant_types = input.grant_types.map(|names| GrantTypes::parse(names.iter().map(String::as_str)));
        let seconds = |given: Option<u32>, limits: std::ops::RangeInclusive<u32>| match given {
            None => Ok(None),
            Some(0) => Ok(Some(None)),
            Some(seconds) if limits.contains(&seconds) => Ok(Some(Some(seconds))),
            Some(_) => Err(format!("must be {} to {} seconds, or 0 for the default", limits.start(), limits.end())),
        };
        Self {
            name: errors.check_given("name", input.name, Label::parse),
            grant_types: grant_types.and_then(|parsed| errors.check("grant_types", parsed)),
            redirect_uris: input.redirect_uris.and_then(|uris| parse_redirect_uris(uris, errors)),
            scopes: errors.check_given("scope", input.scope, ScopeSet::parse_of_client),
            roles: errors.check_given("roles", input.roles, roles),
            require_pkce: input.require_pkce,
            skip_consent: input.skip_consent,
            access_token_seconds: errors
                .check("access_token_seconds", seconds(input.access_token_seconds, ACCESS_TOKEN_SECONDS))
                .flatten(),
            sign_in_seconds: errors.check("sign_in_seconds", seconds(input.sign_in_seconds, SIGN_IN_SECONDS)).flatten(),
        }
    }
}

fn parse_redirect_uris(uris: &[String], errors: &mut FieldViolations) -> Option<Vec<RedirectUri>> {
    if uris.len() > MAX_REDIRECT_URIS {
        let message = format_args!("must contain at most {MAX_REDIRECT_URIS} URIs");
        errors.add(Violation::invalid("redirect_uris", message));
        return None;
    }
    let mut parsed = Vec::new();
    for (index, uri) in uris.iter().enumerate() {
        match RedirectUri::parse(uri) {
            Ok(uri) if !parsed.contains(&uri) => parsed.push(uri),
            Ok(_) => {}
            Err(violation) => errors.add(Violation::invalid(format!("redirect_uris[{index}]"), violation)),
        }
    }
    Some(parsed)
}

impl ClientSettings {
    /// Returns the settings of a new client. Values that `given` does not contain have their defaults: people sign in at
    /// the client, may be asked for every scope, and only a public client needs PKCE.
    pub fn new(client_type: ClientType, name: Label, given: ClientChanges) -> Self {
        let defaults = Self {
            name,
            grant_types: GrantTypes::for_people(),
            redirect_uris: Vec::new(),
            scopes: ScopeSet::for_projects(),
            roles: None,
            require_pkce: client_type == ClientType::Public,
            skip_consent: false,
            access_token_seconds: None,
            sign_in_seconds: None,
        };
        defaults.with(ClientChanges { name: None, ..given })
    }

    /// Returns the settings with these changes.
    pub fn with(self, changes: ClientChanges) -> Self {
        Self {
            name: changes.name.unwrap_or(self.name),
            grant_types: changes.grant_types.unwrap_or(self.grant_types),
            redirect_uris: changes.redirect_uris.unwrap_or(self.redirect_uris),
            scopes: changes.scopes.unwrap_or(self.scopes),
            roles: changes.roles.unwrap_or(self.roles),
            require_pkce: changes.require_pkce.unwrap_or(self.require_pkce),
            skip_consent: changes.skip_consent.unwrap_or(self.skip_consent),
            access_token_seconds: changes.access_token_seconds.unwrap_or(self.access_token_seconds),
            sign_in_seconds: changes.sign_in_seconds.unwrap_or(self.sign_in_seconds),
        }
    }

    /// Checks that the settings fit each other and the type of the client.
    pub fn check(&self, client_type: ClientType) -> Result<(), Error> {
        let allows = |one| self.grant_types.contain(one);
        let is_public = client_type == ClientType::Public;
        let mut errors = FieldViolations::default();
        let mut add = |field: &str, message: &str| errors.add(Violation::invalid(field, message));
        if is_public && allows(GrantType::ClientCredentials) {
            add("grant_types", "can contain `client_credentials` only for a confidential client");
        }
        if allows(GrantType::RefreshToken) && !allows(GrantType::AuthorizationCode) {
            add("grant_types", "can contain `refresh_token` only with `authorization_code`");
        }
        if allows(GrantType::AuthorizationCode) && self.redirect_uris.is_empty() {
            add("redirect_uris", "must contain at least one URI for the grant type `authorization_code`");
        }
        if allows(GrantType::ClientCredentials) && self.roles.is_none() {
            add("roles", "is required for the grant type `client_credentials`");
        }
        if !allows(GrantType::ClientCredentials) && self.roles.is_some() {
            add("roles", "can be set only with the grant type `client_credentials`");
        }
        if is_public && !self.require_pkce {
            add("require_pkce", "must be true for a public client, which has no secret");
        }
        errors.finish(Some(()))
    }

    /// Returns whether the client may use the redirect URI.
    pub fn allow(&self, uri: &RedirectUri) -> bool {
        self.grant_types.contain(GrantType::AuthorizationCode) && self.covers(uri)
    }

    /// Returns whether only the client itself receives what is sent to the URI (RFC 8252 §8.6).
    pub fn is_proven_by(&self, uri: &RedirectUri) -> bool {
        uri.is_on_the_web() && self.covers(uri)
    }

    fn covers(&self, uri: &RedirectUri) -> bool {
        self.redirect_uris.iter().any(|registered| registered.covers(uri))
    }

    /// Returns the requested scopes that the client may have; `None` if there are none.
    pub fn permitted_scopes(&self, requested: &ScopeSet) -> Option<ScopeSet> {
        let permitted = requested.retain(|scope| self.scopes.has(scope));
        (permitted != ScopeSet::none()).then_some(permitted)
    }
}

/// The secret of a confidential client, as it is stored: without its value.
#[derive(Clone, PartialEq, Eq)]
pub struct ClientSecret {
    /// The digest of the current value.
    pub digest: TokenDigest,
    /// The prefix and last 4 characters of the current value.
    pub hint: String,
    /// When the current value was last used, with a precision of one minute.
    pub last_used: Option<Time>,
    /// The previous value; `None` once it no longer works.
    pub previous: Option<PreviousClientSecret>,
}

/// The value that a secret had before it was rotated with a grace period.
#[derive(Clone, PartialEq, Eq)]
pub struct PreviousClientSecret {
    /// The digest of the value.
    pub digest: TokenDigest,
    /// When the value stops working.
    pub expires_at: Time,
    /// When it was last used, with a precision of one minute.
    pub last_used: Option<Time>,
}

impl ClientSecret {
    /// The longest grace period, in seconds (docs/contract.md#registered-clients).
    pub const MAX_GRACE_SECONDS: u32 = 24 * 60 * 60;

    /// Returns a new secret with this value.
    pub fn new(value: &Secret, digest: TokenDigest) -> Self {
        Self { digest, hint: OpaqueKind::ClientSecret.hint(value), last_used: None, previous: None }
    }

    /// Returns which value has this digest and works at `now`.
    pub fn value_of(&self, digest: &TokenDigest, now: Time) -> Option<PresentedValue> {
        let works = |previous: &&PreviousClientSecret| previous.expires_at > now && previous.digest == *digest;
        if self.digest == *digest {
            return Some(PresentedValue::Current);
        }
        self.previous.as_ref().filter(works).map(|_| PresentedValue::Previous)
    }

    /// Returns when a value was last used, as stored.
    pub fn last_used_of(&self, which: PresentedValue) -> Option<Time> {
        match which {
            PresentedValue::Current => self.last_used,
            PresentedValue::Previous => self.previous.as_ref().and_then(|previous| previous.last_used),
        }
    }

    /// Returns the secret with a new value. The old value works for the grace period, any earlier one no longer.
    pub fn rotated(self, value: &Secret, digest: TokenDigest, grace: TimeDelta, now: Time) -> Self {
        let old = PreviousClientSecret { digest: self.digest, expires_at: now + grace, last_used: self.last_used };
        Self { previous: Some(old).filter(|old| old.expires_at > now), ..Self::new(value, digest) }
    }

    /// Returns the secret as of `now`: without a previous value that no longer works.
    pub fn as_of(self, now: Time) -> Self {
        Self { previous: self.previous.filter(|previous| previous.expires_at > now), ..self }
    }
}

impl fmt::Debug for PreviousClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreviousClientSecret").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

impl fmt::Debug for ClientSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientSecret").field("hint", &self.hint).finish_non_exhaustive()
    }
}

/// A client that a project registered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProjectClient {
    /// Unique ID of the client: its `client_id`.
    pub id: ProjectClientId,
    /// The project to which the client belongs.
    pub project_id: ProjectId,
    /// What the client may do, and how.
    pub settings: ClientSettings,
    /// The secret; `None` for a public client.
    pub secret: Option<ClientSecret>,
    /// When the client was registered.
    pub created_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl ProjectClient {
    /// Returns whether the client can keep a secret.
    pub fn client_type(&self) -> ClientType {
        if self.secret.is_some() { ClientType::Confidential } else { ClientType::Public }
    }

    /// Checks that the client may use a grant type.
    pub fn check_grant_type(&self, one: GrantType) -> Result<(), OAuthError> {
        if self.settings.grant_types.contain(one) {
            return Ok(());
        }
        let message = format_args!(
            "The client may not use the grant type {0}. Add {0} to the `grant_types` of the client.",
            one.as_str()
        );
        Err(OAuthError::new(ErrorCode::UnauthorizedClient, message))
    }

    /// Returns whether the client may act on its own behalf.
    pub fn acts_for_itself(&self) -> bool {
        self.settings.grant_types.contain(GrantType::ClientCredentials)
    }

    /// Returns the roles of a token as `scope`: separated by spaces. If the client no longer has all of them, these are the
    /// permissions that it still has.
    pub fn scope_with(&self, roles: &KeyRoles) -> String {
        let of_client = self.settings.roles.as_ref().map(KeyRoles::permissions).unwrap_or_default();
        if roles.permissions().missing_from(of_client).is_empty() {
            return roles.scope();
        }
        let held = roles.permissions().both(of_client);
        held.iter().map(Permission::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Returns the lifetime of its access tokens. `default`: that of the service.
    pub fn access_token_ttl(&self, default: TimeDelta) -> TimeDelta {
        self.settings.access_token_seconds.map_or(default, |seconds| TimeDelta::seconds(i64::from(seconds)))
    }

    /// Returns when the person must sign in again; `None` if only the service limits that.
    pub fn sign_in_end(&self, signed_in_at: Time) -> Option<Time> {
        self.settings.sign_in_seconds.map(|seconds| signed_in_at + TimeDelta::seconds(i64::from(seconds)))
    }

    /// Returns the client as of `now`: without a previous secret that no longer works.
    pub fn as_of(self, now: Time) -> Self {
        Self { secret: self.secret.map(|secret| secret.as_of(now)), ..self }
    }
}

impl Audited for ProjectClient {
    const KIND: ResourceKind = ResourceKind::Client;

    fn owner_ids(&self) -> OwnerIds {
        (None, Some(self.project_id))
    }

    fn audit_view(&self) -> Option<AuditView> {
        let settings = &self.settings;
        Some(AuditView {
            id: self.id.to_string(),
            state: json!({
                "name": settings.name.as_str(), "type": self.client_type().as_str(),
                "grant_types": settings.grant_types.names().collect::<Vec<_>>(),
                "redirect_uris": settings.redirect_uris.iter().map(RedirectUri::as_str).collect::<Vec<_>>(),
                "scope": settings.scopes.to_string(),
                "roles": settings.roles.as_ref().map(KeyRoles::to_string),
                "require_pkce": settings.require_pkce, "skip_consent": settings.skip_consent,
                "access_token_seconds": settings.access_token_seconds,
                "sign_in_seconds": settings.sign_in_seconds,
                "secret_hint": self.secret.as_ref().map(|secret| secret.hint.as_str()),
            }),
        })
    }
}

/// A client that acts on its own behalf, with its project. Authentication loads both in one query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientBearer {
    /// The client.
    pub client: ProjectClient,
    /// The roles of the token, which the client requested.
    pub roles: KeyRoles,
    /// The project of the client.
    pub project: Arc<ProjectInTeam>,
}

impl ClientBearer {
    /// Returns the permissions that both the token and the client have.
    pub fn permissions(&self) -> PermissionSet {
        let of_client = self.client.settings.roles.as_ref().map(KeyRoles::permissions).unwrap_or_default();
        self.roles.permissions().both(of_client)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::instant;
    use crate::model::Scope;

    fn label() -> Label {
        Label::parse("Server").unwrap()
    }

    fn parsed(input: &ClientInput<'_>) -> Result<ClientChanges, Error> {
        let mut errors = FieldViolations::default();
        let changes = ClientChanges::parse(input, &mut errors);
        errors.finish(Some(changes))
    }

    fn checked(client_type: ClientType, input: &ClientInput<'_>) -> Result<ClientSettings, Error> {
        let settings = ClientSettings::new(client_type, label(), parsed(input)?);
        settings.check(client_type).map(|()| settings)
    }

    #[test]
    fn a_new_client_has_the_defaults_of_its_type() {
        let uris = ["https://app.example/callback".to_owned()];
        let input = ClientInput { redirect_uris: Some(&uris), ..ClientInput::default() };
        let public = checked(ClientType::Public, &input).unwrap();
        assert!(public.require_pkce && !public.skip_consent && public.roles.is_none());
        assert_eq!(public.grant_types.to_string(), "authorization_code refresh_token");
        assert!(!checked(ClientType::Confidential, &input).unwrap().require_pkce);
        assert!(!public.scopes.has(Scope::Admin) && public.scopes.has(Scope::AppAdmin));
    }

    #[test]
    fn settings_that_contradict_each_other_are_refused() {
        let uris = ["https://app.example/callback".to_owned()];
        let types = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let machine = types(&["client_credentials"]);
        let (refresh, all) = (types(&["refresh_token"]), types(&["authorization_code", "client_credentials"]));
        let (web, none) = (Some(uris.as_slice()), ClientInput::default());
        let confidential = |input: ClientInput<'_>| checked(ClientType::Confidential, &input).is_ok();
        let public = |input: ClientInput<'_>| checked(ClientType::Public, &input).is_ok();
        let machine = ClientInput { grant_types: Some(&machine), roles: Some("read"), ..none.clone() };
        assert!(confidential(machine.clone()) && !public(machine.clone()));
        assert!(!confidential(ClientInput { roles: None, ..machine.clone() }));
        assert!(!confidential(ClientInput { roles: Some("unknown"), ..machine }));
        assert!(confidential(ClientInput {
            grant_types: Some(&all),
            redirect_uris: web,
            roles: Some("read"),
            ..none.clone()
        }));
        assert!(!confidential(ClientInput { grant_types: Some(&refresh), ..none.clone() }));
        assert!(!public(none.clone()), "A client at which people sign in needs a redirect URI.");
        assert!(!public(ClientInput { redirect_uris: web, roles: Some("read"), ..none.clone() }));
        assert!(!public(ClientInput { redirect_uris: web, require_pkce: Some(false), ..none.clone() }));
        assert!(confidential(ClientInput { redirect_uris: web, require_pkce: Some(true), ..none }));
    }

    #[test]
    fn invalid_fields_are_reported_by_name() {
        let (uris, types) = (["http://evil.example/".to_owned()], ["implicit".to_owned()]);
        let many = vec!["https://app.example/".to_owned(); 51];
        let none = ClientInput::default();
        for (input, field) in [
            (ClientInput { redirect_uris: Some(&uris), ..none.clone() }, "redirect_uris[0]"),
            (ClientInput { redirect_uris: Some(&many), ..none.clone() }, "redirect_uris"),
            (ClientInput { grant_types: Some(&types), ..none.clone() }, "grant_types"),
            (ClientInput { grant_types: Some(&[]), ..none.clone() }, "grant_types"),
            (ClientInput { scope: Some("openid admin"), ..none.clone() }, "scope"),
            (ClientInput { scope: Some("openid unknown"), ..none.clone() }, "scope"),
            (ClientInput { access_token_seconds: Some(59), ..none.clone() }, "access_token_seconds"),
            (ClientInput { sign_in_seconds: Some(299), ..none.clone() }, "sign_in_seconds"),
            (ClientInput { name: Some(""), ..none.clone() }, "name"),
        ] {
            match parsed(&input) {
                Err(Error::Invalid(violations)) => {
                    let named = violations.as_slice().iter().any(|violation| violation.field == field);
                    assert!(named, "{field}: {violations:?}");
                }
                other => panic!("{field}: {other:?}"),
            }
        }
        let reset = parsed(&ClientInput { access_token_seconds: Some(0), ..none }).unwrap();
        assert_eq!((reset.access_token_seconds, reset.sign_in_seconds), (Some(None), None));
    }

    #[test]
    fn a_client_receives_only_scopes_that_it_may_request() {
        let uris = ["https://app.example/".to_owned()];
        let input =
            ClientInput { redirect_uris: Some(&uris), scope: Some("openid app:db:write"), ..ClientInput::default() };
        let settings = checked(ClientType::Public, &input).unwrap();
        let permitted = |text| settings.permitted_scopes(&ScopeSet::parse(text)).map(|scopes| scopes.to_string());
        assert_eq!(permitted("openid email app:db:read").as_deref(), Some("openid app:db:read"));
        assert_eq!(permitted("email profile app:admin"), None);
    }

    #[test]
    fn a_rotated_secret_works_for_its_grace_period() {
        let digest = |text: &str| TokenDigest(text.to_owned());
        let value = Secret::new("stw_cs_first0001".to_owned());
        let (first, grace) = (ClientSecret::new(&value, digest("1")), TimeDelta::hours(1));
        assert_eq!(first.hint, "stw_cs_...0001");
        let second = first.clone().rotated(&value, digest("2"), grace, instant());
        let which = |secret: &ClientSecret, text, at| secret.value_of(&digest(text), at);
        assert_eq!(which(&second, "2", instant()), Some(PresentedValue::Current));
        assert_eq!(which(&second, "1", instant()), Some(PresentedValue::Previous));
        assert_eq!((which(&second, "1", instant() + grace), which(&second, "3", instant())), (None, None));
        assert_eq!(second.clone().as_of(instant() + grace).previous, None);
        let third = second.rotated(&value, digest("3"), TimeDelta::zero(), instant());
        assert_eq!((which(&third, "2", instant()), which(&third, "1", instant())), (None, None));
    }
}

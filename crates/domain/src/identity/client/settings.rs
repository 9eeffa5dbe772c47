//! What a client that a project registered may do (RFC 7591 §2).

use std::ops::RangeInclusive;

use crate::identity::{ClientKeys, GrantType, GrantTypes, RedirectUri, ScopeSet};
use crate::kernel::error::{Error, FieldViolations};
use crate::kernel::policy::KeyRoles;
use crate::kernel::violations::Violation;
use crate::kernel::{Label, named};

use serde_json::{Map, Value};

/// The limits of the lifetime of access tokens, in seconds.
pub const ACCESS_TOKEN_SECONDS: RangeInclusive<u32> = 60..=ClientSettings::MAX_ACCESS_TOKEN_SECONDS;
/// The limits of the time after which the person must sign in again, in seconds.
pub const SIGN_IN_SECONDS: RangeInclusive<u32> = 300..=31_536_000;

named! {
    /// Whether a client can keep a secret (RFC 6749 §2.1).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ClientType: "the name used in the API", else "must be `public` or `confidential`" {
        /// It cannot: an app in a browser or on a device.
        Public = "public",
        /// It can: a program on a server.
        Confidential = "confidential",
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
    /// The public keys with which a confidential client authenticates instead of a secret (RFC 7523 §2.2).
    pub keys: Option<ClientKeys>,
    /// Whether the client gets only tokens that are bound to a key (RFC 9449 §5).
    pub require_dpop: bool,
    /// Whether the client must push its authorization requests (RFC 9126 §6).
    pub require_pushed_requests: bool,
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
    pub keys: Option<ClientKeys>,
    pub require_dpop: Option<bool>,
    pub require_pushed_requests: Option<bool>,
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
    /// A JSON Web Key Set: the field `keys`.
    pub jwks: Option<&'a Map<String, Value>>,
    pub require_dpop: Option<bool>,
    pub require_pushed_requests: Option<bool>,
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
        let seconds = |given: Option<u32>, limits: RangeInclusive<u32>| match given {
            None => Ok(None),
            Some(0) => Ok(Some(None)),
            Some(seconds) if limits.contains(&seconds) => Ok(Some(Some(seconds))),
            Some(_) => Err(format!("must be {} to {} seconds, or 0 for the default", limits.start(), limits.end())),
        };
        Self {
            name: errors.check_given("name", input.name, Label::parse),
            grant_types: grant_types.and_then(|parsed| errors.check("grant_types", parsed)),
            redirect_uris: input.redirect_uris.map(|uris| parse_redirect_uris(uris, errors)),
            scopes: errors.check_given("scope", input.scope, ScopeSet::parse_of_client),
            roles: errors.check_given("roles", input.roles, roles),
            require_pkce: input.require_pkce,
            skip_consent: input.skip_consent,
            keys: input.jwks.and_then(|jwks| errors.check("jwks", ClientKeys::parse(jwks))),
            require_dpop: input.require_dpop,
            require_pushed_requests: input.require_pushed_requests,
            access_token_seconds: errors
                .check("access_token_seconds", seconds(input.access_token_seconds, ACCESS_TOKEN_SECONDS))
                .flatten(),
            sign_in_seconds: errors.check("sign_in_seconds", seconds(input.sign_in_seconds, SIGN_IN_SECONDS)).flatten(),
        }
    }
}

impl ClientSettings {
    /// The longest lifetime of access tokens, in seconds. A replaced signing key is published for a day.
    pub const MAX_ACCESS_TOKEN_SECONDS: u32 = 24 * 60 * 60;

    /// Returns the settings of a new client. Values that `given` does not contain have their defaults: people sign in
    /// at the client, it may request every scope, and only a public client needs PKCE.
    pub fn new(client_type: ClientType, name: Label, given: ClientChanges) -> Self {
        let defaults = Self {
            name,
            grant_types: GrantTypes::for_people(),
            redirect_uris: Vec::new(),
            scopes: ScopeSet::for_projects(),
            roles: None,
            require_pkce: client_type == ClientType::Public,
            skip_consent: false,
            keys: None,
            require_dpop: false,
            require_pushed_requests: false,
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
            keys: changes.keys.or(self.keys),
            require_dpop: changes.require_dpop.unwrap_or(self.require_dpop),
            require_pushed_requests: changes.require_pushed_requests.unwrap_or(self.require_pushed_requests),
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
        let is_refused = |(_, uri): &(usize, &RedirectUri)| !is_public && uri.has_scheme_of_app();
        for (index, _) in self.redirect_uris.iter().enumerate().filter(is_refused) {
            let field = format!("redirect_uris[{index}]");
            add(&field, "can have a scheme without a dot only for a public client, which is an app on a device");
        }
        if is_public && allows(GrantType::ClientCredentials) {
            add("grant_types", "can contain `client_credentials` only for a confidential client");
        }
        if allows(GrantType::RefreshToken) && !allows(GrantType::AuthorizationCode) && !allows(GrantType::DeviceCode) {
            add(
                "grant_types",
                "can contain `refresh_token` only with `authorization_code` or \
                  `urn:ietf:params:oauth:grant-type:device_code`",
            );
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
        if is_public && self.keys.is_some() {
            add("jwks", "can be set only for a confidential client, which authenticates with its keys");
        }
        if is_public && !self.require_pkce {
            add("require_pkce", "must be true for a public client, which has no secret");
        }
        errors.finish(Some(()))
    }

    /// Returns whether the client may use the redirect URI.
    pub fn allow(&self, uri: &RedirectUri) -> bool {
        self.grant_types.contain(GrantType::AuthorizationCode) && uri.is_covered_by(&self.redirect_uris)
    }

    /// Returns whether only the client itself receives what is sent to the URI (RFC 8252 §8.6).
    pub fn is_proven_by(&self, uri: &RedirectUri) -> bool {
        uri.is_proof_of(&self.redirect_uris)
    }

    /// Returns the requested scopes that the client may have; `None` if there are none.
    pub fn permitted_scopes(&self, requested: &ScopeSet) -> Option<ScopeSet> {
        let permitted = requested.retain(|scope| self.scopes.has(scope));
        (permitted != ScopeSet::none()).then_some(permitted)
    }
}

fn parse_redirect_uris(texts: &[String], errors: &mut FieldViolations) -> Vec<RedirectUri> {
    RedirectUri::parse_list(texts.iter().map(String::as_str), RedirectUri::parse_of_client, "redirect_uris", errors)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::identity::Scope;

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
        assert!(confidential(ClientInput { redirect_uris: web, require_pkce: Some(true), ..none.clone() }));
        let app = ["cursor://callback".to_owned()];
        let of_app = ClientInput { redirect_uris: Some(&app), ..none.clone() };
        assert!(public(of_app.clone()) && !confidential(of_app), "A server has no scheme.");
        let keys = json!({"keys": [{"kty": "EC", "crv": "P-256", "x": "x", "y": "y"}]});
        let with_keys = ClientInput { redirect_uris: web, jwks: keys.as_object(), ..none };
        assert!(confidential(with_keys.clone()) && !public(with_keys), "A public client does not authenticate.");
    }

    #[test]
    fn invalid_fields_are_reported_by_name() {
        let (uris, types) = (["http://evil.example/".to_owned()], ["implicit".to_owned()]);
        let many = vec!["https://app.example/".to_owned(); 51];
        let (none, no_keys) = (ClientInput::default(), Map::new());
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
            (ClientInput { jwks: Some(&no_keys), ..none.clone() }, "jwks"),
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
}

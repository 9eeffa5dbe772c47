//! Clients that register themselves (RFC 7591): with an API key that may register clients as the initial access token,
//! or without one in a project that the operator opened.

use serde_json::{Map, Value};

use crate::identity::client::clients::Clients;
use crate::identity::{
    ClientChanges, ClientInput, ClientSettings, ClientType, GrantType, ProjectClient, Scope, ScopeSet,
};
use crate::kernel::error::{
    AuthenticationError, Error, ErrorCode, FieldViolations, Forbidden, OAuthError, ResourceKind,
};
use crate::kernel::policy::{LimitedAction, Operation, Permit};
use crate::kernel::{Caller, Label, Request, Secret, check_new_name, visible_part};

/// The way to authenticate with an assertion that the client signs (OpenID Connect IdentityCore §9).
const PRIVATE_KEY_JWT: &str = "private_key_jwt";

/// The metadata of a client that registers itself (RFC 7591 §2). What this service does not use is absent.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "each field is the member of RFC 7591 that it is named after")]
pub struct ClientMetadata {
    pub client_name: Option<String>,
    pub redirect_uris: Vec<String>,
    pub token_endpoint_auth_method: Option<String>,
    pub grant_types: Option<Vec<String>>,
    pub response_types: Option<Vec<String>>,
    pub scope: Option<String>,
    pub jwks: Option<Map<String, Value>>,
    /// Refused: the service would fetch URLs that anyone names.
    pub jwks_uri: Option<String>,
    pub dpop_bound_access_tokens: Option<bool>,
    pub require_pushed_authorization_requests: Option<bool>,
}

impl Clients {
    /// Registers a client in the project of the caller's API key, or of a client that acts on its own behalf. The secret of a
    /// confidential client is returned only here.
    pub async fn register(
        &self,
        caller: &Caller,
        metadata: &ClientMetadata,
    ) -> Result<(ProjectClient, Option<Secret>), Error> {
        let own = caller.identity.only_project().map(|own| own.project.id).ok_or(Forbidden::KeyRequired)?;
        let permit = self.core.access.project(caller, own).await?.permit(Operation::ClientRegister).await?;

        let (client_type, settings) = self.checked_settings(metadata, &GrantType::OF_PEOPLE)?;
        self.insert(permit, own, client_type, settings, false).await
    }

    /// Registers a client in the project that the operator opened for everyone.
    ///
    /// Fails with `Unauthenticated` if there is none.
    pub async fn register_openly(
        &self,
        request: Request,
        metadata: &ClientMetadata,
    ) -> Result<(ProjectClient, Option<Secret>), Error> {
        let open = self.core.settings.open_registration.ok_or(AuthenticationError::NoInitialAccessToken)?;
        let now = self.core.now();
        self.core.action_limiter.take_from(LimitedAction::RegisterFrom, &request, now).await?;
        // Not for devices: anyone could send people the codes of devices in the name of the client.
        let grant_types = [GrantType::AuthorizationCode, GrantType::RefreshToken];
        let (client_type, settings) = self.checked_settings(metadata, &grant_types)?;
        self.core.action_limiter.take(LimitedAction::RegisterIn, &open.to_string(), now).await?;
        let found = self.core.ports.projects.project(open).await?.ok_or(Error::NotFound(ResourceKind::Project))?;
        let permit = Permit::open_registration(request, &found.project);
        self.insert(permit, open, client_type, settings, true).await
    }

    fn checked_settings(
        &self,
        metadata: &ClientMetadata,
        permitted: &[GrantType],
    ) -> Result<(ClientType, ClientSettings), Error> {
        let (client_type, settings) = settings(metadata, permitted)?;
        self.check_keys(&settings).map_err(metadata_error)?;
        Ok((client_type, settings))
    }
}

/// Returns the type and the settings of a client. Grant types and scopes that it may not have are left out (RFC 7591 §2): it
/// reads in the response what it was given. `permitted`: the grant types that it may have.
fn settings(metadata: &ClientMetadata, permitted: &[GrantType]) -> Result<(ClientType, ClientSettings), Error> {
    let invalid = |message: &str| OAuthError::new(ErrorCode::InvalidClientMetadata, message);
    let client_type = match metadata.token_endpoint_auth_method.as_deref() {
        Some("none") => ClientType::Public,
        None | Some("client_secret_basic" | "client_secret_post" | PRIVATE_KEY_JWT) => ClientType::Confidential,
        Some(_) => {
            let message = "`token_endpoint_auth_method` must be `none`, `client_secret_basic`, `client_secret_post` or \
                           `private_key_jwt`.";
            return Err(invalid(message).into());
        }
    };
    let jwks = match (metadata.token_endpoint_auth_method.as_deref(), &metadata.jwks, &metadata.jwks_uri) {
        (Some(PRIVATE_KEY_JWT), Some(jwks), None) => Some(jwks),
        (Some(PRIVATE_KEY_JWT), ..) => {
            return Err(
                invalid("`private_key_jwt` requires the public keys as `jwks`. `jwks_uri` is not supported.").into()
            );
        }
        // A client that does not authenticate with keys has no use for them here.
        _ => None,
    };
    let responds = |types: &Vec<String>| types.iter().all(|one| one == "code");
    if !metadata.response_types.as_ref().is_none_or(responds) {
        return Err(invalid("`response_types` must contain only `code`.").into());
    }
    let default = || vec![GrantType::AuthorizationCode.as_str().to_owned()];
    let mut grant_types = metadata.grant_types.clone().unwrap_or_else(default);
    grant_types.retain(|name| permitted.iter().any(|one| one.as_str() == name));
    // Nobody may be there to correct the name that a program sends.
    let named = metadata.client_name.as_deref().map(visible_part).filter(|name| !name.is_empty());
    let name = Label::parse(named.as_deref().unwrap_or("Unnamed client"))
        .map_err(|error| invalid(&format!("`client_name` {error}.")))?;
    check_new_name("client_name", name.as_str(), None).map_err(metadata_error)?;
    let scopes = metadata.scope.as_deref().map(|scope| {
        let requested = ScopeSet::parse_requested(scope).unwrap_or(ScopeSet::none());
        let permitted = requested.retain(|scope| ScopeSet::for_projects().has(scope));
        // A client that may request nothing would be of no use.
        if permitted == ScopeSet::none() { ScopeSet::parse(Scope::OpenId.as_str()) } else { permitted }
    });

    let input = ClientInput {
        grant_types: Some(&grant_types),
        redirect_uris: Some(&metadata.redirect_uris),
        jwks,
        require_dpop: metadata.dpop_bound_access_tokens,
        require_pushed_requests: metadata.require_pushed_authorization_requests,
        ..ClientInput::default()
    };
    let mut errors = FieldViolations::default();
    let changes = ClientChanges { scopes, ..ClientChanges::parse(&input, &mut errors) };
    let parsed = errors.finish(Some(changes)).and_then(|changes| {
        let settings = ClientSettings::new(client_type, name, changes);
        settings.check(client_type).map(|()| settings)
    });
    Ok((client_type, parsed.map_err(metadata_error)?))
}

/// Returns the first violation as an error of RFC 7591 §3.2.2.
fn metadata_error(error: Error) -> Error {
    let Error::Invalid(violations) = &error else { return error };
    let Some(violation) = violations.as_slice().first() else { return error };
    let is_uri = violation.field.starts_with("redirect_uris");
    let code = if is_uri { ErrorCode::InvalidRedirectUri } else { ErrorCode::InvalidClientMetadata };
    OAuthError::new(code, format_args!("`{}` {}.", violation.field, violation.message)).into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn settings(metadata: &ClientMetadata) -> Result<(ClientType, ClientSettings), Error> {
        super::settings(metadata, &GrantType::OF_PEOPLE)
    }

    fn metadata() -> ClientMetadata {
        ClientMetadata { redirect_uris: vec!["http://127.0.0.1/callback".into()], ..ClientMetadata::default() }
    }

    fn code(metadata: &ClientMetadata) -> Option<ErrorCode> {
        match settings(metadata) {
            Ok(_) => None,
            Err(Error::OAuth(error)) => Some(error.code),
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_client_gets_the_defaults_of_the_standard() {
        let (client_type, client) = settings(&metadata()).unwrap();
        assert_eq!(
            (client_type, client.grant_types.to_string().as_str()),
            (ClientType::Confidential, "authorization_code")
        );
        assert!(client.name.as_str() == "Unnamed client" && client.roles.is_none() && !client.skip_consent);
    }

    #[test]
    fn a_client_is_given_less_than_it_asks_for() {
        let texts = |list: &[&str]| Some(list.iter().map(|text| (*text).to_owned()).collect());
        let greedy = ClientMetadata {
            token_endpoint_auth_method: Some("none".into()),
            grant_types: texts(&["authorization_code", "refresh_token", "client_credentials", "implicit"]),
            scope: Some("openid admin mcp:tools".into()),
            ..metadata()
        };
        let (client_type, client) = settings(&greedy).unwrap();
        assert_eq!(client_type, ClientType::Public);
        assert_eq!(client.grant_types.to_string(), "authorization_code refresh_token");
        assert!(client.scopes.has(Scope::OpenId) && !client.scopes.has(Scope::Admin) && client.require_pkce);
        for none_left in ["mcp:tools", "admin", ""] {
            let (_, client) = settings(&ClientMetadata { scope: Some(none_left.into()), ..metadata() }).unwrap();
            assert_eq!(client.scopes.to_string(), "openid", "{none_left}");
        }
    }

    #[test]
    fn a_client_that_authenticates_with_keys_registers_them() {
        let keys = json!({"keys": [{"kty": "EC", "crv": "P-256", "x": "x", "y": "y"}]});
        let with_keys = ClientMetadata {
            token_endpoint_auth_method: Some(PRIVATE_KEY_JWT.into()),
            jwks: keys.as_object().cloned(),
            dpop_bound_access_tokens: Some(true),
            require_pushed_authorization_requests: Some(true),
            ..metadata()
        };
        let (client_type, client) = settings(&with_keys).unwrap();
        assert!(client_type == ClientType::Confidential && client.keys.is_some());
        assert!(client.require_dpop && client.require_pushed_requests);
        let invalid = Some(ErrorCode::InvalidClientMetadata);
        assert_eq!(code(&ClientMetadata { jwks: None, ..with_keys.clone() }), invalid);
        assert_eq!(code(&ClientMetadata { jwks: Some(Map::new()), ..with_keys.clone() }), invalid);
        let uri = Some("https://app.example/keys".to_owned());
        assert_eq!(code(&ClientMetadata { jwks: None, jwks_uri: uri.clone(), ..with_keys.clone() }), invalid);
        assert_eq!(code(&ClientMetadata { jwks_uri: uri, ..with_keys.clone() }), invalid);
        let other = ClientMetadata { token_endpoint_auth_method: None, ..with_keys };
        assert!(settings(&other).unwrap().1.keys.is_none());
    }

    #[test]
    fn invalid_metadata_has_the_codes_of_the_standard() {
        let (uri, other) = (Some(ErrorCode::InvalidRedirectUri), Some(ErrorCode::InvalidClientMetadata));
        assert_eq!(code(&ClientMetadata { redirect_uris: Vec::new(), ..metadata() }), uri);
        assert_eq!(code(&ClientMetadata { redirect_uris: vec!["http://evil.example/".into()], ..metadata() }), uri);
        let methods = ["client_secret_jwt", "tls_client_auth", ""].map(str::to_owned);
        for method in methods {
            assert_eq!(code(&ClientMetadata { token_endpoint_auth_method: Some(method), ..metadata() }), other);
        }
        assert_eq!(code(&ClientMetadata { response_types: Some(vec!["token".into()]), ..metadata() }), other);
        assert_eq!(code(&ClientMetadata { grant_types: Some(vec!["client_credentials".into()]), ..metadata() }), other);
        for name in ["x".repeat(101), "Steward command line".to_owned(), "Stew\u{200b}ard".to_owned()] {
            assert_eq!(code(&ClientMetadata { client_name: Some(name), ..metadata() }), other);
        }
    }

    #[test]
    fn a_name_loses_characters_that_people_cannot_see() {
        let names =
            [("Cur\u{200b}sor\u{202e} ", "Cursor"), ("\u{3164}", "Unnamed client"), ("👨\u{200d}👩", "👨\u{200d}👩")];
        for (sent, kept) in names {
            let (_, client) = settings(&ClientMetadata { client_name: Some(sent.into()), ..metadata() }).unwrap();
            assert_eq!(client.name.as_str(), kept);
        }
    }
}

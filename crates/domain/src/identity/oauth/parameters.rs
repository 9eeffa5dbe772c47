//! Authorization requests (RFC 6749 §4.1, RFC 7636, OpenID Connect Core §3.1).

use std::collections::BTreeSet;
use std::fmt;

use chrono::TimeDelta;

use crate::identity::client::keys::is_sha256;
use crate::identity::{AssuranceLevel, ClientId, DeviceAuthorization, KeyThumbprint, ResponseMode, Scope, ScopeSet};
use crate::kernel::as_text;
use crate::kernel::error::{ErrorCode, OAuthError};

/// The time that a person has to sign in, and that a client has to redeem its code
/// (docs/contract.md#authorization-endpoint).
pub const AUTHORIZATION_TTL: TimeDelta = TimeDelta::minutes(10);

/// The scope of a request that names none (RFC 6749 §3.3): who the person is. Programs that use MCP may not know any.
const DEFAULT_SCOPE: &str = Scope::OpenId.as_str();

/// The maximum length of `state`, in bytes.
pub const MAX_STATE_BYTES: usize = 2048;
/// The maximum length of `nonce`, in bytes.
pub const MAX_NONCE_BYTES: usize = 512;
/// The maximum length of `login_hint` and of `acr_values`, in bytes.
pub const MAX_HINT_BYTES: usize = 320;

/// The parameters of a request. Parameters must not be repeated (RFC 6749 §3.1).
#[derive(Clone)]
pub struct Parameters(Vec<(String, String)>);

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values may contain codes and tokens.
        f.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

impl Parameters {
    /// Creates the list from the received parameters. Empty parameters count as absent (RFC 6749 §3.1).
    pub fn new(mut pairs: Vec<(String, String)>) -> Self {
        pairs.retain(|(_, value)| !value.is_empty());
        Self(pairs)
    }

    /// Returns the value of a parameter, or `None` if it is absent. Fails if the parameter is repeated.
    pub fn one(&self, name: &str) -> Result<Option<&str>, OAuthError> {
        let mut values = self.0.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            (_, Some(_)) => Err(OAuthError::request(format_args!("The `{name}` parameter must not be repeated."))),
        }
    }

    /// Returns the value of a required parameter. Fails if the parameter is absent or repeated.
    pub fn required(&self, name: &str) -> Result<&str, OAuthError> {
        self.one(name)?.ok_or_else(|| OAuthError::request(format_args!("The `{name}` parameter is missing.")))
    }

    /// Returns the value of a parameter, or `None` if it is absent. Fails if the value is longer than `max_bytes`.
    fn bounded(&self, name: &str, max_bytes: usize) -> Result<Option<&str>, OAuthError> {
        match self.one(name)? {
            Some(value) if value.len() > max_bytes => {
                Err(OAuthError::request(format_args!("The `{name}` parameter must be at most {max_bytes} bytes.")))
            }
            // Control characters (RFC 6749 appendix A.5) and invalid UTF-8 are not allowed.
            Some(value) if value.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER) => {
                Err(OAuthError::request(format_args!(
                    "The `{name}` parameter must be UTF-8 text without control characters."
                )))
            }
            value => Ok(value),
        }
    }

    /// Returns the mode of the response, even if other parameters are invalid.
    pub fn response_mode(&self) -> ResponseMode {
        self.one("response_mode").ok().flatten().and_then(ResponseMode::parse).unwrap_or_default()
    }

    /// Returns the `state` for the response, even if other parameters are invalid.
    pub fn state(&self) -> Option<&str> {
        self.bounded("state", MAX_STATE_BYTES).ok().flatten()
    }

    fn reject_repeated(&self) -> Result<(), OAuthError> {
        let mut seen = BTreeSet::new();
        match self.0.iter().find(|(name, _)| !seen.insert(name)) {
            None => Ok(()),
            // See `AuthorizationParameters::parse`.
            Some((name, _)) if name.contains("code") => Err(OAuthError::request("A parameter must not be repeated.")),
            Some((name, _)) => {
                Err(OAuthError::request(format_args!("The `{name:.64}` parameter must not be repeated.")))
            }
        }
    }
}

/// A code challenge with method S256: SHA-256 of the verifier in base64url (RFC 7636 §4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeChallenge(String);

as_text!(CodeChallenge);

impl CodeChallenge {
    /// Parses a challenge. Returns `None` if the text does not have the required format.
    pub fn parse(text: &str) -> Option<Self> {
        is_sha256(text).then(|| Self(text.to_owned()))
    }

    /// Returns whether the text has the format of a verifier (RFC 7636 §4.1).
    pub fn is_verifier(text: &str) -> bool {
        (43..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
    }
}

/// The `prompt` parameter (OpenID Connect Core §3.1.2.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Prompt {
    /// No page may be shown.
    pub none: bool,
    /// Ask for the password even if there is a session.
    pub login: bool,
    /// Ask for consent even if there is a grant.
    pub consent: bool,
    /// Ask the person to create an account.
    pub create: bool,
}

impl Prompt {
    /// Parses the parameter. Returns `None` if it has an unknown value, or combines `none` with another value.
    pub fn parse(text: &str) -> Option<Self> {
        let mut prompt = Self::default();
        for word in text.split(' ').filter(|word| !word.is_empty()) {
            match word {
                "none" => prompt.none = true,
                "login" | "select_account" => prompt.login = true,
                "consent" => prompt.consent = true,
                "create" => prompt.create = true,
                _ => return None,
            }
        }
        let asks_nothing = !(prompt.login || prompt.consent || prompt.create);
        (!prompt.none || asks_nothing).then_some(prompt)
    }

    /// Returns the values in the format in which they are stored.
    pub fn words(self) -> String {
        let words = [(self.none, "none"), (self.login, "login"), (self.consent, "consent"), (self.create, "create")];
        words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    }
}

/// The parameters of an authorization request whose client and redirect URI are valid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuthorizationParameters {
    /// The requested scopes.
    pub scopes: ScopeSet,
    /// The `state`, which is returned unchanged in the response. Only optional with a code challenge.
    pub state: Option<String>,
    /// The `nonce`, which is returned in the ID token.
    pub nonce: Option<String>,
    /// How the client receives the response.
    pub response_mode: ResponseMode,
    /// The code challenge that the verifier must match.
    pub challenge: Option<CodeChallenge>,
    /// The key to which the code is bound (`dpop_jkt`, RFC 9449 §10).
    pub bound_to: Option<KeyThumbprint>,
    /// The `prompt` parameter.
    pub prompt: Prompt,
    /// The login to suggest to the person.
    pub login_hint: Option<String>,
    /// The maximum time since the person signed in, in seconds.
    pub max_age: Option<i64>,
    /// The assurance that the client asks for (`acr_values`). It is voluntary: an account without a second factor does
    /// not have to set one up (OpenID Connect Core §5.5.1.1).
    pub level: Option<AssuranceLevel>,
    /// The languages that the person prefers, as tags in the order of preference (`ui_locales`).
    pub ui_locales: Option<String>,
}

impl AuthorizationParameters {
    /// Parses all parameters except client and redirect URI. `pkce`: whether a code challenge is required.
    ///
    /// The errors are returned to the client in the redirect. Their descriptions must not contain the word `code`: some
    /// SDKs search the address for it, and would redeem the error.
    pub fn parse(parameters: &Parameters, client: &ClientId, pkce: bool) -> Result<Self, OAuthError> {
        parameters.reject_repeated()?;
        let unsupported = [
            ("request", ErrorCode::RequestNotSupported),
            ("request_uri", ErrorCode::RequestUriNotSupported),
            ("registration", ErrorCode::RegistrationNotSupported),
        ];
        for (name, code) in unsupported {
            if parameters.one(name)?.is_some() {
                return Err(OAuthError::new(code, format_args!("The `{name}` parameter is not supported.")));
            }
        }
        if parameters.required("response_type")? != "code" {
            return Err(OAuthError::new(
                ErrorCode::UnsupportedResponseType,
                "The `response_type` is not supported. See `response_types_supported` in the provider metadata.",
            ));
        }
        let response_mode = parameters.one("response_mode")?.map_or(Some(ResponseMode::default()), ResponseMode::parse);
        let response_mode = response_mode.ok_or_else(|| {
            OAuthError::request("The `response_mode` parameter must be `query`, `fragment` or `form_post`.")
        })?;
        let max_age = parameters.one("max_age")?.map(parse_age).transpose()?;
        let challenge = challenge(parameters, pkce)?;
        let state = parameters.bounded("state", MAX_STATE_BYTES)?;
        // PKCE protects against forged responses as `state` does (RFC 9700 §4.7.1).
        if state.is_none() && challenge.is_none() {
            return Err(OAuthError::request("The `state` parameter is missing. It is required without PKCE."));
        }
        let prompt = parameters.one("prompt")?.map_or(Some(Prompt::default()), Prompt::parse);
        Ok(Self {
            state: state.map(str::to_owned),
            scopes: scopes(parameters.one("scope")?.unwrap_or(DEFAULT_SCOPE), client)?,
            response_mode,
            nonce: parameters.bounded("nonce", MAX_NONCE_BYTES)?.map(str::to_owned),
            challenge,
            bound_to: parameters.one("dpop_jkt")?.map(thumbprint).transpose()?,
            prompt: prompt.ok_or_else(|| {
                OAuthError::request(
                    "The `prompt` parameter must be `none`, or one or more of `login`, `consent`, `select_account` and \
                     `create`.",
                )
            })?,
            login_hint: parameters.bounded("login_hint", MAX_HINT_BYTES)?.map(str::to_owned),
            max_age,
            level: parameters.bounded("acr_values", MAX_HINT_BYTES)?.and_then(AssuranceLevel::lowest_of),
            // Values that are not supported are no errors (OpenID Connect Core §3.1.2.1).
            ui_locales: parameters.one("ui_locales")?.filter(|tags| are_tags(tags)).map(str::to_owned),
        })
    }
}

impl From<&DeviceAuthorization> for AuthorizationParameters {
    fn from(device: &DeviceAuthorization) -> Self {
        Self { scopes: device.scopes.clone(), max_age: device.max_age, ..Self::default() }
    }
}

/// Returns whether a text has the format of language tags (RFC 5646) with spaces between them.
fn are_tags(text: &str) -> bool {
    text.len() <= MAX_HINT_BYTES && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b' ')
}

/// Returns the scopes and the maximum age of the sign-in that a device requests (RFC 8628 §3.1). Without scopes, it learns
/// who the person is.
pub(crate) fn requested_by_device(
    parameters: &Parameters,
    client: &ClientId,
) -> Result<(ScopeSet, Option<i64>), OAuthError> {
    let requested = scopes(parameters.one("scope")?.unwrap_or(DEFAULT_SCOPE), client)?;
    Ok((requested, parameters.one("max_age")?.map(parse_age).transpose()?))
}

fn parse_age(text: &str) -> Result<i64, OAuthError> {
    let digits = text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    let age = text.parse().ok().filter(|_| digits);
    age.ok_or_else(|| OAuthError::request("The `max_age` parameter must be a number of seconds."))
}

fn thumbprint(text: &str) -> Result<KeyThumbprint, OAuthError> {
    KeyThumbprint::parse(text).ok_or_else(|| {
        OAuthError::request(
            "The `dpop_jkt` parameter must be the SHA-256 thumbprint of a key in base64url: 43 characters.",
        )
    })
}

fn scopes(text: &str, client: &ClientId) -> Result<ScopeSet, OAuthError> {
    let scopes = ScopeSet::parse_requested(text).ok_or_else(|| {
        let known = ScopeSet::known();
        OAuthError::new(
            ErrorCode::InvalidScope,
            format_args!("None of the requested scopes is valid. Valid scopes are: {known}."),
        )
    })?;
    if scopes.has(Scope::Admin) && client.project().is_some() {
        return Err(OAuthError::new(
            ErrorCode::InvalidScope,
            "The `admin` scope is reserved for first-party clients of this service.",
        ));
    }
    Ok(scopes)
}

fn challenge(parameters: &Parameters, required: bool) -> Result<Option<CodeChallenge>, OAuthError> {
    match (parameters.one("code_challenge")?, parameters.one("code_challenge_method")?) {
        (Some(text), Some("S256")) => CodeChallenge::parse(text).map(Some).ok_or_else(|| {
            OAuthError::request("The PKCE challenge must be the SHA-256 of the verifier in base64url: 43 characters.")
        }),
        // RFC 7636 §4.3 defaults to plain if the method is absent. Plain gives no protection.
        (Some(_), _) => Err(OAuthError::request("The PKCE method must be `S256`.")),
        (None, Some(_)) => Err(OAuthError::request("The PKCE challenge is missing.")),
        (None, None) if required => Err(OAuthError::request(
            "PKCE is required: send a challenge with the method `S256`. A program that cannot needs a confidential client, or \
                 `require_pkce` turned off in the settings of its project or client.",
        )),
        (None, None) => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::ServiceAddress;

    fn parse(changes: &[(&str, &str)], pkce: bool) -> Result<AuthorizationParameters, OAuthError> {
        let mut pairs = vec![
            ("response_type", "code"),
            ("scope", "openid"),
            ("state", "s"),
            ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"),
            ("code_challenge_method", "S256"),
        ];
        for (name, value) in changes {
            let known = pairs.iter().position(|(other, _)| other == name && !value.starts_with("+"));
            match known {
                Some(index) => pairs[index].1 = value,
                None => pairs.push((name, value.trim_start_matches('+'))),
            }
        }
        let pairs = pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let address = ServiceAddress::parse("http://localhost").unwrap();
        let client = ClientId::parse("01940000-0000-7000-8000-00000000abcd", &address).unwrap();
        AuthorizationParameters::parse(&Parameters::new(pairs), &client, pkce)
    }

    #[test]
    fn each_invalid_authorization_request_gets_its_error_code() {
        let long = "x".repeat(MAX_STATE_BYTES + 1);
        let challenge = "code_challenge";
        let cases: &[(&[(&str, &str)], ErrorCode)] = &[
            (&[("response_type", "token")], ErrorCode::UnsupportedResponseType),
            (&[("response_type", "")], ErrorCode::InvalidRequest),
            (&[("response_mode", "web_message")], ErrorCode::InvalidRequest),
            (&[("scope", "address phone")], ErrorCode::InvalidScope),
            (&[("scope", "openid admin")], ErrorCode::InvalidScope),
            (&[("state", &long)], ErrorCode::InvalidRequest),
            (&[("state", "+again")], ErrorCode::InvalidRequest),
            (&[("unknown", "1"), ("unknown", "+2")], ErrorCode::InvalidRequest),
            (&[(challenge, "+again")], ErrorCode::InvalidRequest),
            (&[("code_challenge_method", "plain")], ErrorCode::InvalidRequest),
            (&[("code_challenge_method", "")], ErrorCode::InvalidRequest),
            (&[(challenge, "")], ErrorCode::InvalidRequest),
            (&[(challenge, ""), ("code_challenge_method", "")], ErrorCode::InvalidRequest),
            (&[(challenge, "short")], ErrorCode::InvalidRequest),
            (&[("prompt", "none login")], ErrorCode::InvalidRequest),
            (&[("prompt", "sing")], ErrorCode::InvalidRequest),
            (&[("max_age", "-1")], ErrorCode::InvalidRequest),
            (&[("max_age", "9999999999")], ErrorCode::InvalidRequest),
            (&[("nonce", &long)], ErrorCode::InvalidRequest),
            (&[("dpop_jkt", "short")], ErrorCode::InvalidRequest),
            (&[("nonce", "a\0b")], ErrorCode::InvalidRequest),
            (&[("state", "a\r\nb")], ErrorCode::InvalidRequest),
            (&[("login_hint", "\u{fffd}")], ErrorCode::InvalidRequest),
            (&[("request", "x")], ErrorCode::RequestNotSupported),
            (&[("request_uri", "x")], ErrorCode::RequestUriNotSupported),
            (&[("registration", "x")], ErrorCode::RegistrationNotSupported),
        ];
        for (changes, code) in cases {
            let error = parse(changes, true).unwrap_err();
            assert_eq!(error.code, *code, "{changes:?}");
            assert!(!error.description.contains("code"), "An SDK would redeem this error: {error}");
        }
        let valid = [("prompt", "login consent"), ("max_age", "60"), ("nonce", "n"), ("x", "y")];
        let valid = parse(&valid, true).unwrap();
        assert!(valid.prompt.login && valid.prompt.consent && valid.max_age == Some(60));
    }

    #[test]
    fn a_state_is_required_without_a_code_challenge() {
        let without_challenge = [("code_challenge", ""), ("code_challenge_method", "")];
        let without_both = [without_challenge[0], without_challenge[1], ("state", "")];
        assert_eq!(parse(&[("state", "")], true).unwrap().state, None);
        assert_eq!(parse(&without_challenge, false).unwrap().state.as_deref(), Some("s"));
        let missing = parse(&without_both, false).unwrap_err();
        assert!(missing.code == ErrorCode::InvalidRequest && missing.description.contains("`state`"), "{missing}");
        let required = parse(&without_both, true).unwrap_err();
        assert!(required.description.starts_with("PKCE is required"), "{required}");
    }

    #[test]
    fn unknown_scopes_of_a_request_are_ignored() {
        let request = parse(&[("scope", "openid address phone")], true).unwrap();
        assert_eq!(request.scopes, ScopeSet::parse("openid"));
    }

    #[test]
    fn a_stored_prompt_can_be_parsed() {
        for text in ["", "none", "login", "login consent", "create"] {
            assert_eq!(Prompt::parse(text).unwrap().words(), text);
        }
    }
}

//! Authorization requests and the codes that answer them (RFC 6749 §4.1, RFC 7636, OpenID Connect Core §3.1).

use std::collections::BTreeSet;
use std::fmt;

use chrono::TimeDelta;

use crate::error::{ErrorCode, OAuthError};

use super::{
    AccountId, AuthorizationRequestId, ClientId, InvalidScope, RedirectUri, Revision, Scope, ScopeSet, Time,
    TokenDigest, TokenFamilyId,
};

/// How long a person may take to sign in, and a client to redeem its code (contract 3).
pub const AUTHORIZATION_TTL: TimeDelta = TimeDelta::minutes(10);

/// The longest `state`, `nonce` and `login_hint`, in bytes.
const MAX_STATE_BYTES: usize = 2048;
const MAX_NONCE_BYTES: usize = 512;
const MAX_HINT_BYTES: usize = 320;

/// The parameters of a request, in which nothing may stand twice (RFC 6749 §3.1).
#[derive(Clone)]
pub struct Parameters(Vec<(String, String)>);

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The values may be codes and tokens.
        f.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

impl Parameters {
    /// Takes the parameters as they came. Empty ones count as absent (RFC 6749 §3.1).
    pub fn new(mut pairs: Vec<(String, String)>) -> Self {
        pairs.retain(|(_, value)| !value.is_empty());
        Self(pairs)
    }

    /// The one value of a parameter, if it is there.
    pub fn one(&self, name: &str) -> Result<Option<&str>, OAuthError> {
        let mut values = self.0.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            (_, Some(_)) => Err(OAuthError::request(format_args!("{name} must not be repeated"))),
        }
    }

    /// The one value of a parameter that must be there.
    pub fn required(&self, name: &str) -> Result<&str, OAuthError> {
        self.one(name)?.ok_or_else(|| OAuthError::request(format_args!("{name} is missing")))
    }

    /// The one value of a parameter of bounded length.
    fn bounded(&self, name: &str, longest: usize) -> Result<Option<&str>, OAuthError> {
        match self.one(name)? {
            Some(value) if value.len() > longest => {
                Err(OAuthError::request(format_args!("{name} is longer than {longest} bytes")))
            }
            // Control characters have no place there (RFC 6749 appendix A.5), nor has what was no UTF-8.
            Some(value) if value.contains(|c: char| c.is_control() || c == char::REPLACEMENT_CHARACTER) => {
                Err(OAuthError::request(format_args!("{name} holds a control character, or is no UTF-8")))
            }
            value => Ok(value),
        }
    }

    /// The `state` to answer with, also where the rest has violations.
    pub fn state(&self) -> Option<&str> {
        self.bounded("state", MAX_STATE_BYTES).ok().flatten()
    }

    fn no_repetition(&self) -> Result<(), OAuthError> {
        let mut seen = BTreeSet::new();
        match self.0.iter().find(|(name, _)| !seen.insert(name)) {
            None => Ok(()),
            Some((name, _)) => Err(OAuthError::request(format_args!("{name:.64} must not be repeated"))),
        }
    }
}

/// A code challenge of method S256: SHA-256 of the verifier in base64url (RFC 7636 §4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeChallenge(String);

impl CodeChallenge {
    /// Checks the form.
    pub fn parse(text: &str) -> Option<Self> {
        let fits = text.len() == 43 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        fits.then(|| Self(text.to_owned()))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a verifier may be hashed at all (RFC 7636 §4.1).
    pub fn is_verifier(text: &str) -> bool {
        (43..=128).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
    }
}

/// What a client wants of the person (OpenID Connect Core §3.1.2.1).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Prompt {
    /// Nothing may be shown.
    pub none: bool,
    /// The password is asked for again, also where a session exists.
    pub login: bool,
    /// Consent is asked for again, also where a grant exists.
    pub consent: bool,
    /// A new account is to be made.
    pub create: bool,
}

impl Prompt {
    /// Reads the parameter.
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
        let alone = !(prompt.login || prompt.consent || prompt.create);
        (!prompt.none || alone).then_some(prompt)
    }

    /// The words, as they are stored.
    pub fn words(self) -> String {
        let words = [(self.none, "none"), (self.login, "login"), (self.consent, "consent"), (self.create, "create")];
        words.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect::<Vec<_>>().join(" ")
    }
}

/// What a client asks for, once client and redirect address are known to be good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationParameters {
    /// What its tokens shall allow.
    pub scopes: ScopeSet,
    /// Comes back with the answer, as it was sent.
    pub state: String,
    /// Comes back in the id token.
    pub nonce: Option<String>,
    /// What the verifier must hash to.
    pub challenge: Option<CodeChallenge>,
    /// What is wanted of the person.
    pub prompt: Prompt,
    /// The login to offer.
    pub login_hint: Option<String>,
    /// How long ago the person may have signed in, in seconds.
    pub max_age: Option<i64>,
}

impl AuthorizationParameters {
    /// Reads the parameters beside client and redirect address. `pkce`: whether a challenge must be there.
    pub fn parse(parameters: &Parameters, client: &ClientId, pkce: bool) -> Result<Self, OAuthError> {
        parameters.no_repetition()?;
        let unsupported = [
            ("request", ErrorCode::RequestNotSupported),
            ("request_uri", ErrorCode::RequestUriNotSupported),
            ("registration", ErrorCode::RegistrationNotSupported),
        ];
        for (name, code) in unsupported {
            if parameters.one(name)?.is_some() {
                return Err(OAuthError::new(code, format_args!("{name} is not supported")));
            }
        }
        if parameters.required("response_type")? != "code" {
            return Err(OAuthError::new(ErrorCode::UnsupportedResponseType, "response_type must be code"));
        }
        if parameters.one("response_mode")?.is_some_and(|mode| mode != "query") {
            return Err(OAuthError::request("response_mode must be query"));
        }
        let max_age = parameters.one("max_age")?.map(parse_age).transpose()?;
        let prompt = parameters.one("prompt")?.map_or(Some(Prompt::default()), Prompt::parse);
        Ok(Self {
            state: parameters
                .bounded("state", MAX_STATE_BYTES)?
                .ok_or_else(|| OAuthError::request("state is missing"))?
                .to_owned(),
            scopes: scopes(parameters.required("scope")?, client)?,
            nonce: parameters.bounded("nonce", MAX_NONCE_BYTES)?.map(str::to_owned),
            challenge: challenge(parameters, pkce)?,
            prompt: prompt.ok_or_else(|| {
                OAuthError::request("prompt must be none, or some of login, consent, select_account, create")
            })?,
            login_hint: parameters.bounded("login_hint", MAX_HINT_BYTES)?.map(str::to_owned),
            max_age,
        })
    }
}

fn parse_age(text: &str) -> Result<i64, OAuthError> {
    let digits = text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    let age = text.parse().ok().filter(|_| digits);
    age.ok_or_else(|| OAuthError::request("max_age must be a number of seconds"))
}

fn scopes(text: &str, client: &ClientId) -> Result<ScopeSet, OAuthError> {
    let violation = |InvalidScope(name)| {
        OAuthError::new(
            ErrorCode::InvalidScope,
            format_args!("\"{name}\" is no scope; known are {}", ScopeSet::known()),
        )
    };
    let scopes = ScopeSet::parse_wanted(text).map_err(violation)?;
    if scopes.has(Scope::Admin) && client.project().is_some() {
        return Err(OAuthError::new(ErrorCode::InvalidScope, "admin is for this service's own client only"));
    }
    Ok(scopes)
}

fn challenge(parameters: &Parameters, required: bool) -> Result<Option<CodeChallenge>, OAuthError> {
    match (parameters.one("code_challenge")?, parameters.one("code_challenge_method")?) {
        (Some(text), Some("S256")) => CodeChallenge::parse(text).map(Some).ok_or_else(|| {
            OAuthError::request("code_challenge must be SHA-256 of the verifier in base64url: 43 characters")
        }),
        // Without a method RFC 7636 §4.3 means plain, which protects nothing.
        (Some(_), _) => Err(OAuthError::request("code_challenge_method must be S256")),
        (None, Some(_)) => Err(OAuthError::request("code_challenge is missing")),
        (None, None) if required => Err(OAuthError::request("code_challenge is missing: this client must use PKCE")),
        (None, None) => Ok(None),
    }
}

/// A request that waits for a person to sign in and consent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRequest {
    /// Its id.
    pub id: AuthorizationRequestId,
    /// What is kept of the one-time id that the browser carries.
    pub digest: TokenDigest,
    /// Who asks.
    pub client: ClientId,
    /// Where the answer goes.
    pub redirect_uri: RedirectUri,
    /// What is asked for.
    pub parameters: AuthorizationParameters,
    /// When it came.
    pub created_at: Time,
    /// Until when it can be answered.
    pub expires_at: Time,
    /// For compare-and-set.
    pub revision: Revision,
}

impl AuthorizationRequest {
    /// Whether somebody who signed in at that moment need not do so again.
    pub fn accepts(&self, authenticated_at: Time, now: Time) -> bool {
        let fresh = self.parameters.max_age.is_none_or(|age| now - authenticated_at <= TimeDelta::seconds(age));
        // Whoever signed in since the request came has done what `prompt=login` and `max_age=0` want.
        authenticated_at >= self.created_at || fresh && !self.parameters.prompt.login && !self.parameters.prompt.create
    }
}

/// An authorization code, and everything that its tokens will say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationCode {
    /// The family of the tokens that it gives: what reuse of the code revokes.
    pub family_id: TokenFamilyId,
    /// What is kept of the code.
    pub digest: TokenDigest,
    /// Who consented.
    pub account_id: AccountId,
    /// Who may redeem it.
    pub client: ClientId,
    /// The address that it was sent to.
    pub redirect_uri: RedirectUri,
    /// What its tokens allow.
    pub scopes: ScopeSet,
    /// For the id token.
    pub nonce: Option<String>,
    /// What the verifier must hash to.
    pub challenge: Option<CodeChallenge>,
    /// When the person signed in.
    pub authenticated_at: Time,
    /// When the password that they signed in with was set.
    pub password_set_at: Time,
    /// When it was given.
    pub created_at: Time,
    /// Until when it can be redeemed.
    pub expires_at: Time,
    /// When it was redeemed.
    pub redeemed_at: Option<Time>,
    /// For compare-and-set.
    pub revision: Revision,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ServiceAddress;

    fn parse(changes: &[(&str, &str)]) -> Result<AuthorizationParameters, ErrorCode> {
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
                Some(place) => pairs[place].1 = value,
                None => pairs.push((name, value.trim_start_matches('+'))),
            }
        }
        let pairs = pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let address = ServiceAddress::parse("http://localhost").unwrap();
        let client = ClientId::parse("01940000-0000-7000-8000-00000000abcd", &address).unwrap();
        AuthorizationParameters::parse(&Parameters::new(pairs), &client, true).map_err(|violation| violation.code)
    }

    #[test]
    fn each_fault_of_a_request_has_its_code() {
        let long = "x".repeat(MAX_STATE_BYTES + 1);
        let challenge = "code_challenge";
        let cases: &[(&[(&str, &str)], ErrorCode)] = &[
            (&[("response_type", "token")], ErrorCode::UnsupportedResponseType),
            (&[("response_type", "")], ErrorCode::InvalidRequest),
            (&[("response_mode", "fragment")], ErrorCode::InvalidRequest),
            (&[("scope", "openid root")], ErrorCode::InvalidScope),
            (&[("scope", "openid admin")], ErrorCode::InvalidScope),
            (&[("scope", "")], ErrorCode::InvalidRequest),
            (&[("state", "")], ErrorCode::InvalidRequest),
            (&[("state", &long)], ErrorCode::InvalidRequest),
            (&[("state", "+again")], ErrorCode::InvalidRequest),
            (&[("unknown", "1"), ("unknown", "+2")], ErrorCode::InvalidRequest),
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
            (&[("nonce", "a\0b")], ErrorCode::InvalidRequest),
            (&[("state", "a\r\nb")], ErrorCode::InvalidRequest),
            (&[("login_hint", "\u{fffd}")], ErrorCode::InvalidRequest),
            (&[("request", "x")], ErrorCode::RequestNotSupported),
            (&[("request_uri", "x")], ErrorCode::RequestUriNotSupported),
            (&[("registration", "x")], ErrorCode::RegistrationNotSupported),
        ];
        for (changes, code) in cases {
            assert_eq!(parse(changes).unwrap_err(), *code, "{changes:?}");
        }
        let good = parse(&[("prompt", "login consent"), ("max_age", "60"), ("nonce", "n"), ("x", "y")]).unwrap();
        assert!(good.prompt.login && good.prompt.consent && good.max_age == Some(60));
    }

    #[test]
    fn a_prompt_comes_back_as_it_was() {
        for text in ["", "none", "login", "login consent", "create"] {
            assert_eq!(Prompt::parse(text).unwrap().words(), text);
        }
    }
}

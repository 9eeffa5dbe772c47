//! The claims of a provider about a person who signed in (OpenID Connect Core §2 and §5.1). Only those that are used
//! are read, because providers send others in formats of their own.

use std::time::Duration;

use chrono::{DateTime, TimeDelta};
use serde::Deserialize;
use serde_json::Value;
use steward_domain::identity::{IdentityProvider, ProviderError, ProviderKind};
use steward_domain::kernel::Time;

/// How far the clocks of a provider and of this service may differ.
const TOLERANCE: TimeDelta = TimeDelta::minutes(1);

/// The claims that are used, as the provider sends them. Those that are null are absent.
#[derive(Debug, Deserialize)]
pub(super) struct Claims {
    /// Required in an ID token only.
    pub(super) iss: Option<Value>,
    sub: Option<Value>,
    /// Required in an ID token only.
    pub(super) aud: Option<Value>,
    azp: Option<Value>,
    exp: Option<Value>,
    nonce: Option<Value>,
    auth_time: Option<Value>,
    at_hash: Option<Value>,
    email: Option<Value>,
    email_verified: Option<Value>,
    name: Option<Value>,
}

impl Claims {
    /// Parses a JSON object.
    pub(super) fn parse(json: &[u8]) -> Result<Self, ProviderError> {
        serde_json::from_slice(json)
            .map_err(|_| ProviderError::Invalid("the claims are not a JSON object, or one is there twice".to_owned()))
    }

    /// Checks that the claims are those of this provider. Google also names itself without the scheme
    /// (<https://developers.google.com/identity/openid-connect/openid-connect#an-id-tokens-payload>).
    pub(super) fn check_issuer(&self, provider: &IdentityProvider) -> Result<(), ProviderError> {
        let (found, expected) = (text("iss", self.iss.as_ref())?, provider.issuer.as_str());
        let is_google = provider.kind == ProviderKind::Google || ProviderKind::Google.shared_issuer() == Some(expected);
        let is_short = || is_google && expected.split_once("://").is_some_and(|(_, rest)| rest == found);
        if found == expected || is_short() {
            return Ok(());
        }
        Err(refused("iss", format!("must be {expected}, and is {found}")))
    }

    /// Checks that the claims are for this client. If they are for others, too, or name the party that requested them, this
    /// has to be the client (OpenID Connect Core §3.1.3.7, 3 to 5).
    pub(super) fn check_audience(&self, provider: &IdentityProvider) -> Result<(), ProviderError> {
        let client = provider.client_id.as_str();
        let audiences = match &self.aud {
            Some(Value::Array(audiences)) => audiences.as_slice(),
            Some(audience) => std::slice::from_ref(audience),
            None => return Err(refused("aud", "is missing")),
        };
        if !audiences.iter().any(|one| one.as_str() == Some(client)) {
            return Err(refused("aud", format!("must contain the client ID {client}, and is {}", shown(audiences))));
        }
        let has_others = audiences.iter().any(|one| one.as_str() != Some(client));
        match &self.azp {
            Some(party) if party.as_str() == Some(client) => Ok(()),
            Some(party) => Err(refused("azp", format!("must be the client ID {client}, and is {party}"))),
            None if has_others => {
                let others = shown(audiences);
                Err(refused("azp", format!("is missing, although `aud` contains more than the client ID: {others}")))
            }
            None => Ok(()),
        }
    }

    /// Checks that the claims have not expired.
    pub(super) fn check_expiry(&self, now: Time) -> Result<(), ProviderError> {
        let expires_at = time("exp", self.exp.as_ref().ok_or_else(|| refused("exp", "is missing"))?)?;
        if now - TOLERANCE < expires_at { Ok(()) } else { Err(refused("exp", format!("was {expires_at}"))) }
    }

    /// Checks that the claims are those of this sign-in.
    pub(super) fn check_nonce(&self, nonce: &str) -> Result<(), ProviderError> {
        let is_own = text("nonce", self.nonce.as_ref())? == nonce;
        if is_own { Ok(()) } else { Err(refused("nonce", "is that of another sign-in")) }
    }

    /// Checks that the person authenticated after this time. Not all providers say when.
    pub(super) fn check_authenticated(&self, after: Option<Time>) -> Result<(), ProviderError> {
        let (Some(after), Some(at)) = (after, &self.auth_time) else { return Ok(()) };
        let at = time("auth_time", at)?;
        let is_recent = at >= after - TOLERANCE;
        if is_recent { Ok(()) } else { Err(refused("auth_time", format!("is {at}: the person did not sign in again"))) }
    }

    /// Checks that the claims belong to the access token with this hash. In the code flow, providers need not say so.
    pub(super) fn check_access_token(&self, hash: &str) -> Result<(), ProviderError> {
        let Some(expected) = &self.at_hash else { return Ok(()) };
        let is_own = text("at_hash", Some(expected))?.trim_end_matches('=') == hash;
        if is_own { Ok(()) } else { Err(refused("at_hash", "is that of another access token")) }
    }

    /// Returns the ID of the person. Some providers send a number.
    pub(super) fn subject(&self) -> Result<String, ProviderError> {
        match &self.sub {
            Some(Value::String(text)) => Ok(text.clone()),
            // A larger number is not exact.
            Some(Value::Number(number)) if number.is_u64() || number.is_i64() => Ok(number.to_string()),
            Some(_) => Err(refused("sub", "must be a text")),
            None => Err(refused("sub", "is missing")),
        }
    }

    /// Returns the email address, and whether it is verified; `None` if the provider says nothing about that.
    pub(super) fn email(&self) -> Option<(&str, Option<bool>)> {
        let email = self.email.as_ref()?.as_str().filter(|email| !email.is_empty())?;
        Some((email, self.email_verified.as_ref().map(is_true)))
    }

    /// Returns the name of the person.
    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_ref()?.as_str()
    }
}

/// The error of a claim.
pub(super) fn refused(name: &'static str, problem: impl Into<String>) -> ProviderError {
    ProviderError::Claim { name, problem: problem.into() }
}

/// Whether a claim is true. Apple and others send texts. What is neither does not verify anything.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is_true) => *is_true,
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

/// Returns the text of a claim that is required.
fn text<'a>(name: &'static str, value: Option<&'a Value>) -> Result<&'a str, ProviderError> {
    let value = value.ok_or_else(|| refused(name, "is missing"))?;
    value.as_str().ok_or_else(|| refused(name, "must be a text"))
}

/// Returns the time of a claim. Some providers send a fraction of a second, or a text.
fn time(name: &'static str, value: &Value) -> Result<Time, ProviderError> {
    let seconds = match value {
        Value::Number(seconds) => seconds.as_f64(),
        Value::String(text) => text.parse().ok(),
        _ => None,
    };
    let since = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = since.and_then(|since| DateTime::from_timestamp(i64::try_from(since.as_secs()).ok()?, 0));
    time.ok_or_else(|| refused(name, "must be a number of seconds since 1970"))
}

/// Returns audiences as a message shows them.
fn shown(audiences: &[Value]) -> String {
    audiences.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use steward_domain::identity::Issuer;
    use steward_domain::mocks::{a_provider, instant};

    use super::*;

    fn claims(json: &Value) -> Claims {
        Claims::parse(json.to_string().as_bytes()).unwrap()
    }

    /// The claim that was refused.
    fn name(result: Result<(), ProviderError>) -> Option<&'static str> {
        match result {
            Err(ProviderError::Claim { name, .. }) => Some(name),
            Err(other) => panic!("{other}"),
            Ok(()) => None,
        }
    }

    #[test]
    fn claims_that_are_not_used_may_be_anything() {
        let odd = br#"{"sub": "ann", "updated_at": "yesterday", "iat": 1e999, "locale": {"a": 1}, "address": "\ud800", "exp": null}"#;
        assert_eq!(Claims::parse(odd).unwrap().subject().unwrap(), "ann");
        for invalid in [&b"[]"[..], b"\"ann\"", b"{", br#"{"sub": "ann", "sub": "bob"}"#] {
            assert!(matches!(Claims::parse(invalid), Err(ProviderError::Invalid(_))));
        }
    }

    #[test]
    fn further_audiences_are_accepted_only_for_a_token_that_the_client_requested() {
        let provider = a_provider();
        for (json, refused) in [
            (json!({"aud": "steward"}), None),
            (json!({"aud": ["steward"]}), None),
            (json!({"aud": ["steward"], "azp": "steward"}), None),
            (json!({"aud": ["project", "steward"], "azp": "steward"}), None),
            (json!({"aud": ["steward", "project"]}), Some("azp")),
            (json!({"aud": ["steward", "project"], "azp": "project"}), Some("azp")),
            (json!({"aud": ["steward", 7]}), Some("azp")),
            (json!({"aud": "steward", "azp": "project"}), Some("azp")),
            (json!({"aud": ["steward", "project"], "azp": ["steward"]}), Some("azp")),
            (json!({"aud": "project", "azp": "steward"}), Some("aud")),
            (json!({"aud": "STEWARD"}), Some("aud")),
            (json!({"aud": []}), Some("aud")),
            (json!({"azp": "steward"}), Some("aud")),
        ] {
            assert_eq!(name(claims(&json).check_audience(&provider)), refused, "{json}");
        }
    }

    #[test]
    fn only_google_names_itself_without_the_scheme() {
        let google = IdentityProvider {
            issuer: Issuer::parse("https://accounts.google.com", false, false).unwrap(),
            ..a_provider()
        };
        for (provider, issuer, refused) in [
            (&google, "https://accounts.google.com", None),
            (&google, "accounts.google.com", None),
            (&google, "https://accounts.google.com/", Some("iss")),
            (&a_provider(), "https://id.example.com", None),
            (&a_provider(), "id.example.com", Some("iss")),
            (&a_provider(), "https://ID.example.com", Some("iss")),
        ] {
            assert_eq!(name(claims(&json!({"iss": issuer})).check_issuer(provider)), refused, "{issuer}");
        }
        assert_eq!(name(claims(&json!({"iss": 1})).check_issuer(&google)), Some("iss"));
    }

    #[test]
    fn times_are_numbers_with_or_without_a_fraction_or_texts() {
        let (now, seconds) = (instant(), instant().timestamp());
        for (exp, refused) in [
            (json!(seconds + 1), None),
            (json!(seconds - 59), None),
            (json!(format!("{}", seconds + 1)), None),
            (json!(1e10), None),
            (json!(seconds - 60), Some("exp")),
            (json!(-1), Some("exp")),
            (json!(1e300), Some("exp")),
            (json!("NaN"), Some("exp")),
            (json!("tomorrow"), Some("exp")),
            (json!(true), Some("exp")),
            (Value::Null, Some("exp")),
        ] {
            assert_eq!(name(claims(&json!({"exp": exp})).check_expiry(now)), refused, "{exp}");
        }
        let at = |auth_time: Value| claims(&json!({"auth_time": auth_time})).check_authenticated(Some(now));
        assert_eq!(name(at(json!(seconds - 60))), None);
        assert_eq!(name(at(json!(seconds - 61))), Some("auth_time"));
        assert_eq!(name(at(json!("now"))), Some("auth_time"));
        assert_eq!(name(at(Value::Null)), None);
        assert_eq!(name(claims(&json!({"auth_time": "now"})).check_authenticated(None)), None);
    }

    #[test]
    fn an_address_is_verified_only_if_the_provider_says_so() {
        for (verified, expected) in [
            (json!(true), Some(true)),
            (json!("true"), Some(true)),
            (json!("True"), Some(true)),
            (Value::Null, None),
            (json!(false), Some(false)),
            (json!("false"), Some(false)),
            (json!(1), Some(false)),
            (json!("yes"), Some(false)),
            (json!([true]), Some(false)),
        ] {
            let claims = claims(&json!({"email": "ann@example.com", "email_verified": verified}));
            assert_eq!(claims.email(), Some(("ann@example.com", expected)), "{verified}");
        }
        for odd in [json!(["ann@example.com"]), json!(""), Value::Null] {
            assert_eq!(claims(&json!({"email": odd, "email_verified": true})).email(), None, "{odd}");
        }
    }

    #[test]
    fn a_subject_is_a_text_or_an_exact_number() {
        assert_eq!(claims(&json!({"sub": 18_446_744_073_709_551_615_u64})).subject().unwrap(), "18446744073709551615");
        for odd in [json!(1.5), json!(1e30), json!(true), json!({"id": 1}), Value::Null] {
            assert!(claims(&json!({"sub": odd})).subject().is_err(), "{odd}");
        }
    }
}

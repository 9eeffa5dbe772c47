//! JWTs that providers sign: ID tokens, and the responses of userinfo endpoints (RFC 7515, RFC 8725).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openidconnect::JsonWebKey as _;
use openidconnect::core::{CoreJsonWebKey, CoreJwsSigningAlgorithm};
use serde::Deserialize;
use serde_json::Value;
use steward_domain::identity::ProviderError;

use super::claims::Claims;

/// The algorithms that are accepted. Not those with a shared secret, and not `none`.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];
/// The types that a JWT may have, if it has one. Not those of access tokens and others (RFC 8725 §3.11).
const TYPES: [&str; 4] = ["JWT", "application/jwt", "JOSE", "application/jose"];

/// The members of the header that are used.
#[derive(Deserialize)]
struct Header {
    alg: Option<Value>,
    kid: Option<Value>,
    typ: Option<Value>,
    crit: Option<Value>,
}

/// A JWT in the compact serialization, which is not verified until its key is found.
pub(super) struct SignedJwt<'a> {
    algorithm: CoreJwsSigningAlgorithm,
    key_id: Option<String>,
    /// The part that is signed.
    message: &'a str,
    payload: Vec<u8>,
    signature: Vec<u8>,
}

impl<'a> SignedJwt<'a> {
    /// Parses a JWT. Extensions that have to be understood are refused (RFC 7515 §4.1.11).
    pub(super) fn parse(text: &'a str) -> Result<Self, ProviderError> {
        let parts = text.rsplit_once('.').and_then(|(message, signature)| {
            let (header, payload) = message.split_once('.').filter(|(_, payload)| !payload.contains('.'))?;
            Some((message, decoded(header)?, decoded(payload)?, decoded(signature)?))
        });
        let Some((message, header, payload, signature)) = parts else {
            return Err(invalid("is not a signed JWT. Encrypted ones are not supported"));
        };
        let header: Header = serde_json::from_slice(&header).map_err(|_| invalid("has a header that is not valid"))?;
        if header.crit.is_some() {
            return Err(invalid("requires extensions, with `crit` in its header"));
        }
        let is_known = |typ: &str| TYPES.iter().any(|known| known.eq_ignore_ascii_case(typ));
        if header.typ.is_some_and(|typ| !typ.as_str().is_some_and(is_known)) {
            return Err(invalid("has another type, as `typ` in its header says"));
        }
        let named = header.alg.unwrap_or_default();
        let algorithm: Option<CoreJwsSigningAlgorithm> = serde_json::from_value(named.clone()).ok();
        let algorithm = algorithm.filter(|algorithm| ALGORITHMS.contains(algorithm));
        let algorithm = algorithm.ok_or_else(|| invalid(&format!("is signed with {named}, which is not accepted")))?;
        let key_id = header.kid.as_ref().and_then(Value::as_str).map(str::to_owned);
        Ok(Self { algorithm, key_id, message, payload, signature })
    }

    /// Returns the key with which the JWT is signed, if it is one of these. Some providers name no keys.
    pub(super) fn signing_key<'k>(&self, keys: &'k [CoreJsonWebKey]) -> Option<&'k CoreJsonWebKey> {
        let may_have_signed = |key: &&CoreJsonWebKey| match (&self.key_id, key.key_id()) {
            (Some(named), Some(id)) => id.as_str() == named,
            (None, _) | (_, None) => true,
        };
        keys.iter()
            .filter(may_have_signed)
            .find(|key| key.verify_signature(&self.algorithm, self.message.as_bytes(), &self.signature).is_ok())
    }

    /// Returns the claims. They are those of the provider only if one of its keys is the signing key.
    pub(super) fn claims(&self) -> Result<Claims, ProviderError> {
        Claims::parse(&self.payload)
    }

    /// Returns the hash of an access token as an ID token with this signature contains it (OpenID Connect Core §3.1.3.6).
    pub(super) fn hash_of(&self, access_token: &str, key: &CoreJsonWebKey) -> String {
        let hash = key.hash_bytes(access_token.as_bytes(), &self.algorithm).unwrap_or_default();
        URL_SAFE_NO_PAD.encode(hash.get(..hash.len() / 2).unwrap_or_default())
    }
}

fn decoded(part: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(part.trim_end_matches('=')).ok()
}

fn invalid(problem: &str) -> ProviderError {
    ProviderError::Invalid(format!("the token {problem}"))
}

#[cfg(test)]
mod tests {
    use openidconnect::core::CoreEdDsaPrivateSigningKey;
    use openidconnect::{JsonWebKeyId, PrivateSigningKey as _};
    use serde_json::json;

    use super::*;

    /// A key that signs nothing but the tokens of tests.
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINU5V9hY8dPJtgufujfTufXLZlgToBfQA8O6CN2eRb7n\n\
                       -----END PRIVATE KEY-----\n";

    fn key(id: Option<&str>) -> CoreEdDsaPrivateSigningKey {
        let id = id.map(|id| JsonWebKeyId::new(id.to_owned()));
        CoreEdDsaPrivateSigningKey::from_ed25519_pem(KEY, id).unwrap()
    }

    fn signed(header: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let message = format!("{}.{}", part(header), part(&json!({"sub": "ann"})));
        let signature = key(None).sign(&CoreJwsSigningAlgorithm::EdDsa, message.as_bytes()).unwrap();
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    #[test]
    fn only_signed_jwts_of_known_types_and_algorithms_are_parsed() {
        for typ in [Value::Null, json!("JWT"), json!("jwt"), json!("application/JWT")] {
            let text = signed(&json!({"alg": "EdDSA", "typ": typ, "x5t": 1}));
            assert_eq!(SignedJwt::parse(&text).unwrap().claims().unwrap().subject().unwrap(), "ann");
        }
        for header in [
            json!({}),
            json!([]),
            json!({"alg": "none"}),
            json!({"alg": "HS256"}),
            json!({"alg": "ES512"}),
            json!({"alg": "eddsa"}),
            json!({"alg": ["EdDSA"]}),
            json!({"alg": "EdDSA", "typ": "at+jwt"}),
            json!({"alg": "EdDSA", "typ": 1}),
            json!({"alg": "EdDSA", "crit": ["exp"]}),
        ] {
            assert!(SignedJwt::parse(&signed(&header)).is_err(), "{header}");
        }
        for text in ["", "e30", "e30.e30", "e30.e30.e30.e30.e30", "..", "e30.e30.\u{fc}"] {
            assert!(SignedJwt::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_signing_key_is_found_among_those_that_the_header_allows() {
        let public = |id| key(id).as_verification_key();
        for (kid, id, is_found) in [
            (Some("one"), Some("one"), true),
            (Some("one"), Some("two"), false),
            (Some("one"), None, true),
            (None, Some("two"), true),
            (None, None, true),
        ] {
            let text = signed(&json!({"alg": "EdDSA", "kid": kid}));
            let jwt = SignedJwt::parse(&text).unwrap();
            assert_eq!(jwt.signing_key(&[public(id)]).is_some(), is_found, "{kid:?}, {id:?}");
            assert_eq!(jwt.hash_of("token", &public(id)).len(), 43);
        }
        let text = signed(&json!({"alg": "EdDSA"}));
        let (header, rest) = text.split_once('.').unwrap();
        let (_, signature) = rest.split_once('.').unwrap();
        let changed = format!("{header}.{}.{signature}", URL_SAFE_NO_PAD.encode(r#"{"sub":"eve"}"#));
        assert!(SignedJwt::parse(&changed).unwrap().signing_key(&[public(None)]).is_none());
    }
}

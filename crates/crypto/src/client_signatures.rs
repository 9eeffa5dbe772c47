//! Verifies what clients sign with keys of their own: proofs (RFC 9449 §4.2) and assertions (RFC 7523 §3).

use std::time::Duration;

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, ED25519, ParsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::DateTime;
use jsonwebtoken::{Algorithm, DecodingKey};
use ring::digest::{SHA256, digest};
use serde_json::{Map, Value};
use steward_domain::identity::{
    AssertionClaims, ClientAlgorithm, ClientKeys, ClientSignatures, KeyThumbprint, ProofClaims, is_private_key,
};
use steward_domain::kernel::{InvalidValue, Time, strict_json};

/// The type of a proof (RFC 9449 §4.2).
const PROOF_TYPE: &str = "dpop+jwt";
/// The types that an assertion may have, if it has one.
const ASSERTION_TYPES: [&str; 2] = ["JWT", "client-authentication+jwt"];
/// Maximum size of a JWT, in bytes.
const MAX_BYTES: usize = 8 * 1024;
/// The sizes of RSA keys that are accepted, in bytes of the modulus.
const RSA_BYTES: std::ops::RangeInclusive<usize> = 256..=512;

/// Verifies JWTs that clients sign.
#[derive(Debug, Clone, Copy, Default)]
pub struct JwtSignatures;

impl ClientSignatures for JwtSignatures {
    fn proof(&self, jwt: &str) -> Option<ProofClaims> {
        let jwt = Jwt::parse(jwt)?;
        if jwt.header.get("typ").and_then(Value::as_str) != Some(PROOF_TYPE) {
            return None;
        }
        let jwk = jwt.header.get("jwk")?.as_object().filter(|jwk| !is_private_key(jwk))?;
        let key = PublicKey::parse(jwk)?;
        let claims = jwt.verified_by(&key)?;
        let text = |name: &str| Some(claims.get(name)?.as_str()?.to_owned());
        Some(ProofClaims {
            key: key.thumbprint()?,
            id: text("jti").filter(|id| !id.is_empty())?,
            method: text("htm")?,
            url: text("htu")?,
            issued_at: time(claims.get("iat")?)?,
            token_hash: if_given(claims.get("ath"), |hash| hash.as_str().map(str::to_owned))?,
        })
    }

    fn assertion(&self, jwt: &str, keys: &ClientKeys) -> Option<AssertionClaims> {
        let jwt = Jwt::parse(jwt)?;
        let is_type = |one: &Value| {
            one.as_str().is_some_and(|one| ASSERTION_TYPES.iter().any(|known| known.eq_ignore_ascii_case(one)))
        };
        if !jwt.header.get("typ").is_none_or(is_type) {
            return None;
        }
        let named = jwt.header.get("kid");
        let may_have_signed = |jwk: &&Map<String, Value>| match (named, jwk.get("kid")) {
            (Some(named), Some(kid)) => named == kid,
            (None, _) | (_, None) => true,
        };
        let mut candidates = keys.iter().filter(may_have_signed).filter_map(PublicKey::parse);
        let claims = candidates.find_map(|key| jwt.verified_by(&key))?;
        let text = |name: &str| Some(claims.get(name)?.as_str()?.to_owned());
        Some(AssertionClaims {
            issuer: text("iss")?,
            subject: text("sub")?,
            audiences: texts(claims.get("aud")?)?,
            id: text("jti").filter(|id| !id.is_empty())?,
            expires_at: time(claims.get("exp")?)?,
            not_before: if_given(claims.get("nbf"), time)?,
            issued_at: if_given(claims.get("iat"), time)?,
        })
    }

    fn claimed_subject(&self, jwt: &str) -> Option<String> {
        Some(Jwt::parse(jwt)?.claims()?.get("sub")?.as_str()?.to_owned())
    }

    fn check_keys(&self, keys: &ClientKeys) -> Result<(), InvalidValue> {
        let is_usable = |jwk: &Map<String, Value>| {
            PublicKey::parse(jwk).is_some_and(|key| key.algorithm.is_none_or(|own| key.accepts(own)))
        };
        if keys.iter().all(is_usable) {
            return Ok(());
        }
        Err(InvalidValue(
            "must contain only valid keys: on the curve P-256 or Ed25519, or RSA keys of 2048 to 4096 bits, each with an `alg` \
             that fits it or without one",
        ))
    }
}

/// A JWT in the compact serialization (RFC 7515 §7.1), not verified.
struct Jwt<'a> {
    header: Map<String, Value>,
    algorithm: ClientAlgorithm,
    /// The part that is signed.
    message: &'a str,
    payload: &'a str,
    signature: &'a str,
}

impl<'a> Jwt<'a> {
    /// Parses a JWT. Returns `None` for another algorithm, and for extensions that have to be understood (RFC 7515 §4.1.11).
    fn parse(text: &'a str) -> Option<Self> {
        let (message, signature) = Some(text).filter(|text| text.len() <= MAX_BYTES)?.rsplit_once('.')?;
        let (header, payload) = message.split_once('.').filter(|(_, payload)| !payload.contains('.'))?;
        let header = object(header).filter(|header| !header.contains_key("crit"))?;
        let algorithm = ClientAlgorithm::parse(header.get("alg")?.as_str()?)?;
        Some(Self { header, algorithm, message, payload, signature })
    }

    fn claims(&self) -> Option<Map<String, Value>> {
        object(self.payload)
    }

    /// Returns the claims if this key signed the JWT.
    fn verified_by(&self, key: &PublicKey) -> Option<Map<String, Value>> {
        let algorithm: Algorithm = self.algorithm.as_str().parse().ok()?;
        let is_signed = key.accepts(self.algorithm)
            && jsonwebtoken::crypto::verify(self.signature, self.message.as_bytes(), &key.decoding, algorithm)
                .unwrap_or(false);
        if is_signed { self.claims() } else { None }
    }
}

/// The type of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeyType {
    P256,
    Ed25519,
    Rsa,
}

impl KeyType {
    fn of(algorithm: ClientAlgorithm) -> Self {
        match algorithm {
            ClientAlgorithm::Es256 => Self::P256,
            ClientAlgorithm::EdDsa => Self::Ed25519,
            ClientAlgorithm::Rs256 | ClientAlgorithm::Ps256 => Self::Rsa,
        }
    }
}

/// A valid public key.
struct PublicKey {
    key_type: KeyType,
    /// The required members, from which the thumbprint is computed (RFC 7638 §3.2).
    canonical: String,
    decoding: DecodingKey,
    /// The only algorithm that the key is for; `None` for all that its type allows.
    algorithm: Option<ClientAlgorithm>,
}

impl PublicKey {
    /// Parses a JWK (RFC 7518 §6.2 and §6.3, RFC 8037 §2).
    fn parse(jwk: &Map<String, Value>) -> Option<Self> {
        let text = |name: &str| jwk.get(name)?.as_str();
        let algorithm = if_given(jwk.get("alg"), |name| ClientAlgorithm::parse(name.as_str()?))?;
        let (key_type, canonical, decoding) = match (text("kty")?, text("crv")) {
            ("EC", Some("P-256")) => {
                let (x, y) = (text("x")?, text("y")?);
                let point = [vec![4], bytes(x, 32)?, bytes(y, 32)?].concat();
                ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).ok()?;
                let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
                (KeyType::P256, canonical, DecodingKey::from_ec_components(x, y).ok()?)
            }
            ("OKP", Some("Ed25519")) => {
                let x = text("x")?;
                ParsedPublicKey::new(&ED25519, bytes(x, 32)?).ok()?;
                let canonical = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
                (KeyType::Ed25519, canonical, DecodingKey::from_ed_components(x).ok()?)
            }
            ("RSA", _) => {
                let (n, e) = (text("n")?, text("e")?);
                check_rsa(&URL_SAFE_NO_PAD.decode(n).ok()?, &URL_SAFE_NO_PAD.decode(e).ok()?)?;
                let canonical = format!(r#"{{"e":"{e}","kty":"RSA","n":"{n}"}}"#);
                (KeyType::Rsa, canonical, DecodingKey::from_rsa_components(n, e).ok()?)
            }
            _ => return None,
        };
        Some(Self { key_type, canonical, decoding, algorithm })
    }

    fn accepts(&self, algorithm: ClientAlgorithm) -> bool {
        self.key_type == KeyType::of(algorithm) && self.algorithm.is_none_or(|own| own == algorithm)
    }

    fn thumbprint(&self) -> Option<KeyThumbprint> {
        KeyThumbprint::parse(&URL_SAFE_NO_PAD.encode(digest(&SHA256, self.canonical.as_bytes())))
    }
}

/// Parses what may be missing. `None` if it is there but not valid.
pub(crate) fn if_given<T, U>(given: Option<T>, parse: impl FnOnce(T) -> Option<U>) -> Option<Option<U>> {
    given.map_or(Some(None), |given| parse(given).map(Some))
}

/// Returns the bytes of a text in base64url, if they have this number.
fn bytes(text: &str, length: usize) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok().filter(|bytes| bytes.len() == length)
}

/// Checks the size of the modulus, which is that of its bytes without leading zeros, and that the exponent is odd and small.
fn check_rsa(modulus: &[u8], exponent: &[u8]) -> Option<()> {
    let is_full = modulus.first().is_some_and(|first| *first >= 0x80);
    let is_odd = |bytes: &[u8]| bytes.last().is_some_and(|last| last % 2 == 1);
    let is_exponent = (1..=4).contains(&exponent.len()) && exponent != [1] && exponent.first() != Some(&0);
    (RSA_BYTES.contains(&modulus.len()) && is_full && is_odd(modulus) && is_odd(exponent) && is_exponent).then_some(())
}

/// Decodes a part of a JWT. Duplicate members are refused (RFC 7515 §4).
fn object(part: &str) -> Option<Map<String, Value>> {
    match strict_json::parse(&URL_SAFE_NO_PAD.decode(part).ok()?) {
        Ok((Value::Object(members), _)) => Some(members),
        _ => None,
    }
}

/// Returns a text, or the texts of an array.
fn texts(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(texts) => texts.iter().map(|text| text.as_str().map(str::to_owned)).collect(),
        _ => None,
    }
}

/// Returns the time of a claim, which may have a fraction of a second (RFC 7519 §2), to the second.
fn time(value: &Value) -> Option<Time> {
    let seconds = match value.as_i64() {
        Some(seconds) => seconds,
        None => i64::try_from(Duration::try_from_secs_f64(value.as_f64()?).ok()?.as_secs()).ok()?,
    };
    DateTime::from_timestamp(seconds, 0)
}

#[cfg(test)]
mod tests;

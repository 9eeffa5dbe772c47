//! The public keys of clients (RFC 7517), and the thumbprints of keys to which tokens are bound (RFC 7638).

use serde_json::{Map, Value, json};

use crate::kernel::{InvalidValue, as_text, named};

/// The members of a key that only its holder may know (RFC 7518 §6.2.2, §6.3.2 and §6.4.1).
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

const NO_SET: InvalidValue = InvalidValue("must be a JSON Web Key Set: an object with the array `keys`");

named! {
    /// An algorithm with which clients sign. A symmetric one would make the service able to sign too.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ClientAlgorithm: "the name of the algorithm (RFC 7518 §3.1, RFC 8037 §3.1)" {
        /// ECDSA on P-256 with SHA-256.
        Es256 = "ES256",
        /// Ed25519.
        EdDsa = "EdDSA",
        /// RSASSA-PKCS1-v1_5 with SHA-256.
        Rs256 = "RS256",
        /// RSASSA-PSS with SHA-256.
        Ps256 = "PS256",
    }
}

impl ClientAlgorithm {
    /// Returns the names, separated by spaces.
    pub fn names() -> String {
        Self::ALL.map(Self::as_str).join(" ")
    }
}

/// Whether a text has the form of a SHA-256 in base64url.
pub(crate) fn is_sha256(text: &str) -> bool {
    text.len() == 43 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

/// The SHA-256 thumbprint of a public key, in base64url: 43 characters (RFC 7638 §3).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyThumbprint(String);

as_text!(KeyThumbprint);

impl KeyThumbprint {
    /// Parses a thumbprint. Returns `None` if the text does not have the required format.
    pub fn parse(text: &str) -> Option<Self> {
        is_sha256(text).then(|| Self(text.to_owned()))
    }
}

/// The public keys with which a client signs its assertions: a JSON Web Key Set (RFC 7517 §5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientKeys(Vec<Map<String, Value>>);

impl ClientKeys {
    /// Maximum number of keys.
    pub const MAX_KEYS: usize = 10;
    /// Maximum size of the set as JSON, in bytes.
    pub const MAX_BYTES: usize = 8 * 1024;

    /// Parses a set. Other members of the set are ignored. Whether the keys can verify a signature is not checked here.
    pub fn parse(set: &Map<String, Value>) -> Result<Self, InvalidValue> {
        let keys = Self::of(set).ok_or(NO_SET)?;
        if keys.0.is_empty() || keys.0.len() > Self::MAX_KEYS {
            return Err(InvalidValue("must contain 1 to 10 keys"));
        }
        for key in keys.iter() {
            check(key)?;
        }
        if keys.to_json().len() > Self::MAX_BYTES { Err(InvalidValue("must be at most 8 KiB")) } else { Ok(keys) }
    }

    /// Restores a stored set. It may contain keys that only a newer version can use.
    pub fn stored(text: &str) -> Result<Self, InvalidValue> {
        match serde_json::from_str(text) {
            Ok(Value::Object(set)) => Self::of(&set).ok_or(NO_SET),
            _ => Err(NO_SET),
        }
    }

    fn of(set: &Map<String, Value>) -> Option<Self> {
        set.get("keys")?.as_array()?.iter().map(|key| key.as_object().cloned()).collect::<Option<_>>().map(Self)
    }

    /// Returns the keys.
    pub fn iter(&self) -> impl Iterator<Item = &Map<String, Value>> {
        self.0.iter()
    }

    /// Returns the set as a JSON object.
    pub fn to_object(&self) -> Map<String, Value> {
        Map::from_iter([("keys".to_owned(), json!(self.0))])
    }

    /// Returns the set as JSON text.
    pub fn to_json(&self) -> String {
        Value::Object(self.to_object()).to_string()
    }
}

/// Returns whether a key has members that only its holder may know.
pub fn is_private_key(key: &Map<String, Value>) -> bool {
    PRIVATE_MEMBERS.iter().any(|name| key.contains_key(*name))
}

fn check(key: &Map<String, Value>) -> Result<(), InvalidValue> {
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    if is_private_key(key) {
        return Err(InvalidValue("must contain only public keys: a private or symmetric key is known to others now"));
    }
    if !matches!(text("kty"), Some("EC" | "RSA" | "OKP")) {
        return Err(InvalidValue("must contain only keys with the `kty` EC, RSA or OKP"));
    }
    let verifies = |operations: &Value| operations.as_array().is_some_and(|all| all.iter().any(|one| one == "verify"));
    let is_for_signatures = key.get("use").is_none_or(|purpose| purpose == "sig");
    if !is_for_signatures || !key.get("key_ops").is_none_or(verifies) {
        return Err(InvalidValue("must contain only keys for signatures: with the `use` sig, or without one"));
    }
    if key.contains_key("alg") && text("alg").and_then(ClientAlgorithm::parse).is_none() {
        return Err(InvalidValue("must contain only keys with the `alg` ES256, EdDSA, RS256 or PS256"));
    }
    if key.contains_key("kid") && text("kid").is_none() {
        return Err(InvalidValue("must contain only keys whose `kid` is a string"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(keys: Value) -> Result<ClientKeys, InvalidValue> {
        ClientKeys::parse(json!({"keys": keys, "other": 1}).as_object().unwrap())
    }

    #[test]
    fn only_public_keys_for_signatures_are_accepted() {
        let key = json!({"kty": "EC", "crv": "P-256", "x": "x", "y": "y"});
        let with = |name: &str, value: Value| {
            let mut changed = key.clone();
            changed[name] = value;
            json!([changed])
        };
        for valid in [
            json!([key]),
            with("use", json!("sig")),
            with("alg", json!("ES256")),
            with("kid", json!("1")),
            with("key_ops", json!(["verify"])),
            json!(vec![key.clone(); 10]),
        ] {
            let keys = parsed(valid.clone()).unwrap();
            assert_eq!(ClientKeys::stored(&keys.to_json()), Ok(keys), "{valid}");
        }
        for invalid in [
            json!([]),
            json!([1]),
            json!({}),
            json!(vec![key.clone(); 11]),
            with("d", json!("secret")),
            with("k", json!("secret")),
            with("kty", json!("oct")),
            with("use", json!("enc")),
            with("key_ops", json!(["encrypt"])),
            with("alg", json!("HS256")),
            with("kid", json!(1)),
            with("x5c", json!("x".repeat(ClientKeys::MAX_BYTES))),
        ] {
            assert!(parsed(invalid.clone()).is_err(), "{invalid}");
        }
        assert!(ClientKeys::parse(&Map::new()).is_err());
    }

    #[test]
    fn a_thumbprint_has_43_characters_of_base64url() {
        let text = "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs";
        assert_eq!(KeyThumbprint::parse(text).unwrap().as_str(), text);
        for invalid in ["", "x", &text.replace('-', "+"), &format!("{text}=")] {
            assert_eq!(KeyThumbprint::parse(invalid), None, "{invalid}");
        }
    }
}

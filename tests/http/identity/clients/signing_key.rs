//! Keys of clients, with which they sign proofs (RFC 9449) and assertions (RFC 7523).

use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use openidconnect::PrivateSigningKey as _;
use openidconnect::core::{CoreEdDsaPrivateSigningKey, CoreJwsSigningAlgorithm};
use reqwest::Method;
use serde_json::{Value, json};
use steward_crypto::Vault;
use steward_domain::kernel::TokenVault as _;
use steward_tests::App;

/// DER of an Ed25519 key up to its 32 bytes (RFC 8410 §7).
const DER_PREFIX: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];

/// The time, in seconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "the service uses the system clock")]
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs().try_into().unwrap()
}

/// SHA-256 in base64url.
pub fn sha256(text: &str) -> String {
    Vault.sha256(text)
}

/// A random ID of a JWT.
pub fn unique_id() -> String {
    use steward_domain::kernel::IdGenerator as _;
    steward_crypto::UuidV7Ids.next().to_string()
}

/// An Ed25519 key.
pub struct SigningKey(CoreEdDsaPrivateSigningKey);

impl SigningKey {
    /// The key with this seed.
    pub fn new(seed: u8) -> Self {
        let der = [DER_PREFIX.as_slice(), &[seed; 32]].concat();
        let pem = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(der));
        Self(CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, None).unwrap())
    }

    /// The public key.
    pub fn jwk(&self) -> Value {
        let key = serde_json::to_value(self.0.as_verification_key()).unwrap();
        json!({"kty": "OKP", "crv": "Ed25519", "x": key["x"]})
    }

    /// The set with this public key.
    pub fn jwks(&self) -> Value {
        json!({"keys": [self.jwk()]})
    }

    pub fn thumbprint(&self) -> String {
        sha256(&format!(r#"{{"crv":"Ed25519","kty":"OKP","x":{}}}"#, self.jwk()["x"]))
    }

    /// Signs claims. A null removes a member of the header or a claim.
    pub fn sign(&self, header: Value, claims: Value) -> String {
        let part = |mut value: Value| {
            value.as_object_mut().unwrap().retain(|_, member| !member.is_null());
            URL_SAFE_NO_PAD.encode(value.to_string())
        };
        let message = format!("{}.{}", part(header), part(claims));
        let signature = self.0.sign(&CoreJwsSigningAlgorithm::EdDsa, message.as_bytes()).unwrap();
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
    }

    /// A proof for a request, after these changes of its header and claims.
    pub fn changed_proof(&self, app: &App, (method, path): (Method, &str), header: Value, claims: Value) -> String {
        let own = json!({"typ": "dpop+jwt", "alg": "EdDSA", "jwk": self.jwk()});
        let url = format!("{}{path}", app.base);
        let valid = json!({"jti": unique_id(), "htm": method.as_str(), "htu": url, "iat": now()});
        self.sign(merged(own, header), merged(valid, claims))
    }

    /// A proof for a request to an endpoint that clients call.
    pub fn proof(&self, app: &App, path: &str) -> String {
        self.changed_proof(app, (Method::POST, path), json!({}), json!({}))
    }

    /// A proof for a request with an access token.
    pub fn proof_with(&self, app: &App, request: (Method, &str), token: &str) -> String {
        self.changed_proof(app, request, json!({}), json!({"ath": sha256(token)}))
    }

    /// An assertion of a client, after these changes of its header and claims.
    pub fn assertion(&self, app: &App, client: &str, header: Value, claims: Value) -> String {
        let valid =
            json!({"iss": client, "sub": client, "aud": app.base, "jti": unique_id(), "exp": now() + 60, "iat": now()});
        self.sign(merged(json!({"alg": "EdDSA"}), header), merged(valid, claims))
    }
}

/// Replaces members of an object.
pub fn merged(mut object: Value, changes: Value) -> Value {
    object.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    object
}

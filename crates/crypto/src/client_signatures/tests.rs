//! Tests of proofs and assertions with keys of each algorithm.

use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::EncodingKey;
use jsonwebtoken::jwk::Jwk;
use serde_json::json;
use steward_domain::identity::SigningAlgorithm;

use super::*;
use crate::signing::generate;

/// A key pair of a client.
struct Pair {
    algorithm: Algorithm,
    encoding: EncodingKey,
    /// The public key.
    jwk: Value,
}

impl Pair {
    fn new(generated: SigningAlgorithm, algorithm: Algorithm) -> Self {
        let der = generate(generated).unwrap();
        let encoding = match generated {
            SigningAlgorithm::Es256 => EncodingKey::from_ec_der(&der),
            SigningAlgorithm::EdDsa => EncodingKey::from_ed_der(&der),
            SigningAlgorithm::Rs256 => {
                let pem =
                    format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", STANDARD.encode(&*der));
                EncodingKey::from_rsa_pem(pem.as_bytes()).unwrap()
            }
        };
        let mut jwk = serde_json::to_value(Jwk::from_encoding_key(&encoding, algorithm).unwrap()).unwrap();
        jwk.as_object_mut().unwrap().remove("alg");
        Self { algorithm, encoding, jwk }
    }

    fn es256() -> Self {
        Self::new(SigningAlgorithm::Es256, Algorithm::ES256)
    }

    fn all() -> [Self; 4] {
        [
            Self::es256(),
            Self::new(SigningAlgorithm::EdDsa, Algorithm::EdDSA),
            Self::new(SigningAlgorithm::Rs256, Algorithm::RS256),
            Self::new(SigningAlgorithm::Rs256, Algorithm::PS256),
        ]
    }

    fn name(&self) -> Value {
        serde_json::to_value(self.algorithm).unwrap()
    }

    /// Signs claims with this header. A null removes a member.
    fn sign(&self, header: Value, claims: &Value) -> String {
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let mut header = header;
        header.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        let message = format!("{}.{}", part(&header), part(claims));
        let signature = jsonwebtoken::crypto::sign(message.as_bytes(), &self.encoding, self.algorithm).unwrap();
        format!("{message}.{signature}")
    }

    /// Signs a proof after these changes of its header and its claims.
    fn proof(&self, header: Value, claims: Value) -> String {
        let own = json!({"typ": "dpop+jwt", "alg": self.name(), "jwk": self.jwk});
        let valid = json!({"jti": "1", "htm": "GET", "htu": "https://a.example/", "iat": 1_700_000_000});
        self.sign(merged(own, header), &merged(valid, claims))
    }

    fn assertion(&self, header: Value, claims: Value) -> String {
        let valid = json!({"iss": "c", "sub": "c", "aud": "https://a.example", "jti": "1", "exp": 1_700_000_000});
        self.sign(merged(json!({"alg": self.name()}), header), &merged(valid, claims))
    }

    fn keys(&self) -> ClientKeys {
        keys(json!([self.jwk])).unwrap()
    }
}

fn merged(mut value: Value, changes: Value) -> Value {
    value.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    value
}

fn keys(list: Value) -> Result<ClientKeys, InvalidValue> {
    ClientKeys::parse(json!({"keys": list}).as_object().unwrap())
}

#[test]
fn a_proof_is_signed_by_the_key_in_its_header_with_any_of_the_algorithms() {
    for pair in Pair::all() {
        let claims = JwtSignatures.proof(&pair.proof(json!({}), json!({"ath": "x", "iat": 1_700_000_000.5}))).unwrap();
        assert_eq!(
            (claims.id.as_str(), claims.method.as_str(), claims.url.as_str()),
            ("1", "GET", "https://a.example/")
        );
        assert_eq!((claims.issued_at.timestamp(), claims.token_hash.as_deref()), (1_700_000_000, Some("x")));
        let other = JwtSignatures.proof(&Pair::es256().proof(json!({}), json!({}))).unwrap();
        assert_ne!(claims.key, other.key);
    }
}

#[test]
fn the_thumbprint_is_that_of_the_standard() {
    // The example of RFC 7638 §3.1.
    let n = "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMst\
             n64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91\
             CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
    let jwk = json!({"kty": "RSA", "n": n, "e": "AQAB", "alg": "RS256", "kid": "2011-04-29"});
    let key = PublicKey::parse(jwk.as_object().unwrap()).unwrap();
    assert_eq!(key.thumbprint().unwrap().as_str(), "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs");
}

#[test]
fn a_proof_without_a_valid_signature_or_with_other_members_is_refused() {
    let (pair, other) = (Pair::es256(), Pair::es256());
    let accepted = |header, claims| JwtSignatures.proof(&pair.proof(header, claims)).is_some();
    assert!(accepted(json!({}), json!({})));
    let mut private = pair.jwk.clone();
    private["d"] = json!("AQAB");
    for header in [
        json!({"typ": "JWT"}),
        json!({"typ": null}),
        json!({"alg": "none"}),
        json!({"alg": "HS256"}),
        json!({"alg": "RS256"}),
        json!({"alg": null}),
        json!({"jwk": null}),
        json!({"jwk": private}),
        json!({"jwk": other.jwk}),
        json!({"jwk": {"kty": "oct", "k": "AQAB"}}),
        json!({"crit": ["exp"]}),
    ] {
        assert!(!accepted(header.clone(), json!({})), "{header}");
    }
    for claims in [
        json!({"jti": ""}),
        json!({"jti": 1}),
        json!({"htm": null}),
        json!({"htu": null}),
        json!({"iat": "now"}),
        json!({"iat": i64::MAX}),
        json!({"iat": -1.5}),
        json!({"ath": 1}),
    ] {
        assert!(!accepted(json!({}), claims.clone()), "{claims}");
    }
    let proof = pair.proof(json!({}), json!({}));
    let unsigned = format!("{}.", proof.rsplit_once('.').unwrap().0);
    let long = pair.proof(json!({}), json!({"x": "x".repeat(MAX_BYTES)}));
    for text in ["", "..", &unsigned, &format!("{proof}."), &format!("{proof}x"), &long] {
        assert!(JwtSignatures.proof(text).is_none(), "{text:.80}");
    }
    // A symmetric algorithm with the public key as the secret.
    let hmac = EncodingKey::from_secret(pair.jwk["x"].as_str().unwrap().as_bytes());
    let forged = Pair { algorithm: Algorithm::HS256, encoding: hmac, jwk: pair.jwk.clone() };
    assert!(JwtSignatures.proof(&forged.proof(json!({}), json!({}))).is_none());
}

#[test]
fn an_assertion_is_signed_by_one_of_the_keys_of_the_client() {
    let other = Pair::es256();
    for pair in Pair::all() {
        let claims = JwtSignatures.assertion(&pair.assertion(json!({}), json!({"nbf": 1})), &pair.keys()).unwrap();
        assert_eq!((claims.issuer.as_str(), claims.audiences), ("c", vec!["https://a.example".to_owned()]));
        assert_eq!((claims.not_before.unwrap().timestamp(), claims.issued_at), (1, None));
        assert_eq!(JwtSignatures.claimed_subject(&pair.assertion(json!({}), json!({}))).as_deref(), Some("c"));
        let both = keys(json!([other.jwk, pair.jwk])).unwrap();
        assert!(JwtSignatures.assertion(&pair.assertion(json!({"typ": "jwt"}), json!({})), &both).is_some());
        assert!(JwtSignatures.assertion(&pair.assertion(json!({}), json!({})), &other.keys()).is_none());
    }
    let accepted = |header, claims| JwtSignatures.assertion(&other.assertion(header, claims), &other.keys()).is_some();
    assert!(accepted(json!({}), json!({"aud": ["https://a.example"]})));
    assert!(!accepted(json!({"typ": "dpop+jwt"}), json!({})) && !accepted(json!({"crit": []}), json!({})));
    for claims in [
        json!({"exp": null}),
        json!({"exp": i64::MAX}),
        json!({"jti": null}),
        json!({"aud": 1}),
        json!({"sub": null}),
        json!({"nbf": "x"}),
    ] {
        assert!(!accepted(json!({}), claims.clone()), "{claims}");
    }
}

#[test]
fn the_id_of_a_key_chooses_it() {
    let (first, second) = (Pair::es256(), Pair::es256());
    let named = |pair: &Pair, kid: &str| merged(pair.jwk.clone(), json!({"kid": kid}));
    let both = keys(json!([named(&first, "1"), named(&second, "2")])).unwrap();
    let accepted =
        |kid: Value| JwtSignatures.assertion(&second.assertion(json!({"kid": kid}), json!({})), &both).is_some();
    assert_eq!([json!("2"), json!(null), json!("1"), json!("3")].map(accepted), [true, true, false, false]);
}

#[test]
fn only_keys_that_can_verify_something_are_accepted() {
    let check = |key: Value| JwtSignatures.check_keys(&keys(json!([key])).unwrap()).is_ok();
    for pair in Pair::all() {
        assert!(check(pair.jwk.clone()) && check(merged(pair.jwk.clone(), json!({"alg": pair.name()}))));
    }
    let (ec, rsa) = (Pair::es256().jwk, Pair::new(SigningAlgorithm::Rs256, Algorithm::RS256).jwk);
    let modulus = |bytes: usize| URL_SAFE_NO_PAD.encode(vec![0xff; bytes]);
    for invalid in [
        merged(ec.clone(), json!({"crv": "P-384"})),
        merged(ec.clone(), json!({"crv": "secp256k1"})),
        merged(ec.clone(), json!({"x": ec["y"], "y": ec["x"]})),
        merged(ec.clone(), json!({"x": "AQAB"})),
        merged(ec.clone(), json!({"alg": "RS256"})),
        merged(rsa.clone(), json!({"alg": "ES256"})),
        merged(rsa.clone(), json!({"n": modulus(128)})),
        merged(rsa.clone(), json!({"n": modulus(1024)})),
        merged(rsa.clone(), json!({"e": "AQ"})),
        merged(rsa, json!({"e": "AQAA"})),
        json!({"kty": "OKP", "crv": "X25519", "x": URL_SAFE_NO_PAD.encode([9; 32])}),
        json!({"kty": "EC"}),
    ] {
        assert!(!check(invalid.clone()), "{invalid}");
    }
}

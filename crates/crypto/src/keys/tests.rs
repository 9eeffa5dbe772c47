//! Tests of the keys that sign and verify tokens.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use steward_domain::identity::{
    Audience, AuthenticationClaims, AuthenticationMethod, AuthenticationMethods, ClientId, Email, ScopeSet, Subject,
    UserClaims, Username,
};
use steward_domain::kernel::{Name, Revision};
use steward_domain::mocks::{id_of, instant};

use super::*;

fn keys(secret: &str) -> Keys {
    let address = ServiceAddress::parse("http://localhost:3003").unwrap();
    Keys::new(ServerSecret::parse(&secret.repeat(32)).unwrap(), address).unwrap()
}

fn signing(token: SignedToken, algorithm: SigningAlgorithm) -> ServerKeyPurpose {
    ServerKeyPurpose::TokenSigning(token, algorithm)
}

fn server_key(keys: &Keys, purpose: ServerKeyPurpose, generation: i64) -> ServerKey {
    ServerKey {
        id: id_of(&format!("key-{generation}")).into(),
        purpose,
        generation,
        encrypted: keys.generate(purpose).unwrap(),
        created_at: instant(),
        use_from: instant(),
        revision: Revision::FIRST,
    }
}

/// Keys for access tokens and ID tokens with the same algorithm.
fn keys_with(algorithm: SigningAlgorithm) -> Keys {
    let keys = keys("a");
    let id = ServerKey { id: id_of("id-key").into(), ..server_key(&keys, signing(SignedToken::Id, algorithm), 1) };
    keys.install(&[id, server_key(&keys, signing(SignedToken::Access, algorithm), 1)]).unwrap();
    keys
}

fn claims() -> AccessClaims {
    AccessClaims {
        subject: Subject::Account(id_of("ann").into()),
        client: None,
        audience: Audience::Service,
        scopes: ScopeSet::first_party(),
        issued_at: instant(),
        expires_at: instant() + TimeDelta::minutes(15),
        id: id_of("token"),
        family: Some(id_of("family").into()),
        authentication: Some(authentication()),
        bound_to: None,
    }
}

fn authentication() -> AuthenticationClaims {
    let methods = AuthenticationMethods::from(AuthenticationMethod::Password).and(AuthenticationMethod::OneTimeCode);
    AuthenticationClaims::new(instant(), &methods)
}

fn identity(keys: &Keys) -> IdClaims {
    IdClaims {
        subject: id_of("ann").into(),
        client: ClientId::parse(&id_of("project").to_string(), &keys.address).unwrap(),
        nonce: Some("n-0S6_WzA2Mj".to_owned()),
        authentication: authentication(),
        issued_at: instant(),
        expires_at: instant() + TimeDelta::minutes(15),
        user: UserClaims {
            name: Name::parse("Ann Example").ok(),
            username: Username::parse("ann").ok(),
            email: Some((Email::parse("ann@example.com").unwrap(), true)),
        },
        session: Some(id_of("session").into()),
    }
}

#[test]
fn a_token_of_each_algorithm_contains_its_claims() {
    for algorithm in SigningAlgorithm::ALL {
        let keys = keys_with(algorithm);
        for audience in [Audience::Service, Audience::Project(id_of("project").into())] {
            let claims = AccessClaims { audience, ..claims() };
            let token = keys.issue(&claims).unwrap();
            let signed_by = id_of("key-1").into();
            let expected = VerifiedToken { claims, signed_by };
            assert_eq!(keys.verify(token.expose(), instant()), Ok(expected), "{algorithm:?}");
        }
        let published = keys.published_keys();
        assert_eq!(published["keys"][0]["alg"], algorithm.as_str());
        assert_eq!(published["keys"][0]["use"], "sig");
        assert_eq!(published["keys"][0]["kid"], id_of("key-1").to_string());
        for private in ["d", "p", "q", "dp", "dq", "qi", "k"] {
            assert!(published["keys"].as_array().unwrap().iter().all(|key| key.get(private).is_none()));
        }
    }
}

#[test]
fn a_token_is_valid_for_thirty_extra_seconds_and_not_if_issued_in_the_future() {
    let keys = keys_with(SigningAlgorithm::Es256);
    let token = keys.issue(&claims()).unwrap();
    let end = claims().expires_at;
    assert!(keys.verify(token.expose(), end + TimeDelta::seconds(29)).is_ok());
    assert_eq!(keys.verify(token.expose(), end + TimeDelta::seconds(30)), Err(TokenError::Expired));
    assert_eq!(keys.verify(token.expose(), instant() - TimeDelta::minutes(1)), Err(TokenError::Invalid));
}

#[test]
fn another_algorithm_a_modified_token_and_a_foreign_key_are_refused() {
    let keys = keys_with(SigningAlgorithm::Rs256);
    let token = keys.issue(&claims()).unwrap().expose().to_owned();
    let parts: Vec<&str> = token.split('.').collect();
    let kid = id_of("key-1");
    let header = |alg: &str| URL_SAFE_NO_PAD.encode(format!("{{\"alg\":\"{alg}\",\"kid\":\"{kid}\"}}"));
    let public = keys.published_keys()["keys"][0]["n"].as_str().unwrap().to_owned();
    let signed = format!("{}.{}", header("HS256"), parts[1]);
    let mac = ring::hmac::sign(&ring::hmac::Key::new(ring::hmac::HMAC_SHA256, public.as_bytes()), signed.as_bytes());
    let invalid = [
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac)),
        format!("{}.{}.", header("none"), parts[1]),
        format!("{}.{}.{}", header("ES256"), parts[1], parts[2]),
        format!("{}.{}A.{}", parts[0], parts[1], parts[2]),
        format!("{}.{}", parts[0], parts[1]),
        "x".repeat(MAX_TOKEN_BYTES + 1),
        String::new(),
    ];
    for token in invalid {
        assert_eq!(keys.verify(&token, instant()), Err(TokenError::Invalid), "{token}");
    }
    let other = keys_with(SigningAlgorithm::Rs256);
    assert_eq!(other.verify(&token, instant()), Err(TokenError::Invalid));
}

#[test]
fn a_valid_signature_with_an_unknown_kid_is_refused() {
    let (keys, other) = (keys("a"), super::tests::keys("a"));
    let key = server_key(&keys, signing(SignedToken::Access, SigningAlgorithm::Es256), 1);
    keys.install(std::slice::from_ref(&key)).unwrap();
    other.install(&[ServerKey { id: id_of("other").into(), ..key }]).unwrap();
    let token = other.issue(&claims()).unwrap();
    assert_eq!(keys.verify(token.expose(), instant()), Err(TokenError::UnknownKey));
}

#[test]
fn a_token_that_is_too_long_is_refused_even_if_its_signature_is_valid() {
    let address = ServiceAddress::parse(&format!("http://{}.example", "x".repeat(MAX_TOKEN_BYTES))).unwrap();
    let keys = Keys { address, ..keys_with(SigningAlgorithm::Es256) };
    let token = keys.issue(&claims()).unwrap();
    assert_eq!(keys.verify(token.expose(), instant()), Err(TokenError::Invalid));
}

#[test]
fn without_keys_no_token_is_issued_or_verified() {
    let (keys, signed) = (keys("a"), keys_with(SigningAlgorithm::Es256).issue(&claims()).unwrap());
    assert!(matches!(keys.issue(&claims()), Err(Error::Internal(_))));
    assert_eq!(keys.verify(signed.expose(), instant()), Err(TokenError::UnknownKey));
    assert_eq!(keys.published_keys(), json!({"keys": []}));
}

#[test]
fn an_id_token_has_the_subject_and_at_hash_and_is_not_an_access_token() {
    let identity = identity(&keys("a"));
    for (algorithm, length) in SigningAlgorithm::ALL.into_iter().zip([22, 43, 22]) {
        let keys = keys_with(algorithm);
        let access = keys.issue(&claims()).unwrap();
        let token = keys.issue_id_token(&identity, &access).unwrap();
        assert_eq!(keys.verify(token.expose(), instant()), Err(TokenError::Invalid), "{algorithm:?}");
        let hint = IdTokenHint { account: id_of("ann").into(), client: id_of("project").to_string() };
        assert_eq!(keys.id_token_hint(token.expose()), Some(hint));
        assert_eq!(keys.id_token_hint(access.expose()), None, "An access token is not an ID token.");
        assert_eq!(keys_with(algorithm).id_token_hint(token.expose()), None, "The key of another server signed it.");
        assert_eq!(jsonwebtoken::decode_header(access.expose()).unwrap().typ.as_deref(), Some("at+jwt"));
        let decoded = jsonwebtoken::dangerous::insecure_decode::<Value>(token.expose()).unwrap().claims;
        assert_eq!(decoded["aud"], id_of("project").to_string());
        assert_eq!((&decoded["nonce"], &decoded["auth_time"]), (&json!("n-0S6_WzA2Mj"), &json!(instant().timestamp())));
        assert_eq!((&decoded["acr"], &decoded["amr"]), (&json!("aal2"), &json!(["pwd", "otp", "mfa"])));
        assert_eq!(decoded["at_hash"].as_str().unwrap().len(), length);
        assert_eq!(decoded["sid"], id_of("session").to_string());
        assert_eq!(
            [&decoded["name"], &decoded["preferred_username"], &decoded["email"], &decoded["email_verified"]],
            [&json!("Ann Example"), &json!("ann"), &json!("ann@example.com"), &json!(true)]
        );
    }
}

#[test]
fn a_logout_token_has_its_type_and_is_neither_an_id_token_nor_an_access_token() {
    let logout = LogoutClaims {
        subject: id_of("ann").into(),
        session: id_of("session").into(),
        client: identity(&keys("a")).client,
        issued_at: instant(),
        expires_at: instant() + TimeDelta::minutes(2),
        id: id_of("token"),
    };
    for algorithm in SigningAlgorithm::ALL {
        let keys = keys_with(algorithm);
        let token = keys.issue_logout_token(&logout).unwrap();
        assert_eq!(keys.id_token_hint(token.expose()), None);
        assert_eq!(keys.verify(token.expose(), instant()), Err(TokenError::Invalid));
        assert_eq!(jsonwebtoken::decode_header(token.expose()).unwrap().typ.as_deref(), Some("logout+jwt"));
        let expected = json!({
            "iss": "http://localhost:3003",
            "sub": id_of("ann").to_string(),
            "aud": id_of("project").to_string(),
            "iat": instant().timestamp(),
            "exp": instant().timestamp() + 120,
            "jti": id_of("token").to_string(),
            "sid": id_of("session").to_string(),
            "events": {"http://schemas.openid.net/event/backchannel-logout": {}},
        });
        assert_eq!(jsonwebtoken::dangerous::insecure_decode::<Value>(token.expose()).unwrap().claims, expected);
    }
}

#[test]
fn only_the_lifetime_of_an_expired_token_is_not_verified() {
    let keys = keys_with(SigningAlgorithm::Es256);
    let expired = claims().expires_at + TimeDelta::days(40);
    let token = keys.issue(&claims()).unwrap();
    assert_eq!(keys.verify(token.expose(), expired), Err(TokenError::Expired));
    assert_eq!(keys.verify_expired(token.expose()).map(|verified| verified.claims), Ok(claims()));
    let other = keys_with(SigningAlgorithm::Es256);
    assert_eq!(other.verify_expired(token.expose()), Err(TokenError::Invalid));
    let id_token = keys.issue_id_token(&identity(&keys), &token).unwrap();
    assert_eq!(keys.verify_expired(id_token.expose()), Err(TokenError::Invalid));
}

#[test]
fn each_kind_of_token_is_signed_with_its_own_keys() {
    let keys = keys("a");
    let access = server_key(&keys, signing(SignedToken::Access, SigningAlgorithm::Es256), 1);
    let of_id_tokens = |generation, algorithm| server_key(&keys, signing(SignedToken::Id, algorithm), generation);
    let standby = ServerKey { use_from: instant() + TimeDelta::hours(1), ..of_id_tokens(3, SigningAlgorithm::EdDsa) };
    keys.install(&[of_id_tokens(2, SigningAlgorithm::Rs256), standby, access.clone()]).unwrap();
    assert_eq!(keys.id_token_algorithms(), [SigningAlgorithm::EdDsa, SigningAlgorithm::Rs256]);
    let published = keys.published_keys();
    let published: Vec<&Value> = published["keys"].as_array().unwrap().iter().map(|key| &key["alg"]).collect();
    assert_eq!(published, ["ES256", "EdDSA", "RS256"]);

    let token = keys.issue(&claims()).unwrap();
    let algorithm = |token: &Secret| jsonwebtoken::decode_header(token.expose()).unwrap().alg;
    assert_eq!(algorithm(&token), jsonwebtoken::Algorithm::ES256);
    let id_token = keys.issue_id_token(&identity(&keys), &token).unwrap();
    assert_eq!(algorithm(&id_token), jsonwebtoken::Algorithm::RS256);
    let misused = ServerKey { purpose: signing(SignedToken::Id, SigningAlgorithm::Es256), ..access };
    assert!(keys.install(&[misused]).is_err(), "A key is encrypted for the tokens that it signs.");
}

#[test]
fn a_standby_key_is_published_and_not_used() {
    let keys = keys("a");
    let old = server_key(&keys, signing(SignedToken::Access, SigningAlgorithm::Es256), 1);
    let mut next = server_key(&keys, signing(SignedToken::Access, SigningAlgorithm::EdDsa), 2);
    next.use_from = instant() + TimeDelta::hours(1);
    keys.install(&[old, next]).unwrap();
    assert_eq!(keys.published_keys()["keys"].as_array().unwrap().len(), 2);
    let now = keys.issue(&claims()).unwrap();
    let header = jsonwebtoken::decode_header(now.expose()).unwrap();
    assert_eq!(header.alg, jsonwebtoken::Algorithm::ES256);
    let later = AccessClaims { issued_at: instant() + TimeDelta::hours(2), ..claims() };
    let header = jsonwebtoken::decode_header(keys.issue(&later).unwrap().expose()).unwrap();
    assert_eq!(header.alg, jsonwebtoken::Algorithm::EdDSA);
}

#[test]
fn a_key_with_an_unknown_algorithm_is_ignored() {
    let keys = keys("a");
    let own = server_key(&keys, signing(SignedToken::Access, SigningAlgorithm::Es256), 1);
    let unknown = ServerKey {
        id: id_of("unknown").into(),
        purpose: ServerKeyPurpose::UnknownTokenSigning(SignedToken::Access),
        generation: 2,
        ..own.clone()
    };
    keys.install(&[own, unknown]).unwrap();
    assert_eq!(keys.published_keys()["keys"].as_array().unwrap().len(), 1);
    assert!(keys.issue(&claims()).is_ok());
    assert!(keys.generate(ServerKeyPurpose::UnknownTokenSigning(SignedToken::Access)).is_err());
}

#[test]
fn encrypted_data_can_be_decrypted_only_with_the_same_secret_and_purpose() {
    let encrypted = keys("a").encrypt("this", b"plain").unwrap();
    assert!(!encrypted.windows(5).any(|part| part == b"plain"));
    assert_eq!(keys("a").decrypt("this", &encrypted).unwrap().as_slice(), b"plain");
    assert!(keys("a").decrypt("that", &encrypted).is_err() && keys("b").decrypt("this", &encrypted).is_err());
}

#[test]
fn installing_keys_that_cannot_be_decrypted_changes_nothing() {
    let keys = keys_with(SigningAlgorithm::Es256);
    let token = keys.issue(&claims()).unwrap();
    let foreign = super::tests::keys("b");
    let foreign = server_key(&foreign, ServerKeyPurpose::KeyPepper, 1);
    let Err(Error::Internal(cause)) = keys.install(&[foreign]) else { panic!("The key was installed.") };
    assert!(cause.to_string().contains("does not match this database"), "{cause}");
    assert!(keys.verify(token.expose(), instant()).is_ok());
}

#[test]
fn a_value_matches_under_every_pepper_and_is_digested_with_the_newest() {
    let keys = keys("a");
    let value = KeyValue::from_entropy(true, &Zeroizing::new([7; 32]));
    assert!(keys.candidates(&value).is_empty());
    let old = server_key(&keys, ServerKeyPurpose::KeyPepper, 1);
    keys.install(std::slice::from_ref(&old)).unwrap();
    let stored = keys.digest(&value, instant());
    assert_eq!((stored.pepper, stored.hex.len()), (1, 64));
    let later = instant() + TimeDelta::minutes(5);
    let new = ServerKey { use_from: later, ..server_key(&keys, ServerKeyPurpose::KeyPepper, 2) };
    keys.install(&[old, new]).unwrap();
    assert_eq!(keys.digest(&value, instant()), stored, "A new pepper is not used before all processes have it.");
    assert_eq!(keys.digest(&value, later).pepper, 2);
    assert!(keys.candidates(&value).contains(&stored));
}

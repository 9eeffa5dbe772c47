//! The server's keys in use, which sign tokens and digest API keys.

use std::cmp::Reverse;
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::anyhow;
use serde_json::{Value, json};
use steward_domain::error::Error;
use steward_domain::model::{
    AccessClaims, AccountId, IdClaims, KeyDigest, KeyValue, Secret, ServerKey, ServerKeyId, ServerKeyPurpose,
    ServiceAddress, Time,
};
use steward_domain::ports::{
    AccessTokens, Encrypter, KeyDigester, KeyGenerator, KeyRing, SecretGenerator as _, TokenError, VerifiedToken,
};

use zeroize::Zeroizing;

use crate::encryption::ServerSecret;
use crate::pepper::{self, Pepper};
use crate::random::SystemSecrets;
use crate::signing::{self, SigningKey};

/// Maximum length of a token, in bytes.
const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// Decrypted keys, newest first.
#[derive(Default)]
struct InstalledKeys {
    signing: Vec<SigningKey>,
    peppers: Vec<Pepper>,
}

impl InstalledKeys {
    /// Returns the key that a token names. The header is not trusted: it only selects the key that verifies the token.
    fn find(&self, token: &str) -> Option<&SigningKey> {
        let named = named_key(token)?;
        self.signing.iter().find(|key| key.id == named)
    }

    /// Returns the key that signs tokens at this time.
    fn active(&self, at: Time) -> Result<&SigningKey, Error> {
        let key = self.signing.iter().find(|key| key.use_from <= at);
        key.ok_or_else(|| Error::Internal(anyhow!("No signing key is active.")))
    }
}

/// Returns the key ID in a token's header.
fn named_key(token: &str) -> Option<ServerKeyId> {
    let short = Some(token).filter(|token| token.len() <= MAX_TOKEN_BYTES)?;
    ServerKeyId::parse(&jsonwebtoken::decode_header(short).ok()?.kid?)
}

/// The server's keys, decrypted with the server secret.
pub struct Keys {
    secret: ServerSecret,
    address: ServiceAddress,
    random: SystemSecrets,
    /// Used until a pepper is installed. It is not stored, so no key matches its digests later.
    placeholder: Pepper,
    installed: RwLock<Arc<InstalledKeys>>,
}

impl Keys {
    /// Creates a ring without keys. [`KeyRing::install`] adds them. `address` is the issuer of tokens.
    pub fn new(secret: ServerSecret, address: ServiceAddress) -> anyhow::Result<Self> {
        let random = SystemSecrets::new()?;
        let placeholder = Pepper::new(0, Time::UNIX_EPOCH, random.entropy().as_slice());
        Ok(Self { secret, address, random, placeholder, installed: RwLock::default() })
    }

    fn installed(&self) -> Arc<InstalledKeys> {
        self.installed.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn decrypt_all(&self, keys: &[ServerKey]) -> anyhow::Result<InstalledKeys> {
        let mut installed = InstalledKeys::default();
        for key in keys {
            match key.purpose {
                ServerKeyPurpose::TokenSigning(algorithm) => {
                    installed.signing.push(SigningKey::decrypt(key, algorithm, &self.secret)?);
                }
                // Created by another version. Its tokens are rejected here.
                ServerKeyPurpose::UnknownTokenSigning => {}
                ServerKeyPurpose::KeyPepper => installed.peppers.push(Pepper::decrypt(key, &self.secret)?),
            }
        }
        installed.signing.sort_by_key(|key| Reverse(key.generation));
        installed.peppers.sort_by_key(|pepper| Reverse(pepper.generation));
        Ok(installed)
    }
}

impl Encrypter for Keys {
    fn encrypt(&self, purpose: &str, plain: &[u8]) -> Result<Vec<u8>, Error> {
        self.secret.cipher().encrypt(purpose, plain).map_err(Error::Internal)
    }

    fn decrypt(&self, purpose: &str, encrypted: &[u8]) -> Result<Zeroizing<Vec<u8>>, Error> {
        self.secret.cipher().decrypt(purpose, encrypted).map_err(Error::Internal)
    }
}

impl KeyGenerator for Keys {
    fn generate(&self, purpose: ServerKeyPurpose) -> Result<Vec<u8>, Error> {
        let encrypted = match purpose {
            ServerKeyPurpose::TokenSigning(algorithm) => signing::generate(algorithm)
                .and_then(|material| self.secret.cipher().encrypt(&signing::purpose(algorithm), &material)),
            ServerKeyPurpose::UnknownTokenSigning => Err(anyhow!("Cannot generate a key of an unknown algorithm.")),
            ServerKeyPurpose::KeyPepper => {
                self.secret.cipher().encrypt(pepper::PURPOSE, self.random.entropy().as_slice())
            }
        };
        encrypted.map_err(Error::Internal)
    }
}

impl KeyRing for Keys {
    fn install(&self, keys: &[ServerKey]) -> Result<(), Error> {
        let installed = Arc::new(self.decrypt_all(keys).map_err(Error::Internal)?);
        *self.installed.write().unwrap_or_else(PoisonError::into_inner) = installed;
        Ok(())
    }
}

impl AccessTokens for Keys {
    fn issue(&self, claims: &AccessClaims) -> Result<Secret, Error> {
        let installed = self.installed();
        installed.active(claims.issued_at)?.sign(claims, &self.address).map_err(Error::Internal)
    }

    fn issue_id_token(&self, claims: &IdClaims, access_token: &Secret) -> Result<Secret, Error> {
        let installed = self.installed();
        let key = installed.active(claims.issued_at)?;
        key.sign_identity(claims, access_token, &self.address).map_err(Error::Internal)
    }

    fn account_of_hint(&self, id_token: &str) -> Option<AccountId> {
        self.installed().find(id_token)?.account_of_hint(id_token, &self.address)
    }

    fn verify(&self, token: &str, now: Time) -> Result<VerifiedToken, TokenError> {
        let named = named_key(token).ok_or(TokenError::Invalid)?;
        let installed = self.installed();
        let key = installed.signing.iter().find(|key| key.id == named).ok_or(TokenError::UnknownKey)?;
        let claims = key.verify(token, &self.address, now)?;
        Ok(VerifiedToken { claims, signed_by: key.id })
    }

    fn published_keys(&self) -> Value {
        let installed = self.installed();
        json!({"keys": installed.signing.iter().map(|key| &key.published).collect::<Vec<_>>()})
    }
}

impl KeyDigester for Keys {
    fn digest(&self, value: &KeyValue, now: Time) -> KeyDigest {
        let installed = self.installed();
        // All processes must have read a new pepper before digests are stored with it.
        let active = installed.peppers.iter().find(|pepper| pepper.use_from <= now);
        active.unwrap_or(&self.placeholder).digest(value)
    }

    fn candidates(&self, value: &KeyValue) -> Vec<KeyDigest> {
        self.installed().peppers.iter().map(|pepper| pepper.digest(value)).collect()
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use chrono::TimeDelta;
    use steward_domain::mocks::{id_of, instant};
    use steward_domain::model::{Audience, ClientId, Revision, ScopeSet, SigningAlgorithm};

    use super::*;

    fn keys(secret: &str) -> Keys {
        let address = ServiceAddress::parse("http://localhost:3003").unwrap();
        Keys::new(ServerSecret::parse(&secret.repeat(32)).unwrap(), address).unwrap()
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

    fn keys_with(algorithm: SigningAlgorithm) -> Keys {
        let keys = keys("a");
        let key = server_key(&keys, ServerKeyPurpose::TokenSigning(algorithm), 1);
        keys.install(&[key]).unwrap();
        keys
    }

    fn claims() -> AccessClaims {
        AccessClaims {
            subject: id_of("ann").into(),
            audience: Audience::Service,
            scopes: ScopeSet::first_party(),
            issued_at: instant(),
            expires_at: instant() + TimeDelta::minutes(15),
            id: id_of("token"),
            family: Some(id_of("family").into()),
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
                assert_eq!(published["keys"][0].get(private), None);
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
        let mac =
            ring::hmac::sign(&ring::hmac::Key::new(ring::hmac::HMAC_SHA256, public.as_bytes()), signed.as_bytes());
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
        let key = server_key(&keys, ServerKeyPurpose::TokenSigning(SigningAlgorithm::Es256), 1);
        keys.install(std::slice::from_ref(&key)).unwrap();
        other.install(&[ServerKey { id: id_of("other").into(), ..key }]).unwrap();
        let token = other.issue(&claims()).unwrap();
        assert_eq!(keys.verify(token.expose(), instant()), Err(TokenError::UnknownKey));
    }

    #[test]
    fn a_token_that_is_too_long_is_refused_even_if_its_signature_is_valid() {
        let address = ServiceAddress::parse(&format!("http://localhost/{}", "x".repeat(MAX_TOKEN_BYTES))).unwrap();
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
        let client = ClientId::parse(&id_of("project").to_string(), &keys("a").address).unwrap();
        let identity = IdClaims {
            subject: id_of("ann").into(),
            client,
            nonce: Some("n-0S6_WzA2Mj".to_owned()),
            authenticated_at: instant(),
            issued_at: instant(),
            expires_at: instant() + TimeDelta::minutes(15),
        };
        for (algorithm, length) in SigningAlgorithm::ALL.into_iter().zip([22, 43, 22]) {
            let keys = keys_with(algorithm);
            let access = keys.issue(&claims()).unwrap();
            let token = keys.issue_id_token(&identity, &access).unwrap();
            assert_eq!(keys.verify(token.expose(), instant()), Err(TokenError::Invalid), "{algorithm:?}");
            assert_eq!(keys.account_of_hint(token.expose()), Some(id_of("ann").into()));
            assert_eq!(keys.account_of_hint(access.expose()), None, "An access token is not an ID token.");
            assert_eq!(
                keys_with(algorithm).account_of_hint(token.expose()),
                None,
                "The key of another server signed it."
            );
            assert_eq!(jsonwebtoken::decode_header(access.expose()).unwrap().typ.as_deref(), Some("at+jwt"));
            let decoded = jsonwebtoken::dangerous::insecure_decode::<Value>(token.expose()).unwrap().claims;
            assert_eq!(decoded["aud"], id_of("project").to_string());
            assert_eq!(
                (&decoded["nonce"], &decoded["auth_time"]),
                (&json!("n-0S6_WzA2Mj"), &json!(instant().timestamp()))
            );
            assert_eq!(decoded["at_hash"].as_str().unwrap().len(), length);
        }
    }

    #[test]
    fn a_standby_key_is_published_and_not_used() {
        let keys = keys("a");
        let old = server_key(&keys, ServerKeyPurpose::TokenSigning(SigningAlgorithm::Es256), 1);
        let mut next = server_key(&keys, ServerKeyPurpose::TokenSigning(SigningAlgorithm::EdDsa), 2);
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
        let own = server_key(&keys, ServerKeyPurpose::TokenSigning(SigningAlgorithm::Es256), 1);
        let unknown = ServerKey {
            id: id_of("unknown").into(),
            purpose: ServerKeyPurpose::UnknownTokenSigning,
            generation: 2,
            ..own.clone()
        };
        keys.install(&[own, unknown]).unwrap();
        assert_eq!(keys.published_keys()["keys"].as_array().unwrap().len(), 1);
        assert!(keys.issue(&claims()).is_ok());
        assert!(keys.generate(ServerKeyPurpose::UnknownTokenSigning).is_err());
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
}

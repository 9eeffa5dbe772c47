//! The server's keys in use, which sign tokens and digest API keys.

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::sync::{Arc, PoisonError, RwLock};

use anyhow::anyhow;
use serde_json::{Value, json};
use steward_domain::administration::KeyValue;
use steward_domain::identity::{
    AccessClaims, AccessTokens, IdClaims, IdTokenHint, KeyGenerator, KeyRing, LogoutClaims, ServerKey,
    ServerKeyPurpose, SignedToken, SigningAlgorithm, TokenError, VerifiedToken, check_lifetime,
};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{
    Encrypter, KeyDigest, KeyDigester, Secret, SecretGenerator as _, ServerKeyId, ServiceAddress, Time,
};

use zeroize::Zeroizing;

use crate::encryption::ServerSecret;
use crate::pepper::{self, Pepper};
use crate::random::SystemSecrets;
use crate::signing::{self, SigningKey};

/// Maximum length of a token, in bytes.
const MAX_TOKEN_BYTES: usize = 8 * 1024;

/// Decrypted keys, newest first. Signing keys of access tokens precede those of ID tokens.
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

    /// Returns the key that signs these tokens at this time.
    fn active(&self, token: SignedToken, at: Time) -> Result<&SigningKey, Error> {
        let key = self.signing.iter().find(|key| key.signs == token && key.use_from <= at);
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

    fn signed(
        &self,
        token: SignedToken,
        at: Time,
        sign: impl FnOnce(&SigningKey) -> anyhow::Result<Secret>,
    ) -> Result<Secret, Error> {
        sign(self.installed().active(token, at)?).map_err(Error::Internal)
    }

    fn decrypt_all(&self, keys: &[ServerKey]) -> anyhow::Result<InstalledKeys> {
        let mut installed = InstalledKeys::default();
        for key in keys {
            match key.purpose {
                ServerKeyPurpose::TokenSigning(token, algorithm) => {
                    installed.signing.push(SigningKey::decrypt(key, token, algorithm, &self.secret)?);
                }
                // Created by another version. Its tokens are rejected here.
                ServerKeyPurpose::UnknownTokenSigning(_) => {}
                ServerKeyPurpose::KeyPepper => installed.peppers.push(Pepper::decrypt(key, &self.secret)?),
            }
        }
        installed.signing.sort_by_key(|key| (key.signs, Reverse(key.generation)));
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
            ServerKeyPurpose::TokenSigning(token, algorithm) => signing::generate(algorithm)
                .and_then(|material| self.secret.cipher().encrypt(&signing::purpose(token, algorithm), &material)),
            ServerKeyPurpose::UnknownTokenSigning(_) => Err(anyhow!("Cannot generate a key of an unknown algorithm.")),
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
        self.signed(SignedToken::Access, claims.issued_at, |key| key.sign(claims, &self.address))
    }

    fn issue_id_token(&self, claims: &IdClaims, access_token: &Secret) -> Result<Secret, Error> {
        let sign = |key: &SigningKey| key.sign_identity(claims, access_token, &self.address);
        self.signed(SignedToken::Id, claims.issued_at, sign)
    }

    fn issue_logout_token(&self, claims: &LogoutClaims) -> Result<Secret, Error> {
        self.signed(SignedToken::Id, claims.issued_at, |key| key.sign_logout(claims, &self.address))
    }

    fn id_token_hint(&self, id_token: &str) -> Option<IdTokenHint> {
        self.installed().find(id_token)?.id_token_hint(id_token, &self.address)
    }

    fn verify(&self, token: &str, now: Time) -> Result<VerifiedToken, TokenError> {
        let verified = self.verify_expired(token)?;
        check_lifetime(&verified.claims, now)?;
        Ok(verified)
    }

    fn verify_expired(&self, token: &str) -> Result<VerifiedToken, TokenError> {
        let named = named_key(token).ok_or(TokenError::Invalid)?;
        let installed = self.installed();
        let key = installed.signing.iter().find(|key| key.id == named).ok_or(TokenError::UnknownKey)?;
        if key.signs != SignedToken::Access {
            return Err(TokenError::Invalid);
        }
        let claims = key.verify(token, &self.address)?;
        Ok(VerifiedToken { claims, signed_by: key.id })
    }

    fn published_keys(&self) -> Value {
        let installed = self.installed();
        json!({"keys": installed.signing.iter().map(|key| &key.published).collect::<Vec<_>>()})
    }

    fn id_token_algorithms(&self) -> Vec<SigningAlgorithm> {
        let installed = self.installed();
        let is_used = |algorithm: &SigningAlgorithm| {
            installed.signing.iter().any(|key| key.signs == SignedToken::Id && key.algorithm == *algorithm)
        };
        SigningAlgorithm::ALL.into_iter().filter(is_used).collect()
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

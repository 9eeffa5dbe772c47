//! Digests of opaque tokens, and encryption of texts under them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::{Secret, TokenVault};

use crate::encryption::SecretCipher;

/// The purpose for which a text is encrypted under a token.
const PURPOSE: &str = "under a token";

/// Digests with SHA-256, and encrypts with AES-256-GCM under a key that HKDF derives from the token.
#[derive(Debug, Clone, Copy)]
pub struct Vault;

impl TokenVault for Vault {
    fn sha256(&self, text: &str) -> String {
        URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, text.as_bytes()))
    }

    fn encrypt(&self, under: &Secret, text: &Secret) -> Result<Vec<u8>, Error> {
        SecretCipher(under.expose()).encrypt(PURPOSE, text.expose().as_bytes()).map_err(Error::Internal)
    }

    fn decrypt(&self, under: &Secret, encrypted: &[u8]) -> Result<Secret, Error> {
        let plain = SecretCipher(under.expose()).decrypt(PURPOSE, encrypted).map_err(Error::Internal)?;
        let text = String::from_utf8(plain.to_vec()).map_err(|error| Error::Internal(error.into()))?;
        Ok(Secret::new(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verifier_has_the_challenge_of_the_example_in_rfc_7636() {
        let challenge = Vault.sha256("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn a_text_can_be_decrypted_only_with_its_token() {
        let token = |text: &str| Secret::new(text.to_owned());
        let encrypted = Vault.encrypt(&token("a"), &token("text")).unwrap();
        assert_eq!(Vault.decrypt(&token("a"), &encrypted).unwrap().expose(), "text");
        assert!(matches!(Vault.decrypt(&token("b"), &encrypted), Err(Error::Internal(_))));
    }
}

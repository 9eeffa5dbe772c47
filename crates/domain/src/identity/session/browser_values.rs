//! Values that a browser keeps for the service: encrypted with the server secret, so that nothing is stored and nobody
//! else can create one.

use zeroize::Zeroizing;

use crate::kernel::error::Error;
use crate::kernel::{Kernel, Secret, hex};

/// Maximum length of a value that is read, in hexadecimal digits.
const MAX_DIGITS: usize = 4_000;

impl Kernel {
    /// Returns the purpose of a value that only this browser can use.
    pub(crate) fn purpose_in(&self, browser: &Secret, purpose: &str) -> String {
        format!("{purpose} {}", self.system.vault.sha256(&format!("{purpose} {}", browser.expose())))
    }

    /// Encrypts a value for a purpose. Returns hexadecimal digits.
    pub(crate) fn encrypt_for_browser(&self, purpose: &str, plain: &[u8]) -> Result<String, Error> {
        Ok(hex::encode(&self.system.encrypter.encrypt(purpose, plain)?))
    }

    /// Decrypts a value that a browser sent. `None` if this service did not encrypt it for this purpose.
    pub(crate) fn decrypt_from_browser(&self, purpose: &str, digits: &str) -> Option<Zeroizing<Vec<u8>>> {
        if digits.len() > MAX_DIGITS {
            return None;
        }
        self.system.encrypter.decrypt(purpose, &hex::decode(digits)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{MockStore, mock_cores};

    #[test]
    fn a_value_that_is_too_long_or_not_hexadecimal_is_not_decrypted() {
        let core = mock_cores(MockStore::default()).kernel;
        let longest = vec![7; MAX_DIGITS / 2 - "test".len()];
        let digits = core.encrypt_for_browser("test", &longest).unwrap();
        assert_eq!(core.decrypt_from_browser("test", &digits).as_deref(), Some(&longest));
        for invalid in ["0", "zz", "ä", &format!("{digits}00")] {
            assert_eq!(core.decrypt_from_browser("test", invalid), None, "{invalid}");
        }
    }
}

//! Recovery codes: ten codes that each replace a lost second factor once.

use crate::kernel::text::base32;
use crate::kernel::text::typed_code::{letters_and_digits, six_digits};
use crate::kernel::{AccountId, RecoveryCodesId, Revision, Secret, Time, TokenDigest, audited};

/// Number of codes that are generated at once.
pub(crate) const CODES: usize = 10;
/// Number of random bytes of a code: 120 bits, so that a digest reveals nothing about it (OWASP ASVS 5, 6.5.2: at least 112).
pub(crate) const CODE_BYTES: usize = 15;
/// Number of characters of a code without hyphens.
const CODE_CHARS: usize = 24;
/// That of the codes of earlier versions, which had 80 bits.
const EARLIER_CODE_CHARS: usize = 16;

/// The unused recovery codes of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecoveryCodes {
    /// Unique ID of the codes. New codes replace the digests, but not the ID.
    pub id: RecoveryCodesId,
    /// The account that signs in with them.
    pub account_id: AccountId,
    /// The digests of the codes that were not used yet.
    pub digests: Vec<TokenDigest>,
    /// When the codes were generated.
    pub created_at: Time,
    /// The revision, for compare-and-set: of several requests with the same code, one succeeds.
    pub revision: Revision,
}

impl RecoveryCodes {
    /// Returns the codes that are left after the one with this digest was used, or `None` if there is no such code.
    pub(crate) fn without(&self, digest: &TokenDigest) -> Option<Self> {
        let digests: Vec<_> = self.digests.iter().filter(|other| *other != digest).cloned().collect();
        (digests.len() < self.digests.len()).then(|| Self { digests, ..self.clone() })
    }
}

audited!(RecoveryCodes as RecoveryCodes of nobody, |codes| {
    "account_id": codes.account_id.to_string(), "left": codes.digests.len(),
});

/// Returns a code as people type it: six groups of four characters.
pub(crate) fn recovery_code(bytes: &[u8; CODE_BYTES]) -> Secret {
    let text = base32::encode(bytes).to_ascii_lowercase();
    let groups: Vec<_> = text.as_bytes().chunks(4).map(String::from_utf8_lossy).collect();
    Secret::new(groups.join("-"))
}

/// A code that a person enters for their second factor.
pub enum SecondFactorCode {
    /// A code of an authenticator app: six digits.
    OneTime(Secret),
    /// A recovery code in the form in which it is digested: without hyphens, in lowercase.
    Recovery(Secret),
}

impl SecondFactorCode {
    /// Parses what a person entered. Case, and what separates or surrounds the letters and digits, do not matter. Returns
    /// `None` if it can be neither.
    pub fn parse(text: &str) -> Option<Self> {
        six_digits(text).map(Self::OneTime).or_else(|| recovery_code_of(text).map(Self::Recovery))
    }
}

/// Returns the recovery code in a text, in the form in which it is digested.
fn recovery_code_of(text: &str) -> Option<Secret> {
    let code = letters_and_digits(text);
    let is_code = [CODE_CHARS, EARLIER_CODE_CHARS].contains(&code.len()) && code.bytes().all(base32::is_letter);
    is_code.then(|| Secret::new(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::{id_of, instant};

    fn digest(text: &str) -> TokenDigest {
        TokenDigest(text.to_owned())
    }

    #[test]
    fn each_code_can_be_used_once() {
        let codes = RecoveryCodes {
            id: id_of("codes").into(),
            account_id: id_of("ann").into(),
            digests: vec![digest("a"), digest("b")],
            created_at: instant(),
            revision: Revision::FIRST,
        };
        let left = codes.without(&digest("a")).unwrap();
        assert_eq!(left.digests, [digest("b")]);
        assert_eq!((left.without(&digest("a")), codes.without(&digest("c"))), (None, None));
    }

    #[test]
    fn a_code_is_recognized_however_it_is_typed() {
        let recovery = recovery_code(b"0123456789abcde");
        assert_eq!(recovery.expose(), "gayt-emzu-gu3d-oobz-mfrg-gzdf");
        let typed = [
            "gaytemzugu3doobzmfrggzdf",
            "GAYT EMZU GU3D OOBZ MFRG GZDF",
            " gayt-emzu-gu3d-oobz-mfrg-gzdf ",
            "ｇａｙｔ－ｅｍｚｕ－ｇｕ３ｄ－ｏｏｂｚ－ｍｆｒｇ－ｇｚｄｆ",
            "gayt\u{2011}emzu\u{200b}gu3d\u{ad}oobz\u{a0}mfrg gzdf\u{feff}",
        ];
        for text in typed.into_iter().chain(["gayt-emzu-gu3d-oobz"]) {
            let Some(SecondFactorCode::Recovery(code)) = SecondFactorCode::parse(text) else { panic!("{text}") };
            assert!("gaytemzugu3doobzmfrggzdf".starts_with(code.expose()), "{text}");
        }
        for text in ["123456", "123 456", "123-456\n", "１２３４５６"] {
            let parsed = SecondFactorCode::parse(text);
            assert!(matches!(parsed, Some(SecondFactorCode::OneTime(code)) if code.expose() == "123456"));
        }
        let outside_the_alphabet = "gayt-emzu-gu3d-00bz-mfrg-gzdf";
        for text in ["", "12345", "1234567", "12345a", outside_the_alphabet, "gaytemzugu3doobzz", "gaytemzugu3doob!"] {
            assert!(SecondFactorCode::parse(text).is_none(), "{text}");
        }
    }
}

//! One-time codes (RFC 6238), with the HMAC that the service has anyway: the whole algorithm is one HMAC and a
//! remainder.

use ring::hmac;
use steward_domain::identity::OneTimeCodes;

/// The codes of six digits that authenticator apps show: HMAC-SHA-1, with the number of the time step as the counter.
#[derive(Debug, Clone, Copy)]
pub struct TotpCodes;

/// Number of codes of six digits.
const CODES: u32 = 1_000_000;

impl OneTimeCodes for TotpCodes {
    fn is_code_of(&self, key: &[u8], step: i64, code: &str) -> bool {
        let expected = code_of(key, step);
        let (expected, code) = (expected.as_bytes(), code.as_bytes());
        // Reads all digits, wherever the first wrong one is.
        let differences = expected.iter().zip(code).fold(0, |all, (one, other)| all | (one ^ other));
        expected.len() == code.len() && std::hint::black_box(differences) == 0
    }
}

/// Returns the code of a time step (RFC 4226 §5.3): 31 bits of the digest, at a place that the digest chooses.
fn code_of(key: &[u8], step: i64) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, key);
    let digest = hmac::sign(&key, &step.to_be_bytes());
    let offset = digest.as_ref().last().map_or(0, |last| usize::from(last & 0xf));
    let chosen = digest.as_ref().iter().skip(offset).take(4);
    let bits = chosen.fold(0_u32, |bits, byte| (bits << 8) | u32::from(*byte)) & 0x7fff_ffff;
    format!("{:06}", bits % CODES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_those_of_the_standards() {
        let key = b"12345678901234567890";
        // RFC 4226, appendix D.
        let counted =
            ["755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489"];
        for (counter, code) in (0..).zip(counted) {
            assert_eq!(code_of(key, counter), code);
        }
        // RFC 6238, appendix B: the last six of eight digits.
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert!(TotpCodes.is_code_of(key, seconds / 30, code));
        }
    }

    #[test]
    fn other_texts_are_not_the_code() {
        let key = b"12345678901234567890";
        for wrong in ["", "75522", "755225", "855224", "7552244", "287082"] {
            assert!(!TotpCodes.is_code_of(key, 0, wrong), "{wrong}");
        }
    }
}

//! Signatures of webhook messages (Standard Webhooks, symmetric).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;
use steward_domain::administration::MessageSigner;
use steward_domain::kernel::Secret;

/// Signs with HMAC-SHA256.
#[derive(Debug, Clone, Copy)]
pub struct HmacSigner;

impl MessageSigner for HmacSigner {
    fn sign(&self, key: &[u8], text: &str) -> String {
        STANDARD.encode(hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes()))
    }

    fn format_key(&self, key: &[u8]) -> Secret {
        Secret::new(format!("whsec_{}", STANDARD.encode(key)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_matches_the_example_of_the_standard() {
        // Example from the Standard Webhooks reference libraries.
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let text = "msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{\"test\": 2432232314}";
        assert_eq!(HmacSigner.sign(&key, text), "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_eq!(HmacSigner.format_key(&key).expose(), "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    }
}

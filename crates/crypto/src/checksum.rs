//! Checksums of files.

use std::fmt;

use ring::digest::{Context, SHA256};
use steward_domain::kernel::hex;

/// Computes the SHA-256 of data that arrives in pieces.
#[derive(Clone)]
pub struct Sha256(Context);

impl Sha256 {
    /// Adds data.
    pub fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }

    /// Returns the checksum as 64 hexadecimal digits.
    pub fn finish(self) -> String {
        hex::encode(self.0.finish().as_ref())
    }
}

impl Default for Sha256 {
    fn default() -> Self {
        Self(Context::new(&SHA256))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sha256")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_the_checksum_of_the_whole() {
        let mut checksum = Sha256::default();
        checksum.update(b"a");
        checksum.update(b"bc");
        assert_eq!(checksum.finish(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}

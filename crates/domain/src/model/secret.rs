//! Texts that must not be seen: they never print, and are wiped when dropped.

use std::fmt;

use zeroize::Zeroizing;

/// A secret text. Nothing shows it but [`Secret::expose`], so a search for `expose(` finds every place that does.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes charge of the text.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Shows the text.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A thing together with the secret that was made for it: shown once, stored never.
#[derive(Debug, Clone)]
pub struct Issued<T> {
    /// What was issued.
    pub value: T,
    /// Its secret.
    pub secret: Secret,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_print_what_it_holds() {
        assert!(!format!("{:?}", Secret::new("hunter2".into())).contains("hunter2"));
    }
}

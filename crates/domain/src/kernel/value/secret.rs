//! Secret texts, which are never printed and are zeroed when dropped.

use zeroize::Zeroizing;

use super::debug_only::debug_only;

/// A secret text. Only [`Secret::expose`] returns it, so a search for `expose(` finds every use.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Wraps the text.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Returns the text.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Returns a prefix and the last 4 characters of the secret, so that people can distinguish secrets.
    pub(crate) fn hint(&self, prefix: &str) -> String {
        let text = self.expose();
        let tail = text.len().checked_sub(4).and_then(|at| text.get(at..)).unwrap_or_default();
        format!("{prefix}...{tail}")
    }
}

debug_only!(Secret);

/// A created entity with its secret, which is returned once and never stored.
#[derive(Debug, Clone)]
pub struct Issued<T> {
    /// The created entity.
    pub value: T,
    /// The secret of the entity.
    pub secret: Secret,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_debug_output_of_a_secret_does_not_contain_it() {
        assert!(!format!("{:?}", Secret::new("hunter2".into())).contains("hunter2"));
    }
}

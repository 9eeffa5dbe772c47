//! Values that are a text.

/// Lets each be read, and be shown as it is.
macro_rules! as_text {
    ($($name:ident),+) => {$(
        impl $name {
            /// Returns the text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

pub(crate) use as_text;

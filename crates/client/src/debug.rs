//! `Debug` of types with secrets or personal data.

/// Implements `Debug` for a type, with these members only: `opaque!(Type, |value| name = value.name)`.
macro_rules! opaque {
    ($type:ident $(<$parameter:ident>)?, |$this:ident| $($name:ident = $value:expr),+) => {
        impl $(<$parameter>)? std::fmt::Debug for $type $(<$parameter>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $this = self;
                f.debug_struct(stringify!($type)) $(.field(stringify!($name), &$value))+ .finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use opaque;

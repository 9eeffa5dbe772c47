//! Enums whose variants have names.

/// Declares an enum with the list of its variants, `ALL`. If they have names, the text after the name of the enum says
/// what these are, `as_str` returns the one of a variant, and `parse` returns the variant with a name: `None` if there is
/// none, or an error if its text follows as `else`.
macro_rules! named {
    ($(#[$meta:meta])* $vis:vis enum $type:ident { $($(#[$about:meta])* $variant:ident),+ $(,)? }) => {
        $(#[$meta])*
        $vis enum $type { $($(#[$about])* $variant),+ }

        impl $type {
            /// All variants, in their order.
            pub const ALL: [Self; [$(stringify!($variant)),+].len()] = [$(Self::$variant),+];
        }
    };
    (
        $(#[$meta:meta])* $vis:vis enum $type:ident: $what:literal $(, else $error:literal)?
        { $($(#[$about:meta])* $variant:ident = $name:literal),+ $(,)? }
    ) => {
        $crate::kernel::named! { $(#[$meta])* $vis enum $type { $($(#[$about])* $variant),+ } }

        impl $type {
            #[doc = concat!("Returns ", $what, ".")]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }

        $crate::kernel::named! { parse $type $what $($error)? }
    };
    (parse $type:ident $what:literal) => {
        impl $type {
            #[doc = concat!("Parses ", $what, "; returns `None` if it is unknown.")]
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|variant| variant.as_str() == text)
            }
        }
    };
    (parse $type:ident $what:literal $error:literal) => {
        impl $type {
            #[doc = concat!("Parses ", $what, ".")]
            pub fn parse(text: &str) -> Result<Self, $crate::kernel::InvalidValue> {
                let found = Self::ALL.into_iter().find(|variant| variant.as_str() == text);
                found.ok_or($crate::kernel::InvalidValue($error))
            }
        }
    };
}

pub(crate) use named;

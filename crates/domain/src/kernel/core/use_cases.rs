//! How use cases are constructed.

/// Declares use cases from what their area shares, and the other use cases that they need, which are constructed from the same or,
/// with `of`, from what another area shares.
macro_rules! use_cases {
    (@shared $core:ident) => { $core };
    (@shared $core:ident $area:ident) => { &$core.$area };
    (
        $(#[$about:meta])* $vis:vis struct $type:ident {
            $core_vis:vis core: $shared:ty $(, $field_vis:vis $field:ident: $other:ident $(of $area:ident)?)* $(,)?
        }
    ) => {
        $(#[$about])*
        $vis struct $type {
            $core_vis core: std::sync::Arc<$shared>,
            $($field_vis $field: $other,)*
        }

        impl $type {
            /// Creates the use cases from the shared components.
            pub fn new(core: &std::sync::Arc<$shared>) -> Self {
                Self {
                    core: core.clone(),
                    $($field: $other::new($crate::kernel::use_cases!(@shared core $($area)?)),)*
                }
            }
        }
    };
}

pub(crate) use use_cases;

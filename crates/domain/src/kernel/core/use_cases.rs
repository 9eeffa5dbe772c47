//! How use cases are constructed.

/// Declares use cases from what their area shares, and the other use cases that they need, which are constructed from
/// the same or, with `of`, from what another area shares. What follows a semicolon is the state of the use cases, which
/// starts as its default.
macro_rules! use_cases {
    (@shared $core:ident) => { $core };
    (@shared $core:ident $area:ident) => { &$core.$area };
    (
        $(#[$about:meta])* $vis:vis struct $type:ident {
            $core_vis:vis core: $shared:ty $(, $field_vis:vis $field:ident: $other:ident $(of $area:ident)?)* $(,)?
            $(; $($(#[$state_about:meta])* $state:ident: $initial:ty,)+)?
        }
    ) => {
        $(#[$about])*
        $vis struct $type {
            $core_vis core: std::sync::Arc<$shared>,
            $($field_vis $field: $other,)*
            $($($(#[$state_about])* $state: $initial,)+)?
        }

        impl $type {
            /// Creates the use cases from the shared components.
            pub fn new(core: &std::sync::Arc<$shared>) -> Self {
                Self {
                    core: core.clone(),
                    $($field: $other::new($crate::kernel::use_cases!(@shared core $($area)?)),)*
                    $($($state: <$initial>::default(),)+)?
                }
            }
        }
    };
}

pub(crate) use use_cases;

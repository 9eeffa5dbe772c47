//! What `Debug` shows of values with secrets or digests.

/// Shows only some fields of a type, or none, so that no secret of it gets into a log.
macro_rules! debug_only {
    ($type:ident $(: $($field:ident),+)?) => {
        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let mut shown = f.debug_struct(stringify!($type));
                $($(shown.field(stringify!($field), &self.$field);)+)?
                shown.finish_non_exhaustive()
            }
        }
    };
}

pub(crate) use debug_only;

//! What takes the place of `openapi.rs` and `body.rs` without the feature `openapi`: nothing is described.
#![expect(clippy::extra_unused_type_parameters, reason = "They are those of `body.rs`.")]

pub(crate) use steward_api_derive::{IntoParams, ToSchema};

/// The parameters of a query, which are not described.
pub type Parameters = fn();

pub(crate) fn query_of<T>() {}

/// The schema of a body, which is not described.
#[derive(Debug, Clone, Copy)]
pub struct BodySchema;

macro_rules! schemas {
    ($($name:ident)+) => {
        impl BodySchema {$(
            pub(crate) const fn $name<T>() -> Self {
                Self
            }
        )+}
    };
}

schemas! { named inline data data_list listing }

macro_rules! value {
    ($($described:tt)+) => {};
}

pub(crate) use value;

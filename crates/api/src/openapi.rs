//! How a type describes itself in the OpenAPI document. Without the feature `openapi`, `undescribed.rs` takes its place.

pub(crate) use utoipa::{IntoParams, ToSchema};

/// Describes a value as a text, with what the builder of its schema has besides: `value!(Name, .format(...))`.
macro_rules! value {
    ($name:ident, $($rest:tt)+) => {
        impl utoipa::PartialSchema for $name {
            fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::Schema> {
                use utoipa::openapi::schema::*;
                ObjectBuilder::new().schema_type(Type::String)$($rest)+.into()
            }
        }

        impl utoipa::ToSchema for $name {
            fn name() -> std::borrow::Cow<'static, str> {
                concat!("value.", stringify!($name)).into()
            }
        }
    };
}

pub(crate) use value;

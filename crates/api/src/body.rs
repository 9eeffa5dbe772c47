//! The schemas of requests and responses, with the feature `openapi`.

use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::response::{Data, Listing};

/// Returns the parameters of a query.
pub type Parameters = fn() -> Vec<Parameter>;

/// Returns the query parameters that a type describes.
pub(crate) fn query_of<T: IntoParams>() -> Vec<Parameter> {
    T::into_params(|| Some(ParameterIn::Query))
}

/// The schema of a body.
#[derive(Debug, Clone, Copy)]
pub struct BodySchema {
    /// Returns the schema, or a reference to it.
    pub schema: fn() -> RefOr<Schema>,
    /// Adds the schemas that it refers to, by name.
    pub components: fn(&mut Vec<(String, RefOr<Schema>)>),
}

impl BodySchema {
    /// A schema that stands among the components of the document.
    pub const fn named<T: ToSchema>() -> Self {
        Self { schema: reference::<T>, components: components::<T> }
    }

    /// A schema of its own.
    pub const fn inline<T: ToSchema>() -> Self {
        Self { schema: T::schema, components: T::schemas }
    }

    /// `T` in the member `data`.
    pub const fn data<T: ToSchema>() -> Self {
        Self { schema: Data::<T>::schema, components: components::<T> }
    }

    /// A list of `T` in the member `data`.
    pub const fn data_list<T: ToSchema>() -> Self {
        Self { schema: data_list::<T>, components: components::<T> }
    }

    /// A page of a list of `T`.
    pub const fn listing<T: ToSchema>() -> Self {
        Self { schema: Listing::<T>::schema, components: components::<T> }
    }
}

fn reference<T: ToSchema>() -> RefOr<Schema> {
    RefOr::Ref(Ref::from_schema_name(T::name()))
}

fn components<T: ToSchema>(all: &mut Vec<(String, RefOr<Schema>)>) {
    all.push((T::name().into_owned(), T::schema()));
    T::schemas(all);
}

fn data_list<T: ToSchema>() -> RefOr<Schema> {
    let list = ArrayBuilder::new().items(reference::<T>()).description(Some("The resource."));
    let wrapper = ObjectBuilder::new().description(Some("A response with a `data` wrapper."));
    wrapper.property("data", list).required("data").into()
}

//! The form of an operation: one row of the contract, and the types of its request and response.

use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, ObjectBuilder};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::response::{Data, Listing};

/// An operation of the API, as a type. Its row is data; its associated types are those of the bodies.
pub trait Operation {
    /// The body of a request. `()` if it has none.
    type Request;
    /// The body of the first successful response. `()` if it has none, or is not JSON.
    type Response;
    /// The row of the operation.
    const ROW: &'static Row;
}

/// What the contract states about an operation.
#[derive(Debug)]
pub struct Row {
    /// The `operationId`, which is also the name of the operation in the domain's table and in the audit log.
    pub name: &'static str,
    /// The lines of the description. The first one is the summary.
    pub text: &'static [&'static str],
    /// The tag of the operation in the OpenAPI document. [`SERVICE`] for operations about the service itself.
    pub tag: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path, with parameters like `{id}`.
    pub path: &'static str,
    /// The rate limit that applies.
    pub rate: RateClass,
    /// How a request that is sent again is handled.
    pub idempotency: Idempotency,
    /// The parameters of the query.
    pub query: &'static [fn() -> Vec<Parameter>],
    /// The body of the request.
    pub request: Option<RequestBody>,
    /// The responses that are not errors.
    pub responses: &'static [Response],
    /// The codes of the errors that only this operation returns.
    pub errors: &'static [&'static str],
    /// The command of the command line that performs the operation.
    pub command: Option<&'static str>,
}

/// The tag of operations about the service itself: health, discovery, reference. They need no permission.
pub const SERVICE: &str = "service";

/// A method of HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// GET, which also serves HEAD.
    Get,
    /// POST.
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
    /// DELETE.
    Delete,
}

impl Method {
    /// Returns the name of the method.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// A class of operations that share a rate limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateClass {
    /// Cheap reads.
    Reads,
    /// Writes.
    Writes,
    /// Operations that no index bounds, such as exports and dry runs.
    Costly,
    /// Operations that accept or issue secrets: sign-in, sign-up, codes, tokens and links.
    SignIns,
    /// Requests without a rate limit, such as health checks.
    Unlimited,
}

impl RateClass {
    /// The classes that have a rate limit.
    pub const LIMITED: [Self; 4] = [Self::Reads, Self::Writes, Self::Costly, Self::SignIns];

    /// Returns the name used in `RateLimit-Policy`, metrics and docs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::Costly => "costly",
            Self::SignIns => "sign-ins",
            Self::Unlimited => "unlimited",
        }
    }
}

/// How an operation handles a request that is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idempotency {
    /// The operation changes nothing, so it can be repeated.
    Safe,
    /// A request with the same `Idempotency-Key` has no further effect and receives the first response.
    Keyed,
    /// The operation does not support `Idempotency-Key`: it has no caller that could own a key, or it invalidates
    /// the credential of the request. Its own protocol defines what a repetition does.
    Unsupported,
}

impl Idempotency {
    /// Returns the name used in the OpenAPI document.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Keyed => "key",
            Self::Unsupported => "none",
        }
    }
}

/// The body of a request.
#[derive(Debug)]
pub struct RequestBody {
    /// The media types that are accepted.
    pub media_types: &'static [&'static str],
    /// The schema of the body.
    pub schema: BodySchema,
    /// Whether the body may be absent.
    pub is_optional: bool,
}

/// A response that is not an error.
#[derive(Debug)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// What the response is. Empty if the name of the status says enough.
    pub description: &'static str,
    /// The media types of the body, and its schema in each. Empty if there is no body.
    pub content: &'static [(&'static str, BodySchema)],
    /// An example of the body, if none can be derived from the schema.
    pub example: Option<fn() -> serde_json::Value>,
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
        Self { schema: data::<T>, components: components::<T> }
    }

    /// A list of `T` in the member `data`.
    pub const fn data_list<T: ToSchema>() -> Self {
        Self { schema: data_list::<T>, components: components::<T> }
    }

    /// A page of a list of `T`.
    pub const fn listing<T: ToSchema>() -> Self {
        Self { schema: listing::<T>, components: components::<T> }
    }
}

fn reference<T: ToSchema>() -> RefOr<Schema> {
    RefOr::Ref(Ref::from_schema_name(T::name()))
}

fn components<T: ToSchema>(all: &mut Vec<(String, RefOr<Schema>)>) {
    all.push((T::name().into_owned(), T::schema()));
    T::schemas(all);
}

fn data<T: ToSchema>() -> RefOr<Schema> {
    Data::<T>::schema()
}

fn data_list<T: ToSchema>() -> RefOr<Schema> {
    let list = ArrayBuilder::new().items(reference::<T>()).description(Some("The resource."));
    let wrapper = ObjectBuilder::new().description(Some("A response with a `data` wrapper."));
    wrapper.property("data", list).required("data").into()
}

fn listing<T: ToSchema>() -> RefOr<Schema> {
    Listing::<T>::schema()
}

/// Returns the name of an operation from that of its type: the first letter in lower case.
#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it, and rejects an index out of bounds")]
pub(crate) const fn lower_first<const N: usize>(name: &str) -> [u8; N] {
    let (mut lower, mut index) = ([0; N], 0);
    while index < N {
        lower[index] = name.as_bytes()[index];
        index += 1;
    }
    lower[0] = lower[0].to_ascii_lowercase();
    lower
}

/// Returns the query parameters that a type describes.
pub(crate) fn query_of<T: IntoParams>() -> Vec<Parameter> {
    T::into_params(|| Some(ParameterIn::Query))
}

/// Declares operations with one tag, and the name of the constant that lists their rows: documentation, `Name METHOD path`,
/// rate class and idempotency; then, in this order and if they apply, the query parameters, the body, the responses by
/// status, the codes of errors that only this operation returns, and the command of the command line. Defines a type for
/// each operation.
macro_rules! operations {
    ($rows:ident, $tag:expr; $(
        $(#[doc = $text:literal])+
        $name:ident $method:ident $path:expr, $rate:ident $idempotency:ident
        $(, query($($query:ty),+))?
        $(, body($($body:tt)+))?
        $(, $status:literal($($response:tt)*))+
        $(, errors($($code:literal),+))?
        $(, command($command:literal))?
    ;)+) => {
        $(
            $(#[doc = $text])+
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl $crate::operation::Operation for $name {
                type Request = $crate::operation::request_type!($($($body)+)?);
                type Response = $crate::operation::response_type!($($status($($response)*))+);
                const ROW: &'static $crate::operation::Row = &$crate::operation::Row {
                    name: {
                        const NAME: &[u8] = &$crate::operation::lower_first::<{ stringify!($name).len() }>(stringify!($name));
                        match std::str::from_utf8(NAME) {
                            Ok(name) => name,
                            Err(_) => "",
                        }
                    },
                    text: &[$($text),+],
                    tag: $tag,
                    method: $crate::operation::Method::$method,
                    path: $path,
                    rate: $crate::operation::RateClass::$rate,
                    idempotency: $crate::operation::Idempotency::$idempotency,
                    query: &[$($($crate::operation::query_of::<$query>),+)?],
                    request: $crate::operation::request!($($($body)+)?),
                    responses: &[$($crate::operation::response!($status, $($response)*)),+],
                    errors: &[$($($code),+)?],
                    command: $crate::operation::optional!($($command)?),
                };
            }
        )+

        /// The rows of the operations.
        pub(crate) const $rows: &[&$crate::operation::Row] = &[$(<$name as $crate::operation::Operation>::ROW),+];
    };
}

macro_rules! optional {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// The type of a request.
macro_rules! request_type {
    () => {
        ()
    };
    ($body:ty) => {
        $body
    };
    ($body:ty, optional) => {
        $body
    };
    ($body:ty, optional => $($media_type:literal)+) => {
        $body
    };
    ($body:ty => $($media_type:literal)+) => {
        $body
    };
}

/// The body of a request: a type, followed by `optional`, or by `=>` and the media types other than JSON.
macro_rules! request {
    () => { None };
    ($body:ty) => { $crate::operation::request!(@ $body, &["application/json"], false) };
    ($body:ty, optional) => { $crate::operation::request!(@ $body, &["application/json"], true) };
    ($body:ty, optional => $($media_type:literal)+) => { $crate::operation::request!(@ $body, &[$($media_type),+], true) };
    ($body:ty => $($media_type:literal)+) => { $crate::operation::request!(@ $body, &[$($media_type),+], false) };
    (@ $body:ty, $media_types:expr, $is_optional:literal) => {
        Some($crate::operation::RequestBody {
            media_types: $media_types,
            schema: $crate::operation::BodySchema::named::<$body>(),
            is_optional: $is_optional,
        })
    };
}

/// The type of the first response.
macro_rules! response_type {
    ($status:literal($description:literal) $($rest:tt)*) => { () };
    ($status:literal(data [$body:ty] $($more:tt)*) $($rest:tt)*) => { $crate::response::Data<Vec<$body>> };
    ($status:literal(data $body:ty $(, $($more:tt)*)?) $($rest:tt)*) => { $crate::response::Data<$body> };
    ($status:literal(list $body:ty $(, $($more:tt)*)?) $($rest:tt)*) => { $crate::response::Listing<$body> };
    ($status:literal(text $($more:tt)*) $($rest:tt)*) => { () };
    ($status:literal({ list $body:ty $(; $other:ty => $media_type:literal)? | $text:literal } $($after:tt)*) $($rest:tt)*) => { $crate::response::Listing<$body> };
    ($status:literal({ $body:ty | $text:literal } $($after:tt)*) $($rest:tt)*) => { $body };
    ($status:literal($body:ty $(, $($more:tt)*)?) $($rest:tt)*) => { $body };
}

/// A response: a description; or a body, an optional description and an optional example. A body is a type, `data` and a
/// type, `list` and a type, or `text`, a type and a media type. In braces stand a JSON body, another type with its media type, and
/// the media type of a text.
macro_rules! response {
    ($status:literal, $description:literal) => {
        $crate::operation::Response { status: $status, description: $description, content: &[], example: None }
    };
    ($status:literal, data [$body:ty] $(, $description:literal)? $(, example $example:path)?) => {
        $crate::operation::response!(@ $status, json data_list::<$body>, ($($description)?), ($($example)?))
    };
    ($status:literal, data $body:ty $(, $description:literal)? $(, example $example:path)?) => {
        $crate::operation::response!(@ $status, json data::<$body>, ($($description)?), ($($example)?))
    };
    ($status:literal, list $body:ty $(, $description:literal)?) => {
        $crate::operation::response!(@ $status, json listing::<$body>, ($($description)?), ())
    };
    ($status:literal, text $body:ty => $media_type:literal $(, $description:literal)? $(, example $example:path)?) => {
        $crate::operation::Response {
            status: $status,
            description: concat!($($description)?),
            content: &[($media_type, $crate::operation::BodySchema::inline::<$body>())],
            example: $crate::operation::optional!($($example)?),
        }
    };
    ($status:literal, { list $body:ty $(; $other:ty => $media_type:literal)? | $text:literal }, $description:literal) => {
        $crate::operation::Response {
            status: $status,
            description: $description,
            content: &[
                ("application/json", $crate::operation::BodySchema::listing::<$body>()),
                $(($media_type, $crate::operation::BodySchema::named::<$other>()),)?
                ($text, $crate::operation::BodySchema::inline::<String>()),
            ],
            example: None,
        }
    };
    ($status:literal, { $body:ty | $text:literal }, $description:literal) => {
        $crate::operation::Response {
            status: $status,
            description: $description,
            content: &[
                ("application/json", $crate::operation::BodySchema::named::<$body>()),
                ($text, $crate::operation::BodySchema::inline::<String>()),
            ],
            example: None,
        }
    };
    ($status:literal, $body:ty $(, $description:literal)? $(, example $example:path)?) => {
        $crate::operation::response!(@ $status, json named::<$body>, ($($description)?), ($($example)?))
    };
    (@ $status:literal, json $kind:ident::<$body:ty>, ($($description:literal)?), ($($example:path)?)) => {
        $crate::operation::Response {
            status: $status,
            description: concat!($($description)?),
            content: &[("application/json", $crate::operation::BodySchema::$kind::<$body>())],
            example: $crate::operation::optional!($($example)?),
        }
    };
}

pub(crate) use {operations, optional, request, request_type, response, response_type};

//! The form of an operation: one row of the contract, and the types of its request and response.

use crate::row::Row;

/// An operation of the API, as a type. Its row is data; its associated types are those of the path, the query and the
/// bodies.
pub trait Operation {
    /// The parameters of the path, as a tuple of [segments](crate::path::Segment). `()` if it has none.
    type Path;
    /// The parameters of the query, as a tuple if they are of several types. `()` if there are none.
    type Query;
    /// The body of a request. `()` if it has none.
    type Request;
    /// The body of the first successful response. `()` if it has none, or is not JSON.
    type Response;
    /// What GET returns of the resource whose entity tag the response has. `()` if it has none.
    type Resource;
    /// The row of the operation.
    const ROW: &'static Row;
}

/// The tag of operations about the service itself: health, discovery, reference. They need no permission.
pub const SERVICE: &str = "service";

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

/// Declares operations with one tag, and the name of the constant that lists their rows: documentation, `Name METHOD
/// path`, rate class, idempotency and [facts](crate::row::Fact); then, in this order and if they apply, the parameters of
/// the path, those of the query, the body, the responses by status, the resource whose entity tag they have, the response
/// whose members are ignored (by default that resource), the reason for another form of the response, the codes of errors
/// that only this operation returns, and the command of the command line. Defines a type for each operation.
macro_rules! operations {
    ($rows:ident, $tag:expr; $(
        $(#[doc = $text:literal])+
        $name:ident $method:ident $path:expr, $rate:ident $idempotency:ident $($fact:ident $(($upload:ident))?)*
        $(, at($($segment:ident),+))?
        $(, query($($query:ty),+))?
        $(, body($($body:tt)+))?
        $(, $status:literal($($response:tt)*))+
        $(, shows($resource:ty))?
        $(, ignores($($ignored:ty)?))?
        $(, deviates($deviates:literal))?
        $(, errors($($code:literal),+))?
        $(, command($command:literal))?
    ;)+) => {
        $(
            $(#[doc = $text])+
            #[derive(Debug, Clone, Copy)]
            pub struct $name;

            impl $crate::operation::Operation for $name {
                type Path = ($($($crate::path::$segment,)+)?);
                type Query = $crate::operation::tuple!($($($query),+)?);
                type Request = $crate::operation::request_type!($($($body)+)?);
                type Response = $crate::operation::response_type!($($status($($response)*))+);
                type Resource = $crate::operation::tuple!($($resource)?);
                const ROW: &'static $crate::row::Row = &$crate::row::Row {
                    name: {
                        const NAME: &[u8] = &$crate::operation::lower_first::<{ stringify!($name).len() }>(stringify!($name));
                        match std::str::from_utf8(NAME) {
                            Ok(name) => name,
                            Err(_) => "",
                        }
                    },
                    text: &[$($text),+],
                    tag: $tag,
                    method: $crate::row::Method::$method,
                    path: $path,
                    rate: $crate::row::RateClass::$rate,
                    idempotency: $crate::row::Idempotency::$idempotency,
                    facts: &[$($crate::row::Fact::$fact $(($crate::row::Upload::$upload))?),*],
                    query: &[$($($crate::body::query_of::<$query>),+)?],
                    request: $crate::operation::request!($($($body)+)?),
                    responses: &[$($crate::operation::response!($status, $($response)*)),+],
                    resource: $crate::operation::shown!($($resource)?),
                    ignored: $crate::operation::ignored!($($resource)? $(; $($ignored)?)?),
                    deviates: $crate::operation::optional!($($deviates)?),
                    errors: &[$($($code),+)?],
                    command: $crate::operation::optional!($($command)?),
                };
            }

            const _: () = assert!(
                $crate::path::agree(
                    $path.as_bytes(),
                    &[$($(<$crate::path::$segment as $crate::path::Segment>::NAMES),+)?],
                ),
                concat!("The parameters of the path of ", stringify!($name), " are not those in `at`."),
            );
        )+

        /// The rows of the operations.
        pub(crate) const $rows: &[&$crate::row::Row] = &[$(<$name as $crate::operation::Operation>::ROW),+];
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

/// One type, or a tuple of none or several.
macro_rules! tuple {
    ($one:ty) => {
        $one
    };
    ($($type:ty),*) => {
        ($($type),*)
    };
}

/// The schema of what a response shows.
macro_rules! shown {
    ($($shown:ty)?) => {
        $crate::operation::optional!($($crate::body::BodySchema::inline::<$shown>())?)
    };
}

/// The schema of the response whose members are ignored: that of the resource, unless a semicolon precedes another or
/// none.
macro_rules! ignored {
    ($($resource:ty)?) => {
        $crate::operation::shown!($($resource)?)
    };
    ($($resource:ty)?; $($ignored:ty)?) => {
        $crate::operation::shown!($($ignored)?)
    };
}

/// The type of a request.
macro_rules! request_type {
    () => {
        ()
    };
    ($body:ty $(, $optional:ident)? $(=> $($media_type:literal)+)?) => {
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
        Some($crate::row::RequestBody {
            media_types: $media_types,
            schema: $crate::body::BodySchema::named::<$body>(),
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
        $crate::row::Response { status: $status, description: $description, content: &[], example: None }
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
        $crate::row::Response {
            status: $status,
            description: concat!($($description)?),
            content: &[($media_type, $crate::body::BodySchema::inline::<$body>())],
            example: $crate::operation::optional!($($example)?),
        }
    };
    ($status:literal, { list $body:ty $(; $other:ty => $media_type:literal)? | $text:literal }, $description:literal) => {
        $crate::row::Response {
            status: $status,
            description: $description,
            content: &[
                ("application/json", $crate::body::BodySchema::listing::<$body>()),
                $(($media_type, $crate::body::BodySchema::named::<$other>()),)?
                ($text, $crate::body::BodySchema::inline::<String>()),
            ],
            example: None,
        }
    };
    ($status:literal, { $body:ty | $text:literal }, $description:literal) => {
        $crate::row::Response {
            status: $status,
            description: $description,
            content: &[
                ("application/json", $crate::body::BodySchema::named::<$body>()),
                ($text, $crate::body::BodySchema::inline::<String>()),
            ],
            example: None,
        }
    };
    ($status:literal, $body:ty $(, $description:literal)? $(, example $example:path)?) => {
        $crate::operation::response!(@ $status, json named::<$body>, ($($description)?), ($($example)?))
    };
    (@ $status:literal, json $kind:ident::<$body:ty>, ($($description:literal)?), ($($example:path)?)) => {
        $crate::row::Response {
            status: $status,
            description: concat!($($description)?),
            content: &[("application/json", $crate::body::BodySchema::$kind::<$body>())],
            example: $crate::operation::optional!($($example)?),
        }
    };
}

pub(crate) use {ignored, operations, optional, request, request_type, response, response_type, shown, tuple};

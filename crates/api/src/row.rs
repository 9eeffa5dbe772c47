//! What the contract states about an operation, as data.

use crate::body::{BodySchema, Parameters};

/// What the contract states about an operation.
#[derive(Debug)]
pub struct Row {
    /// The `operationId`, which is also the name of the operation in the domain's table and in the audit log.
    pub name: &'static str,
    /// The lines of the description. The first one is the summary.
    pub text: &'static [&'static str],
    /// The tag of the operation in the OpenAPI document. [`SERVICE`](crate::SERVICE) for operations about the service itself.
    pub tag: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// The path, with parameters like `{id}`.
    pub path: &'static str,
    /// The rate limit that applies.
    pub rate: RateClass,
    /// How a request that is sent again is handled.
    pub idempotency: Idempotency,
    /// What distinguishes the operation from most others.
    pub facts: &'static [Fact],
    /// The parameters of the query.
    pub query: &'static [Parameters],
    /// The body of the request.
    pub request: Option<RequestBody>,
    /// The responses that are not errors.
    pub responses: &'static [Response],
    /// What GET returns of the resource whose entity tag the response has.
    pub resource: Option<BodySchema>,
    /// The response whose members a request may have, too. They are ignored, so that a response can be sent back.
    pub ignored: Option<BodySchema>,
    /// Why the form of the response is not the common one.
    pub deviates: Option<&'static str>,
    /// The codes of the errors that only this operation returns.
    pub errors: &'static [&'static str],
    /// The command of the command line that performs the operation.
    pub command: Option<&'static str>,
}

impl Row {
    /// Returns whether the row states a fact.
    pub fn is(&self, fact: Fact) -> bool {
        self.facts.contains(&fact)
    }

    /// Returns the image that the operation uploads.
    pub fn upload(&self) -> Option<Upload> {
        self.facts.iter().find_map(|fact| if let Fact::Upload(image) = fact { Some(*image) } else { None })
    }

    /// Returns whether the operation can fail with 412, because of the headers of the request.
    pub fn is_guarded(&self) -> bool {
        self.errors.contains(&"precondition_failed") && !self.is(Fact::ConditionsInBody)
    }

    /// Returns whether the operation can respond with 304.
    pub fn is_cacheable(&self) -> bool {
        self.responses.iter().any(|response| response.status == 304)
    }
}

impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Row {}

/// What distinguishes an operation from most others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fact {
    /// The response contains a secret, so it must not be cached (RFC 6749 §5.1).
    Secret,
    /// The request uploads an image.
    Upload(Upload),
    /// Browsers open it, so that an error is a page for them.
    Opened,
    /// Clients authenticate with their own credential, too (RFC 6749 §2.3).
    ClientCredential,
    /// No credential is required in a project that the operator has opened.
    OptionalCredential,
    /// The body determines who may receive the response again: it names the team or the roles of what is created.
    AuthorityInBody,
    /// The preconditions are in the body.
    ConditionsInBody,
    /// The log of the project does not contain its requests.
    Unlogged,
    /// The response shows something that never changes, so that it needs no entity tag.
    Unchanging,
}

/// An image that is uploaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upload {
    /// The icon of a project.
    Icon,
    /// The background of a project.
    Background,
    /// The logo of an OAuth client.
    Logo,
}

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

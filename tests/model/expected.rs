//! What the rules say that an answer must be.

use serde_json::Value;

/// A refusal: a status and its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedError(pub u16, pub &'static str);

pub const INVALID: ExpectedError = ExpectedError(400, "invalid_request");
pub const RESERVED: ExpectedError = ExpectedError(400, "slug_reserved");
pub const INVALID_SCHEMA: ExpectedError = ExpectedError(400, "invalid_schema");
pub const INVALID_ITEM: ExpectedError = ExpectedError(400, "invalid_item");
pub const UNAUTHORIZED: ExpectedError = ExpectedError(401, "unauthorized");
pub const FORBIDDEN: ExpectedError = ExpectedError(403, "forbidden");
pub const UNKNOWN_THING: ExpectedError = ExpectedError(404, "not_found");
pub const SLUG_TAKEN: ExpectedError = ExpectedError(409, "slug_taken");
pub const ALREADY_MEMBER: ExpectedError = ExpectedError(409, "already_member");
pub const LAST_OWNER: ExpectedError = ExpectedError(409, "last_owner");
pub const OWNS_PROJECTS: ExpectedError = ExpectedError(409, "team_owns_projects");
pub const SCHEMA_BREAKING: ExpectedError = ExpectedError(409, "schema_breaking");
pub const VERSION_CONFLICT: ExpectedError = ExpectedError(409, "version_conflict");
pub const NOT_CONNECTED: ExpectedError = ExpectedError(409, "user_not_connected");
pub const PRECONDITION: ExpectedError = ExpectedError(412, "precondition_failed");

/// What was done.
#[derive(Debug, Clone)]
pub struct Done {
    pub status: u16,
    /// What the body must tell. Symbols in it, like `<team 0>`, stand for what the service made up; null also for what is
    /// absent; a member that is left out is not looked at.
    pub facts: Value,
    /// What stands for the `ETag`.
    pub tag: Option<String>,
}

impl Done {
    pub fn ok(facts: Value) -> Self {
        Self { status: 200, facts, tag: None }
    }

    pub fn created(facts: Value) -> Self {
        Self { status: 201, ..Self::ok(facts) }
    }

    pub fn tagged(self, tag: String) -> Self {
        Self { tag: Some(tag), ..self }
    }
}

/// What is done, or the refusals of which the answer must be one: where several rules refuse, the texts do not say which of
/// them speaks.
pub type Outcome = Result<Done, Vec<ExpectedError>>;

/// Access, and what is wrong with the input alone. A error of the input may be told to anybody who is known; whatever else
/// is wrong, only to those who have access.
pub fn admitted<T>(access: Result<T, ExpectedError>, faults: Vec<ExpectedError>) -> Result<T, Vec<ExpectedError>> {
    match access {
        Err(UNAUTHORIZED) => Err(vec![UNAUTHORIZED]),
        Err(refusal) => Err([vec![refusal], faults].concat()),
        Ok(_) if !faults.is_empty() => Err(faults),
        Ok(access) => Ok(access),
    }
}

/// Refuses with all that holds.
pub fn refuse_if(refusals: &[(bool, ExpectedError)]) -> Result<(), Vec<ExpectedError>> {
    let refusals: Vec<ExpectedError> =
        refusals.iter().filter(|(holds, _)| *holds).map(|(_, refusal)| *refusal).collect();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

//! What the rules say that an answer must be.

use serde_json::Value;

/// A refusal: a status and its code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal(pub u16, pub &'static str);

pub const INVALID: Refusal = Refusal(400, "invalid_request");
pub const RESERVED: Refusal = Refusal(400, "slug_reserved");
pub const INVALID_SCHEMA: Refusal = Refusal(400, "invalid_schema");
pub const INVALID_ITEM: Refusal = Refusal(400, "invalid_item");
pub const UNAUTHORIZED: Refusal = Refusal(401, "unauthorized");
pub const FORBIDDEN: Refusal = Refusal(403, "forbidden");
pub const UNKNOWN_THING: Refusal = Refusal(404, "not_found");
pub const SLUG_TAKEN: Refusal = Refusal(409, "slug_taken");
pub const ALREADY_MEMBER: Refusal = Refusal(409, "already_member");
pub const LAST_OWNER: Refusal = Refusal(409, "last_owner");
pub const OWNS_PROJECTS: Refusal = Refusal(409, "team_owns_projects");
pub const SCHEMA_BREAKING: Refusal = Refusal(409, "schema_breaking");
pub const VERSION_CONFLICT: Refusal = Refusal(409, "version_conflict");
pub const NOT_CONNECTED: Refusal = Refusal(409, "user_not_connected");
pub const PRECONDITION: Refusal = Refusal(412, "precondition_failed");

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
pub type Outcome = Result<Done, Vec<Refusal>>;

/// Access, and what is wrong with the input alone. A fault of the input may be told to anybody who is known; whatever else
/// is wrong, only to those who have access.
pub fn admitted<T>(access: Result<T, Refusal>, faults: Vec<Refusal>) -> Result<T, Vec<Refusal>> {
    match access {
        Err(UNAUTHORIZED) => Err(vec![UNAUTHORIZED]),
        Err(refusal) => Err([vec![refusal], faults].concat()),
        Ok(_) if !faults.is_empty() => Err(faults),
        Ok(access) => Ok(access),
    }
}

/// Refuses with all that holds.
pub fn refuse_if(refusals: &[(bool, Refusal)]) -> Result<(), Vec<Refusal>> {
    let refusals: Vec<Refusal> = refusals.iter().filter(|(holds, _)| *holds).map(|(_, refusal)| *refusal).collect();
    if refusals.is_empty() { Ok(()) } else { Err(refusals) }
}

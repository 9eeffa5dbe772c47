//! Who receives the stored response of a request that is sent again.

/// Who receives the stored response of a request that is sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// Callers who could send the request now.
    WithAccess,
    /// Those of them who may grant the roles of the key or client whose secret the response contains.
    WithRoles,
    /// Also callers who ended their own access with the request.
    ToFormerMember,
}

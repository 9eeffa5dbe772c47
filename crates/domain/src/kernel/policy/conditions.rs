//! The column of the tables of operations and pages that says which conditions an account must meet.

/// Conditions that the account must meet with which a person performs an operation or opens a page. The operator
/// decides whether they apply: see [`AccountRules`](super::AccountRules). Every row states its own, and there is no
/// default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conditions {
    /// None: nobody's account is used. Everyone may do it, or a program or the service itself does it.
    NoAccount,
    /// None: people sign in or out with it, or meet the conditions with it.
    AnyAccount,
    /// A confirmed address. For what sets up a second factor.
    Confirmed,
    /// A second factor, unless the address must be confirmed first. For what corrects the address, and for leaving.
    WithFactor,
    /// A confirmed address and a second factor.
    All,
}

impl Conditions {
    /// Returns whether the address must be confirmed.
    pub const fn include_address(self) -> bool {
        matches!(self, Self::Confirmed | Self::All)
    }

    /// Returns whether a second factor must be used.
    pub const fn include_factor(self) -> bool {
        matches!(self, Self::WithFactor | Self::All)
    }
}

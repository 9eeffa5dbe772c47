//! What the contract and the domain state about an operation of the document.

use steward_api::Row;
use steward_domain::kernel::error::ErrorCode;
use steward_domain::kernel::policy::{Operation, Rule};

/// The row of an operation, and its rule in the domain.
#[derive(Clone, Copy)]
pub(super) struct Contract {
    pub(super) row: &'static Row,
    /// `None` for operations about the service itself.
    pub(super) rule: Option<Rule>,
}

impl Contract {
    /// Returns the codes of the errors that only this operation returns.
    pub(super) fn codes(self) -> impl Iterator<Item = ErrorCode> {
        self.row.errors.iter().filter_map(|name| ErrorCode::parse(name))
    }
}

/// Returns the contract of all operations.
pub(super) fn contracts() -> impl Iterator<Item = Contract> {
    steward_api::rows().map(|row| Contract { row, rule: Operation::named(row.name).map(Operation::rule) })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use steward_api::SERVICE;

    use super::*;

    #[test]
    fn the_contract_and_the_table_of_permissions_have_the_same_operations() {
        let rows = steward_api::rows().filter(|row| row.tag != SERVICE).map(|row| row.name);
        let rules = Operation::RULES.iter().filter(|rule| rule.operation.is_public()).map(|rule| rule.name);
        assert_eq!(rows.collect::<BTreeSet<_>>(), rules.collect());
    }

    #[test]
    fn an_operation_changes_nothing_exactly_if_it_is_safe_to_repeat() {
        for Contract { row, rule } in contracts() {
            let is_safe = row.idempotency == steward_api::Idempotency::Safe;
            assert_eq!(is_safe, rule.is_none_or(|rule| !rule.operation.is_write()), "{}", row.name);
        }
    }

    #[test]
    fn the_codes_of_rows_are_codes_of_the_domain() {
        for row in steward_api::rows() {
            for name in row.errors {
                assert!(ErrorCode::parse(name).is_some(), "{}: {name}", row.name);
            }
        }
    }
}

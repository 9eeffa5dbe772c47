//! What the document says about operations beyond their descriptions.

use std::collections::HashMap;

use steward_domain::error::ErrorCode;
use steward_domain::policy::Rule;

/// The rule of each operation and the error codes that only this operation returns, by its ID.
pub(super) type Rules = HashMap<&'static str, (Rule, &'static [ErrorCode])>;

//! Flags whose values are members of the body.

use clap::{Arg, ArgAction, ArgMatches};
use serde_json::Value;

/// A flag of the command line. Its values are JSON.
#[derive(Debug)]
pub struct Flag {
    pub arg: Arg,
    /// The member of the body that it sets. Empty if it sets several, or none.
    pub member: String,
    /// The value that the member gets if the flag has none.
    pub constant: Option<Value>,
    /// Reads the value when the command runs, such as from a file.
    pub read: fn(Value) -> anyhow::Result<Value>,
}

impl Flag {
    /// Returns the value of the member; `None` if the flag is absent.
    pub fn given(&self, matches: &ArgMatches) -> anyhow::Result<Option<Value>> {
        let id = self.arg.get_id().as_str();
        let value = match (&self.constant, self.arg.get_action()) {
            (Some(constant), _) => matches.get_flag(id).then(|| constant.clone()),
            (None, ArgAction::Append) => matches.get_many::<Value>(id).map(|values| values.cloned().collect()),
            (None, _) => matches.get_one::<Value>(id).cloned(),
        };
        value.map(self.read).transpose()
    }
}

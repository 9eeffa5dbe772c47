//! Operations that exist in two places with the same types, such as those of webhooks for teams and for projects.

use std::fmt::Display;

use steward_api::Operation;

use crate::list::Paged;
use crate::{Call, Client, List};

/// The place of a group of operations.
#[derive(Debug, Clone)]
pub(crate) struct Mounted {
    pub(crate) client: Client,
    pub(crate) place: Place,
    /// The first parameters of each path.
    pub(crate) ids: Vec<String>,
}

/// Which of two rows is meant.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    First,
    Second,
}

impl Mounted {
    /// Returns a request for the first or the second operation. `rest` are the other parameters of its path.
    pub(crate) fn call<First, Second>(&self, rest: &[&dyn Display]) -> Call<First::Request, First::Response>
    where
        First: Operation,
        Second: Operation<Request = First::Request, Response = First::Response>,
    {
        match self.place {
            Place::First => self.client.call::<First>(&self.parameters(rest)),
            Place::Second => self.client.call::<Second>(&self.parameters(rest)),
        }
    }

    /// Returns the list of the first or the second operation. `rest` are the other parameters of its path.
    pub(crate) fn list<First, Second>(&self, rest: &[&dyn Display]) -> List<<First::Response as Paged>::Entry>
    where
        First: Operation<Response: Paged>,
        Second: Operation<Response = First::Response>,
    {
        match self.place {
            Place::First => self.client.list::<First>(&self.parameters(rest)),
            Place::Second => self.client.list::<Second>(&self.parameters(rest)),
        }
    }

    fn parameters<'a>(&'a self, rest: &[&'a dyn Display]) -> Vec<&'a dyn Display> {
        self.ids.iter().map(|id| -> &dyn Display { id }).chain(rest.iter().copied()).collect()
    }
}

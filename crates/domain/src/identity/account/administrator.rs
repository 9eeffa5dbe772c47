//! Who administers an account, and the permits that they get.

use crate::identity::Account;
use crate::kernel::error::Error;
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{Caller, Request, account_of};

/// Who administers an account.
pub(crate) enum Administrator<'a> {
    /// The service itself, or its operator on the command line.
    Service(Request),
    /// An operator in the web pages, signed in to this account.
    SignedIn(&'a Caller, &'a Account),
    /// The person who deletes their own account.
    Holder(&'a Caller),
}

impl Administrator<'_> {
    pub(crate) fn permit(&self, operation: Operation) -> Result<Permit, Error> {
        match self {
            Self::Service(request) => Permit::system(operation, request.clone()),
            Self::SignedIn(caller, account) => Permit::by_operator(operation, caller, account),
            Self::Holder(caller) => {
                Permit::authenticated(Operation::OwnAccountDelete, account_of(caller)?, caller.request.clone())
            }
        }
    }

    pub(crate) fn request(&self) -> &Request {
        match self {
            Self::Service(request) => request,
            Self::SignedIn(caller, _) | Self::Holder(caller) => &caller.request,
        }
    }
}

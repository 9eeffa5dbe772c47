//! Requests for rows by their keys. While one statement runs, further requests wait, and the next statement serves all
//! of them (docs/decisions/0045-combined-statements.md).

use std::convert::Infallible;

use tokio::sync::oneshot;

use crate::job::Outcome;

/// Maximum number of requests in one statement.
pub(super) const MAX_REQUESTS: usize = 32;
/// Maximum size of the requests in one statement, in bytes.
const MAX_BYTES: usize = 256 * 1024;
/// The part of both that one tenant may use: another tenant's requests never wait for a statement that is full of them.
const TENANT_SHARE: usize = 2;

/// Sends the result of a request to its caller.
pub(crate) type Reply<T> = oneshot::Sender<Outcome<T>>;

/// A request that reads or writes one row by its key.
pub(crate) trait RowRequest<C>: Send + Sized + 'static {
    /// Returns whether the request writes. Reads do not wait for writes: each have connections of their own.
    fn writes(&self) -> bool;

    /// Returns the approximate size of the request in bytes.
    fn bytes(&self) -> usize;

    /// Returns whether one statement can run both requests. Two writes of one row never share a statement.
    fn joins(&self, other: &Self) -> bool;

    /// Runs the requests in one statement, takes out those that it has run, and replies to their callers. Those that
    /// remain have had no effect and are run alone. Returns whether the connection can be reused.
    fn run_together(requests: &mut [Option<Self>], conn: &mut C) -> bool;

    /// Runs the request alone and replies to its caller. Returns whether the connection can be reused.
    fn run_alone(self, conn: &mut C) -> bool;
}

/// Returns whether a request can run in one statement with those of the group, given each with its tenant.
pub(super) fn fits<'a, C, T, R>(group: impl Iterator<Item = (&'a T, &'a R)>, tenant: &T, request: &R) -> bool
where
    T: PartialEq + 'a,
    R: RowRequest<C> + 'a,
{
    let (mut all, mut own) = (Size::of::<C, _>(request), Size::of::<C, _>(request));
    for (other_tenant, other) in group {
        if !request.joins(other) {
            return false;
        }
        all.add(Size::of::<C, _>(other));
        if other_tenant == tenant {
            own.add(Size::of::<C, _>(other));
        }
    }
    all.is_within(1) && own.is_within(TENANT_SHARE)
}

/// Size of a group of requests.
struct Size {
    requests: usize,
    bytes: usize,
}

impl Size {
    fn of<C, R: RowRequest<C>>(request: &R) -> Self {
        Self { requests: 1, bytes: request.bytes() }
    }

    fn add(&mut self, other: Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    /// Returns whether the size is within the maximum size divided by `share`.
    fn is_within(&self, share: usize) -> bool {
        self.requests <= MAX_REQUESTS / share && self.bytes <= MAX_BYTES / share
    }
}

/// For databases without row requests.
impl<C> RowRequest<C> for Infallible {
    fn writes(&self) -> bool {
        match *self {}
    }

    fn bytes(&self) -> usize {
        match *self {}
    }

    fn joins(&self, _: &Self) -> bool {
        match *self {}
    }

    fn run_together(_: &mut [Option<Self>], _: &mut C) -> bool {
        true
    }

    fn run_alone(self, _: &mut C) -> bool {
        match self {}
    }
}

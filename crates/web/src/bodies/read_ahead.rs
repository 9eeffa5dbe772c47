//! Bounds what a connection receives ahead of the request that reads it. By itself, the HTTP library receives up to
//! 300 KiB of a body that nobody reads, for each connection and before anything is counted.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::task::{Context, Waker};

/// Maximum number of bytes that are received while a body waits to be read.
const MAX_BYTES: usize = 32 * 1024;

/// What a connection has received ahead. The stream of the connection asks before it receives more, and the bodies of
/// its requests report when they are read. Clones share the state.
#[derive(Clone, Default)]
pub struct ReadAhead(Rc<State>);

#[derive(Default)]
struct State {
    /// Bytes received since a body was read.
    bytes: Cell<usize>,
    /// Number of bodies that may be read.
    bodies: Cell<usize>,
    waiting: RefCell<Option<Waker>>,
}

impl ReadAhead {
    /// Returns whether the connection may receive more. Otherwise its task is woken when it may.
    pub fn may_receive(&self, context: &Context<'_>) -> bool {
        // The head of a request is limited by its own size, and a body that is dropped is discarded.
        if self.0.bodies.get() == 0 || self.0.bytes.get() < MAX_BYTES {
            return true;
        }
        *self.0.waiting.borrow_mut() = Some(context.waker().clone());
        false
    }

    /// Counts bytes that were received.
    pub fn received(&self, bytes: usize) {
        self.0.bytes.set(self.0.bytes.get().saturating_add(bytes));
    }

    /// Returns the body of a request, whose reading limits what is received.
    pub fn body(&self) -> AwaitedBody {
        self.0.bodies.set(self.0.bodies.get().saturating_add(1));
        AwaitedBody(self.clone())
    }

    fn resume(&self) {
        self.0.bytes.set(0);
        if let Some(waker) = self.0.waiting.borrow_mut().take() {
            waker.wake();
        }
    }
}

/// A body that may be read until this is dropped.
pub struct AwaitedBody(ReadAhead);

impl AwaitedBody {
    /// Lets the connection receive more, because the body is being read.
    pub fn read(&self) {
        self.0.resume();
    }
}

impl Drop for AwaitedBody {
    fn drop(&mut self) {
        let state = &self.0.0;
        state.bodies.set(state.bodies.get().saturating_sub(1));
        self.0.resume();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_receives_little_until_its_body_is_read() {
        let (ahead, context) = (ReadAhead::default(), Context::from_waker(Waker::noop()));
        ahead.received(MAX_BYTES);
        assert!(ahead.may_receive(&context), "There is no body.");
        let body = ahead.body();
        assert!(!ahead.may_receive(&context));
        body.read();
        assert!(ahead.may_receive(&context));
        ahead.received(MAX_BYTES - 1);
        assert!(ahead.may_receive(&context));
        ahead.received(1);
        assert!(!ahead.may_receive(&context));
        drop(body);
        assert!(ahead.may_receive(&context));
    }
}

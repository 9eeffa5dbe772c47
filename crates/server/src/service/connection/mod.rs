//! The connections of clients: what they may send, and how much of it is held.

mod bounded_stream;
pub mod http_server;
mod request_heads;
pub mod socket;

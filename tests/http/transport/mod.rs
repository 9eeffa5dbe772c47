//! Requests and responses below the operations: their size, time and memory, and what is logged and measured.

mod background_work;
mod forged_requests;
mod input_limits;
mod lanes;
mod logs;
mod private_files;
mod rate_limits;
mod request_heads;
pub mod request_memory;
mod service;
pub mod streams;
mod traces;

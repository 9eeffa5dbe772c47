//! Commands on the host of the service. They read its settings, and open its database.

pub mod account;
pub mod audit;
pub mod backup;
pub mod doctor;
pub mod health;
pub mod keys;
pub mod migrate;

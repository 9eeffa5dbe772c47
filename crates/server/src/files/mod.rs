//! Files of the service on this machine.

pub mod new_database;
pub mod private_files;
pub mod secret_file;
pub mod temporary_file;

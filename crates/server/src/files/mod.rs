//! Files of the service on this machine.

pub mod new_database;
pub mod private_files;
pub mod secret_file;
pub mod temporary_file;

use std::io::{self, ErrorKind};

/// Returns what was found, or `None` if there is nothing with this name.
pub fn if_exists<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

//! Exit codes, and what is printed with an error.

use std::error::Error as StdError;
use std::io::{self, ErrorKind};
use std::process::ExitCode;

use steward_client::Error;

use crate::terminal::{self, UsageError};

/// The part of `--help` about exit codes.
pub const HELP: &str = "\
Exit codes:
  0  The command succeeded.
  1  The command failed.
  2  The command line is not valid, or a schema would break stored items,
     or has warnings and --strict is given.
  4  Sign in first, with `steward login`.
";

/// A person must sign in first.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SignInRequired(pub String);

/// A schema is not published, for this reason.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SchemaRefused(pub &'static str);

/// Returns the exit code of a failed command.
pub fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.chain().any(|cause| cause.is::<SignInRequired>()) {
        return ExitCode::from(4);
    }
    if error.chain().any(|cause| cause.is::<UsageError>() || cause.is::<SchemaRefused>()) {
        return ExitCode::from(2);
    }
    match client_error(error) {
        Some(Error::Unauthorized(_)) => ExitCode::from(4),
        Some(Error::InvalidServer(_) | Error::InvalidRequest(_)) => ExitCode::from(2),
        _ => ExitCode::FAILURE,
    }
}

/// Returns whether the program that reads the output, such as `head`, has closed it. A connection to a service can be
/// closed in the same way, which is an error to report.
pub fn is_output_closed(error: &anyhow::Error) -> bool {
    let is_closed = |cause: &(dyn StdError + 'static)| {
        let of_csv = cause.downcast_ref::<csv::Error>().and_then(|error| match error.kind() {
            csv::ErrorKind::Io(error) => Some(error),
            _ => None,
        });
        let error = cause.downcast_ref::<io::Error>().or(of_csv);
        error.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
    };
    error.chain().any(is_closed) && !error.chain().any(|cause| cause.is::<reqwest::Error>())
}

/// Prints the violations and the request ID of an error of the API.
pub fn print_details(error: &anyhow::Error) {
    let Some(error) = client_error(error).and_then(Error::api) else { return };
    // The message already names a single violation.
    let is_repeated = error.errors.len() == 1 && error.errors.iter().all(|only| error.message.contains(&only.message));
    for violation in error.errors.iter().filter(|_| !is_repeated) {
        terminal::note(&format!("  {violation}"));
    }
    if let Some(id) = &error.request_id {
        terminal::note(&format!("  Request ID: {id}"));
    }
}

fn client_error(error: &anyhow::Error) -> Option<&Error> {
    error.chain().find_map(|cause| cause.downcast_ref::<Error>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_error_has_its_exit_code() {
        let sign_in = || SignInRequired("Sign in.".to_owned());
        let token = anyhow::Error::new(Error::Token(Box::new(sign_in()))).context("x");
        let cases: [(anyhow::Error, u8); 6] = [
            (anyhow::Error::new(sign_in()), 4),
            (token, 4),
            (anyhow::Error::new(UsageError("x".to_owned())), 2),
            (anyhow::Error::new(Error::InvalidRequest("x".to_owned())), 2),
            (anyhow::Error::new(SchemaRefused("x")), 2),
            (anyhow::anyhow!("x"), 1),
        ];
        for (error, code) in cases {
            let expected = format!("{:?}", ExitCode::from(code));
            assert_eq!(format!("{:?}", exit_code(&error)), expected, "{error:#}");
        }
    }

    #[test]
    fn an_output_that_is_closed_is_no_error_to_report() {
        let of = |kind: ErrorKind| anyhow::Error::new(io::Error::from(kind)).context("x");
        assert!(is_output_closed(&of(ErrorKind::BrokenPipe)));
        let of_csv = csv::Error::from(io::Error::from(ErrorKind::BrokenPipe));
        assert!(is_output_closed(&anyhow::Error::new(of_csv)));
        assert!(!is_output_closed(&of(ErrorKind::StorageFull)) && !is_output_closed(&anyhow::anyhow!("x")));
    }
}

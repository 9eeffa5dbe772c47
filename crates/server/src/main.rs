//! The `steward` binary.

use std::process::ExitCode;

fn main() -> ExitCode {
    steward::main()
}

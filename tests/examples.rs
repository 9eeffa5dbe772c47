//! Runs the programs that use the domain crate as a library, which `tests/run.sh` builds first.

use std::path::PathBuf;
use std::process::Command;

/// The programs, each with a text that it prints.
const EXAMPLES: [(&str, &str); 3] = [
    ("embed", "bob (role developer in team Acme) created project"),
    ("examples/mocks", "The slug is taken. The service suggests acme-3."),
    ("own_store", "Team Acme is stored."),
];

/// The directory of the programs: the parent directory of that of this test.
fn directory() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().to_owned()
}

#[test]
fn every_example_succeeds() {
    for (name, expected) in EXAMPLES {
        let path = directory().join(name);
        let output = Command::new(&path).output();
        let output = output.unwrap_or_else(|error| panic!("{}: {error}. Run `make test`.", path.display()));
        let printed = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && printed.contains(expected), "{name}: {printed}");
    }
}

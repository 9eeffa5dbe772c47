//! Tests of the packages: the binary, the container image, the Debian package, the systemd units, the manifests for
//! Compose and Kubernetes, the alert rules, the handbook, and the example configurations of the programs beside the
//! service.

mod alerts;
mod binary;
mod debian;
mod handbook;
mod image;
mod manifests;
mod neighbors;
mod settings;
mod systemd;
mod yaml;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The directory of the repository.
fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// A file or directory in `packaging`.
fn packaging(path: &str) -> PathBuf {
    repository().join("packaging").join(path)
}

/// Runs a command that must succeed, and returns its standard output.
fn run(command: &mut Command) -> String {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|error| panic!("{program}: {error}. Run tests/install-tools.sh."));
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(output.status.success(), "{command:?}\n{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

/// Copies the tested binary without the symbols of a debug build, which are a third of it. Returns the path.
fn stripped(directory: &Path) -> PathBuf {
    let path = directory.join("steward");
    run(Command::new("strip")
        .args(["--strip-unneeded".as_ref(), "-o".as_ref(), path.as_os_str()])
        .arg(steward_tests::binary()));
    path
}

/// Whether the tests run as root.
fn is_root() -> bool {
    run(Command::new("id").arg("-u")).trim() == "0"
}

/// A command with the directories of system administration commands in its path.
fn administration(program: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "PATH=$PATH:/usr/sbin:/sbin; exec \"$@\"", "sh", program]);
    command
}

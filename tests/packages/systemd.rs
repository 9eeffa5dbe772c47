//! The systemd units.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::{packaging, run};

/// Highest allowed exposure of a unit, in tenths, as `systemd-analyze security` measures it.
const MAX_EXPOSURE: &str = "20";

/// Copies the units to a directory, with the tested binary in place of the installed one.
fn units() -> (TempDir, Vec<PathBuf>) {
    let directory = tempfile::tempdir().unwrap();
    let copy = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let unit = fs::read_to_string(&path).unwrap();
        let unit = unit.replace("/usr/bin/steward", &steward_tests::binary().display().to_string());
        let copy = directory.path().join(path.file_name().unwrap());
        fs::write(&copy, unit).unwrap();
        copy
    };
    let units: Vec<PathBuf> = fs::read_dir(packaging("systemd")).unwrap().map(copy).collect();
    assert_eq!(units.len(), 3);
    (directory, units)
}

#[test]
fn systemd_accepts_the_units() {
    let (_directory, units) = units();
    // It reports unknown directives, but does not fail because of them.
    let mut command = Command::new("systemd-analyze");
    command.args(["verify", "--man=no", "--recursive-errors=no"]).args(units).env("SYSTEMD_LOG_LEVEL", "warning");
    let output =
        command.output().unwrap_or_else(|error| panic!("systemd-analyze: {error}. Run tests/install-tools.sh."));
    let report = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && !report.contains("steward"), "{report}");
}

#[test]
fn the_units_are_hardened() {
    let (_directory, units) = units();
    for unit in units.iter().filter(|unit| unit.extension().is_some_and(|extension| extension == "service")) {
        let options = ["security", "--offline=true", "--no-pager", "--threshold", MAX_EXPOSURE];
        run(Command::new("systemd-analyze").args(options).arg(unit));
    }
}

#[test]
fn both_services_have_the_same_hardening() {
    let hardening = |name: &str| {
        let unit = fs::read_to_string(packaging("systemd").join(name)).unwrap();
        let section = unit.split_once("\nAmbientCapabilities=").unwrap().1;
        section.split("\n\n[").next().unwrap().trim().to_owned()
    };
    assert_eq!(hardening("steward.service"), hardening("steward-backup.service"));
}

//! The binary runs on every Linux with the same or a newer C library.

use std::fs;
use std::process::Command;

use crate::{repository, run};

/// The parts of the C library, its loader, and the runtime of the compiler, which every Linux with this C library has.
const ALLOWED: &[&str] = &["libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"];

#[test]
fn the_binary_needs_no_library_but_the_c_library() {
    let dynamic = run(Command::new("readelf").args(["--dynamic", "--wide"]).arg(steward_tests::binary()));
    let needed: Vec<&str> = dynamic.lines().filter(|line| line.contains("(NEEDED)")).collect();
    let needed: Vec<&str> = needed.iter().map(|line| line.split_once('[').unwrap().1.trim_end_matches(']')).collect();
    assert!(needed.contains(&"libc.so.6"), "{dynamic}");
    let others: Vec<&str> = needed.into_iter().filter(|library| !ALLOWED.contains(library)).collect();
    assert_eq!(others, [""; 0]);
}

#[test]
fn the_guide_names_the_packages_of_this_version() {
    let guide = fs::read_to_string(repository().join("docs/guides/installing.md")).unwrap();
    let is_name =
        |word: &&str| word.starts_with("steward_") || word.starts_with("steward-") || word.starts_with("steward:");
    let words = guide.split(|c: char| c.is_whitespace() || "`/|".contains(c)).filter(is_name);
    let versions = words.filter_map(|word| word.split(['_', '-', ':']).nth(1));
    let versions: Vec<&str> = versions.filter(|version| version.starts_with(|c: char| c.is_ascii_digit())).collect();
    assert!(versions.len() >= 6, "{versions:?}");
    versions.iter().for_each(|version| assert_eq!(*version, env!("CARGO_PKG_VERSION")));
}

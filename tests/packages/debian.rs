//! The Debian package is built, installed, run, upgraded and purged.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::{administration, is_root, packaging, run, stripped};

/// Builds the package of the tested binary.
fn build(directory: &Path) -> PathBuf {
    let binary = stripped(directory);
    let mut build = Command::new(packaging("debian/build.sh"));
    build.arg(binary).arg(directory).env("SOURCE_DATE_EPOCH", "1000000000").env("DPKG_DEB_COMPRESSOR_TYPE", "none");
    PathBuf::from(run(&mut build).trim())
}

/// A directory in which dpkg installs packages, as the root of a system without any.
struct System(TempDir);

impl System {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("var/lib/dpkg/info")).unwrap();
        fs::create_dir_all(root.path().join("var/lib/dpkg/updates")).unwrap();
        fs::write(root.path().join("var/lib/dpkg/status"), "").unwrap();
        Self(root)
    }

    /// Runs dpkg. The scripts of the package run outside the root, which has no shell, and find it in `DPKG_ROOT`.
    fn dpkg(&self, arguments: &[&str]) -> String {
        let mut command = if is_root() { administration("dpkg") } else { administration("fakeroot") };
        if !is_root() {
            command.arg("dpkg");
        }
        command.arg(format!("--root={}", self.0.path().display())).arg("--log=/dev/null");
        run(command.args(["--force-script-chrootless", "--force-depends"]).args(arguments))
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn mode(&self, path: &str) -> u32 {
        fs::metadata(self.path(path)).unwrap().permissions().mode() & 0o7777
    }
}

#[test]
fn the_debian_package_is_installed_upgraded_and_purged() {
    let directory = tempfile::tempdir().unwrap();
    let package = build(directory.path());
    let package = package.to_str().unwrap();
    let system = System::new();
    system.dpkg(&["--install", package]);

    let version = run(Command::new(system.path("usr/bin/steward")).arg("--version"));
    assert_eq!(version, format!("steward {}\n", env!("CARGO_PKG_VERSION")));
    let users = fs::read_to_string(system.path("etc/passwd")).unwrap();
    assert!(users.starts_with("steward:") && users.trim().ends_with(":/var/lib/steward:/usr/sbin/nologin"), "{users}");
    assert_eq!(system.mode("etc/steward/steward.env"), 0o640);
    assert_eq!(system.mode("var/backups/steward"), 0o700);
    if is_root() {
        let user: u32 = users.split(':').nth(2).unwrap().parse().unwrap();
        let owner = |path| fs::metadata(system.path(path)).map(|file| (file.uid(), file.gid())).unwrap();
        assert_eq!(owner("etc/steward/steward.env"), (0, user));
        assert_eq!(owner("var/backups/steward"), (user, user));
    }
    for file in [
        "lib/systemd/system/steward.service",
        "usr/share/man/man1/steward-backup.1.gz",
        "usr/share/bash-completion/completions/steward",
        "usr/share/zsh/vendor-completions/_steward",
        "usr/share/fish/vendor_completions.d/steward.fish",
        "usr/share/doc/steward/copyright",
    ] {
        assert!(fs::metadata(system.path(file)).unwrap().len() > 100, "{file}");
    }

    fs::write(system.path("etc/steward/steward.env"), "STEWARD_ENV=mine\n").unwrap();
    system.dpkg(&["--install", package]);
    assert_eq!(fs::read_to_string(system.path("etc/steward/steward.env")).unwrap(), "STEWARD_ENV=mine\n");

    fs::create_dir_all(system.path("var/lib/steward")).unwrap();
    fs::write(system.path("var/lib/steward/steward.db"), "").unwrap();
    fs::write(system.path("etc/steward/secret"), "").unwrap();
    let report = system.dpkg(&["--purge", "steward"]);
    assert!(!system.path("usr/bin/steward").exists() && !system.path("etc/steward/steward.env").exists());
    for file in ["var/lib/steward/steward.db", "etc/steward/secret"] {
        assert!(system.path(file).exists(), "Only a person deletes {file}.");
    }
    assert!(report.contains("var/lib/steward is kept."), "{report}");
    assert!(!system.path("var/backups/steward").exists());
}

#[test]
fn the_same_files_give_the_same_debian_package() {
    let directories = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let [first, second] = directories.each_ref().map(|directory| build(directory.path()));
    run(Command::new("cmp").args([first, second]));
}

#[test]
fn the_settings_file_is_read_by_a_shell_and_by_systemd_alike() {
    let text = fs::read_to_string(packaging("debian/steward.env")).unwrap();
    let settings: Vec<&str> = text.lines().filter(|line| line.starts_with('#') && !line.starts_with("# ")).collect();
    assert!(settings.len() >= 5, "{text}");
    for setting in settings {
        let (name, value) = setting.trim_start_matches('#').split_once('=').unwrap();
        assert!(name.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{setting}");
        let is_plain = !value.contains([' ', '<', '$', '`', '&', ';', '\\']) || value.starts_with('"');
        assert!(is_plain, "A shell reads {setting} in another way than systemd. Quote the value.");
    }
}

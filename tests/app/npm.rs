//! Installs third-party packages that tests use.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Writes files, which are pairs of a name and its content, to the directory `name` in `parent` and installs the
/// packages that they list, once for each version of the files. Returns the directory.
pub fn install_once(parent: &str, name: &str, files: &[(&str, &str)], install: impl FnOnce(&Path)) -> PathBuf {
    let directory = Path::new(parent).join(name);
    fs::create_dir_all(&directory).unwrap();
    // Other tests, possibly in other processes, install at the same time.
    let lock = File::create(directory.join("lock")).unwrap();
    lock.lock().unwrap();
    let installed = directory.join("installed");
    let version: String = files.iter().map(|(_, content)| *content).collect();
    if fs::read_to_string(&installed).is_ok_and(|found| found == version) {
        return directory;
    }

    for (name, content) in files {
        fs::write(directory.join(name), content).unwrap();
    }
    install(&directory);
    fs::write(installed, version).unwrap();
    directory
}

/// Installs the dependencies of an npm package. See [`install_once`].
pub fn install_npm_package(parent: &str, name: &str, files: &[(&str, &str)]) -> PathBuf {
    install_once(parent, name, files, |directory| {
        let mut npm = Command::new("npm");
        npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(directory).stdin(Stdio::null());
        let output = npm.output().unwrap_or_else(|error| report_missing("npm", &error));
        assert!(output.status.success(), "npm ci: {}", String::from_utf8_lossy(&output.stderr));
    })
}

/// Installs the packages of `requirements.txt`, which is one of the files, in the virtual environment `venv`. See
/// [`install_once`].
pub fn install_python_packages(parent: &str, name: &str, files: &[(&str, &str)]) -> PathBuf {
    install_once(parent, name, files, |directory| {
        let run = |program: &Path, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).current_dir(directory).stdin(Stdio::null()).output();
            let output =
                output.unwrap_or_else(|error| panic!("{error}: {}. Run tests/install-tools.sh.", program.display()));
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        };
        run(python(), &["-m", "venv", "--clear", "venv"]);
        let pip = ["install", "--require-hashes", "--only-binary", ":all:", "--requirement", "requirements.txt"];
        run(&directory.join("venv/bin/pip"), &pip);
    })
}

/// Returns the Python that creates virtual environments: that of the system, if there is one, because every user can
/// run it.
fn python() -> &'static Path {
    let system = Path::new("/usr/bin/python3");
    if system.exists() { system } else { Path::new("python3") }
}

/// Panics because a program of Node.js is missing.
pub fn report_missing(program: &str, error: &io::Error) -> ! {
    panic!("{program} failed to start: {error}. Run tests/install-tools.sh, or install Node.js 18 or newer with npm.")
}

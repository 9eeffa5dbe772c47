//! Reads YAML with Python, because the service and its other tests do not need it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use steward_tests::install_python_packages;

use crate::run;

const FILES: &[(&str, &str)] = &[("requirements.txt", include_str!("python/requirements.txt"))];

const READ: &str = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))";

/// Returns a program of the virtual environment with the Python packages.
pub fn python_program(name: &str) -> PathBuf {
    install_python_packages(env!("CARGO_TARGET_TMPDIR"), "python-packages", FILES).join("venv/bin").join(name)
}

/// Returns the documents of a file.
pub fn read_all(path: &Path) -> Vec<Value> {
    let json = run(Command::new(python_program("python")).args(["-c", READ]).arg(path));
    serde_json::from_str(&json).unwrap()
}

/// Returns the only document of a file.
pub fn read(path: &Path) -> Value {
    let mut documents = read_all(path);
    assert_eq!(documents.len(), 1, "{}", path.display());
    documents.remove(0)
}

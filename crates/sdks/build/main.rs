//! Packs the SDKs: the same sources give the same bytes.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "Build scripts talk to cargo this way.")]

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

/// The timestamp of all files, which is that of npm. Programs that write ZIP archives refuse those before 1980.
const TIME: u64 = 499_162_500;

const TYPESCRIPT: &[&str] = &["LICENSE", "README.md", "dist", "package.json"];
const PYTHON: &[&str] = &["LICENSE", "README.md", "pyproject.toml", "src"];
const RUST: &[&str] = &[
    "LICENSE",
    "crates/api-derive/Cargo.toml",
    "crates/api-derive/src",
    "crates/api/Cargo.toml",
    "crates/api/src",
    "crates/client/Cargo.toml",
    "crates/client/README.md",
    "crates/client/src",
];

fn main() -> Result<()> {
    let (version, output) = (env!("CARGO_PKG_VERSION"), PathBuf::from(env::var("OUT_DIR")?));
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR")?).join("../..");

    let mut typescript = Archive::create(&output.join("typescript.tgz"), "package".to_owned())?;
    typescript.add(&root.join("sdks/typescript"), TYPESCRIPT)?;
    typescript.finish()?;

    let mut python = Archive::create(&output.join("python.tar.gz"), format!("steward_sdk-{version}"))?;
    let metadata = format!("Metadata-Version: 2.1\nName: steward-sdk\nVersion: {version}\n");
    python.file("PKG-INFO", metadata.as_bytes())?;
    python.add(&root.join("sdks/python"), PYTHON)?;
    python.finish()?;

    let mut rust = Archive::create(&output.join("rust.tar.gz"), format!("steward-client-{version}"))?;
    let (workspace, rest) = read(&root.join("Cargo.toml"))?.split_once("\nmembers = ").map(owned).context("members")?;
    let (_, rest) = rest.split_once('\n').context("Cargo.toml")?;
    rust.file("Cargo.toml", format!("{workspace}\nmembers = [\"crates/*\"]\n{rest}").as_bytes())?;
    rust.add(&root, RUST)?;
    rust.finish()
}

fn owned((first, second): (&str, &str)) -> (String, String) {
    (first.to_owned(), second.to_owned())
}

/// Reads a file of the repository. Cargo runs the script again after a change of it.
fn read(path: &Path) -> Result<String> {
    println!("cargo::rerun-if-changed={}", path.display());
    fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// A compressed archive of files.
struct Archive {
    files: Builder<GzEncoder<File>>,
    /// The directory that has all files.
    top: String,
}

impl Archive {
    fn create(path: &Path, top: String) -> Result<Self> {
        Ok(Self { files: Builder::new(GzEncoder::new(File::create(path)?, Compression::best())), top })
    }

    /// Adds files, and directories with all that they have, below a directory.
    fn add(&mut self, directory: &Path, names: &[impl AsRef<str>]) -> Result<()> {
        for name in names.iter().map(AsRef::as_ref).filter(|name| is_packed(name)) {
            let path = directory.join(name);
            if !path.is_dir() {
                self.file(name, without_map(&read(&path)?).as_bytes())?;
                continue;
            }
            println!("cargo::rerun-if-changed={}", path.display());
            let mut below = Vec::new();
            for entry in fs::read_dir(&path)? {
                below.push(format!("{name}/{}", entry?.file_name().display()));
            }
            below.sort();
            self.add(directory, &below)?;
        }
        Ok(())
    }

    fn file(&mut self, name: &str, content: &[u8]) -> Result<()> {
        let mut header = Header::new_ustar();
        header.set_size(content.len().try_into()?);
        header.set_mode(0o644);
        header.set_mtime(TIME);
        header.set_uid(0);
        header.set_gid(0);
        Ok(self.files.append_data(&mut header, format!("{}/{name}", self.top), content)?)
    }

    fn finish(self) -> Result<()> {
        self.files.into_inner()?.finish()?;
        Ok(())
    }
}

/// Returns whether a file is part of a package: source maps would double its size, and repeat the sources. What editors and
/// tools leave behind is none.
fn is_packed(name: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    !file.starts_with('.') && !["__pycache__", ".map", ".orig", "~"].iter().any(|end| file.ends_with(end))
}

/// Returns a file without the line that names its source map.
fn without_map(text: &str) -> &str {
    text.rsplit_once("\n//# sourceMappingURL=").map_or(text, |(text, _)| text)
}

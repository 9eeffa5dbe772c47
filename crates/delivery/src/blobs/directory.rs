//! Blobs in a directory, one file per blob.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use async_trait::async_trait;
use steward_domain::administration::{BlobKey, BlobReader, BlobStore};
use steward_domain::kernel::StoreError;
use tokio::io::AsyncReadExt as _;

/// Prefix of the names of incomplete files. Those that remain after a crash can be deleted.
const UNFINISHED: &str = ".unfinished-";
/// Number of bytes per read.
const PIECE: usize = 64 * 1024;

/// Stores blobs in a directory. The first blob creates the directory, which only its owner can read.
#[derive(Debug, Clone)]
pub struct DirectoryBlobs {
    directory: PathBuf,
}

impl DirectoryBlobs {
    /// Stores blobs in this directory.
    pub fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    fn path(&self, key: &BlobKey) -> PathBuf {
        self.directory.join(key.as_str())
    }
}

#[async_trait]
impl BlobStore for DirectoryBlobs {
    async fn put(&self, key: &BlobKey, bytes: Vec<u8>) -> Result<(), StoreError> {
        let (directory, path) = (self.directory.clone(), self.path(key));
        let written = tokio::task::spawn_blocking(move || write(&directory, &path, &bytes)).await;
        written.map_err(anyhow::Error::from).flatten().map_err(StoreError::Unavailable)
    }

    async fn get(&self, key: &BlobKey) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        match tokio::fs::File::open(self.path(key)).await {
            Ok(file) => Ok(Some(Box::new(FileReader(file)))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unreadable(error)),
        }
    }

    async fn delete(&self, key: &BlobKey) {
        match tokio::fs::remove_file(self.path(key)).await {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                tracing::warn!(key = key.as_str(), %error, "An unreferenced image could not be deleted.");
            }
            _ => {}
        }
    }
}

/// Writes a temporary file and renames it once it is on disk, so that a crash leaves all of the bytes or none.
fn write(directory: &Path, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    create(directory).with_context(|| format!("Cannot create the directory {}", directory.display()))?;
    let context = || format!("Cannot write an image to {}", directory.display());
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(directory).with_context(context)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).with_context(context)?;
    file.persist(path).with_context(context)?;
    // The name is on disk only once the directory is.
    File::open(directory).and_then(|directory| directory.sync_all()).with_context(context)
}

fn create(directory: &Path) -> io::Result<()> {
    if fs::exists(directory)? { Ok(()) } else { DirBuilder::new().recursive(true).mode(0o700).create(directory) }
}

fn unreadable(error: io::Error) -> StoreError {
    StoreError::Unavailable(anyhow::Error::new(error).context("Cannot read an image"))
}

struct FileReader(tokio::fs::File);

#[async_trait]
impl BlobReader for FileReader {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, StoreError> {
        let mut piece = Vec::with_capacity(PIECE);
        let read = self.0.read_buf(&mut piece).await.map_err(unreadable)?;
        Ok((read > 0).then_some(piece))
    }
}

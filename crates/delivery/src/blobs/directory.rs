//! Blobs in a directory, a file each.

use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use async_trait::async_trait;
use steward_domain::model::BlobKey;
use steward_domain::ports::{BlobReader, BlobStore, StoreError};
use tokio::io::AsyncReadExt as _;

/// How files begin that are still being written. What a crash leaves of them can be removed.
const UNFINISHED: &str = ".unfinished-";
/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// Keeps blobs in a directory. It is made, for its owner's eyes only, when the first one comes.
#[derive(Debug, Clone)]
pub struct DirectoryBlobs {
    directory: PathBuf,
}

impl DirectoryBlobs {
    /// Keeps them in this directory.
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
                tracing::warn!(key = key.as_str(), %error, "an image that nothing refers to could not be removed");
            }
            _ => {}
        }
    }
}

/// Writes the bytes beside their place, and moves them there once they are on the disk: a crash leaves all of them or none.
fn write(directory: &Path, path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    make(directory).with_context(|| format!("the directory {} cannot be made", directory.display()))?;
    let place = || format!("an image cannot be written in {}", directory.display());
    let mut file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(directory).with_context(place)?;
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).with_context(place)?;
    file.persist(path).with_context(place)?;
    // A name is on the disk only when its directory is.
    File::open(directory).and_then(|directory| directory.sync_all()).with_context(place)
}

fn make(directory: &Path) -> io::Result<()> {
    if fs::exists(directory)? {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(directory)
}

fn unreadable(error: io::Error) -> StoreError {
    StoreError::Unavailable(anyhow::Error::new(error).context("an image cannot be read"))
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

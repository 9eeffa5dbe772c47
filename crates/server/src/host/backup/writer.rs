//! Writes the archive of a backup: a temporary file, which gets its name once it is complete and verified.

use std::fs::DirEntry;
use std::io::{self, BufWriter, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;
use steward_crypto::Sha256;
use steward_domain::administration::{Image, ImageFormat};
use steward_domain::kernel::{ImageId, Time};
use steward_store::backup::{BackupColumn, RowSink};
use tempfile::NamedTempFile;

use crate::files::temporary_file::directory_of;
use crate::terminal::Progress;

use super::manifest::{Part, TablePart};
use super::tar;

/// Prefix of the names of incomplete archives. Those that remain after a crash can be deleted.
const UNFINISHED: &str = ".unfinished-";

/// An archive that is being written.
pub struct ArchiveWriter {
    file: BufWriter<NamedTempFile>,
    /// Timestamp of every file in it, in seconds since the Unix epoch.
    modified: u64,
}

impl ArchiveWriter {
    /// Creates a temporary file in the directory of the archive. Only its owner can read it.
    pub fn create(path: &Path, now: Time) -> anyhow::Result<Self> {
        let file = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(directory_of(path));
        let file = file.with_context(|| format!("Cannot write to {}", directory_of(path).display()))?;
        let modified = u64::try_from(now.timestamp()).unwrap_or_default();
        Ok(Self { file: BufWriter::new(file), modified })
    }

    /// Returns the path of the temporary file.
    pub fn path(&self) -> &Path {
        self.file.get_ref().path()
    }

    /// Begins a file. Its header is written at the end, when its size is known.
    pub fn begin(mut self, name: String) -> anyhow::Result<PartWriter> {
        let start = self.file.stream_position()?;
        self.file.write_all(&[0; tar::BLOCK])?;
        Ok(PartWriter { archive: self, name, start, bytes: 0, checksum: Sha256::default() })
    }

    /// Adds a whole file.
    pub fn add(self, name: &str, data: &[u8]) -> anyhow::Result<(Self, Part)> {
        let mut part = self.begin(name.to_owned())?;
        part.write_all(data)?;
        part.finish()
    }

    /// Ends the archive. Returns the temporary file, which is on disk.
    pub fn finish(mut self) -> anyhow::Result<NamedTempFile> {
        self.file.write_all(&[0; 2 * tar::BLOCK])?;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.as_file().sync_all()?;
        Ok(file)
    }
}

/// Returns the incomplete archives in the directory of an archive.
pub fn unfinished(path: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = directory_of(path).read_dir()?.collect::<io::Result<Vec<_>>>()?;
    let found = entries.iter().filter(|entry| entry.file_name().to_string_lossy().starts_with(UNFINISHED));
    let mut found: Vec<PathBuf> = found.map(DirEntry::path).collect();
    found.sort();
    Ok(found)
}

/// A file in the archive that is being written.
pub struct PartWriter {
    archive: ArchiveWriter,
    name: String,
    /// Position of the header.
    start: u64,
    bytes: u64,
    checksum: Sha256,
}

impl Write for PartWriter {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        let written = self.archive.file.write(data)?;
        self.checksum.update(data.get(..written).unwrap_or_default());
        self.bytes = self.bytes.saturating_add(u64::try_from(written).unwrap_or_default());
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.archive.file.flush()
    }
}

impl PartWriter {
    /// Completes the file and returns the archive.
    pub fn finish(self) -> anyhow::Result<(ArchiveWriter, Part)> {
        let Self { mut archive, name, start, bytes, checksum } = self;
        archive.file.write_all(&vec![0; tar::padding(bytes)])?;
        archive.file.seek(SeekFrom::Start(start))?;
        archive.file.write_all(&tar::header(&name, bytes, archive.modified)?)?;
        archive.file.seek(SeekFrom::End(0))?;
        Ok((archive, Part { name, bytes, sha256: checksum.finish() }))
    }
}

/// Writes the rows of the database into an archive, and notes the images that they refer to.
pub struct RowWriter {
    /// The archive between two tables.
    archive: Option<ArchiveWriter>,
    current: Option<(GzEncoder<PartWriter>, TablePart)>,
    tables: Vec<TablePart>,
    images: Vec<Image>,
    progress: Progress,
}

impl RowWriter {
    pub fn new(archive: ArchiveWriter, progress: Progress) -> Self {
        Self { archive: Some(archive), current: None, tables: Vec::new(), images: Vec::new(), progress }
    }

    /// Ends the last table. Returns the archive, the tables in it and the images to add.
    pub fn finish(mut self) -> anyhow::Result<(ArchiveWriter, Vec<TablePart>, Vec<Image>, Progress)> {
        self.end_table()?;
        Ok((self.archive.context("The archive is incomplete.")?, self.tables, self.images, self.progress))
    }

    fn end_table(&mut self) -> anyhow::Result<()> {
        if let Some((encoder, table)) = self.current.take() {
            let (archive, file) = encoder.finish()?.finish()?;
            self.archive = Some(archive);
            self.tables.push(TablePart { file, ..table });
        }
        Ok(())
    }
}

impl RowSink for RowWriter {
    fn table(&mut self, name: &'static str, columns: &[BackupColumn]) -> anyhow::Result<()> {
        self.end_table()?;
        let archive = self.archive.take().context("The archive is incomplete.")?;
        let part = archive.begin(format!("database/{name}.ndjson.gz"))?;
        let table = TablePart { table: name.to_owned(), columns: columns.to_vec(), ..TablePart::default() };
        self.current = Some((GzEncoder::new(part, Compression::fast()), table));
        Ok(())
    }

    fn row(&mut self, json: &str) -> anyhow::Result<()> {
        let (encoder, table) = self.current.as_mut().context("A row belongs to no table.")?;
        encoder.write_all(json.as_bytes())?;
        encoder.write_all(b"\n")?;
        table.rows = table.rows.saturating_add(1);
        match table.table.as_str() {
            "projects" => self.images.extend(images_of(json, &["icon", "background"])?),
            "project_clients" => self.images.extend(images_of(json, &["logo"])?),
            _ => {}
        }
        self.progress.show(|| format!("{}: {} rows", table.table, table.rows));
        Ok(())
    }
}

/// Returns the images in these columns of a row. Those of a deleted project or client are deleted with it.
fn images_of(row: &str, columns: &[&str]) -> anyhow::Result<Vec<Image>> {
    let row: Value = serde_json::from_str(row)?;
    if row.get("deleted_at").is_some_and(|at| !at.is_null()) {
        return Ok(Vec::new());
    }
    let metadata = columns.iter().filter_map(|column| row.get(column)?.as_str());
    let image = |metadata: &str| {
        let metadata: Value = serde_json::from_str(metadata)?;
        let text = |name: &str| metadata.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = format!("{}.{}", text("id"), text("format"));
        image_named(&name).with_context(|| format!("{name:?} is not the name of an image."))
    };
    metadata.map(image).collect()
}

/// Returns the image with this file name. Only its key is known.
pub fn image_named(name: &str) -> Option<Image> {
    let (id, extension) = name.split_once('.')?;
    let (id, format) = (ImageId::parse(id)?, ImageFormat::parse(extension)?);
    Some(Image { id, format, size: 0, uploaded_at: Time::UNIX_EPOCH })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A restore writes no file under a name of the archive: an image has the ID and the format that its name consists
    /// of.
    #[test]
    fn the_name_of_an_image_in_an_archive_is_no_path() {
        let id = "01940000-0000-7000-8000-00000000abcd";
        assert!(image_named(&format!("{id}.png")).is_some());
        let hostile = ["../../steward.db", "/etc/passwd", "a/b.png", "..", "", ".png", "x.png", "%2e%2e/x.png"];
        let nested = [format!("../{id}.png"), format!("{id}/../x.png"), format!("{id}.png/x"), format!("{id}.exe")];
        for name in hostile.into_iter().map(str::to_owned).chain(nested) {
            assert!(image_named(&name).is_none(), "{name}");
        }
    }
}

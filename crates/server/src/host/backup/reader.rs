//! Reads and verifies the archive of a backup.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek as _, SeekFrom, Take};
use std::path::Path;

use anyhow::{Context as _, bail};
use flate2::read::GzDecoder;
use steward_crypto::Sha256;
use steward_store::backup::{BackupColumn, BackupRows, RowSource};

use crate::terminal::Progress;

use super::manifest::{FORMAT, MANIFEST, MANIFEST_CHECKSUM, Manifest, Part, TablePart};
use super::tar::{self, Member};

/// Maximum size of the manifest. It lists every image.
const MAX_MANIFEST: u64 = 1 << 30;
/// Number of bytes per read.
const PIECE: usize = 64 * 1024;

/// An archive whose manifest is intact.
pub struct Archive {
    file: File,
    members: BTreeMap<String, Member>,
    /// What the archive contains.
    pub manifest: Manifest,
}

impl Archive {
    /// Opens an archive and verifies its manifest.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let mut file = File::open(path).with_context(|| format!("Cannot read {}", path.display()))?;
        let members = tar::members(&mut file).with_context(|| format!("{} is not a backup", path.display()))?;
        let members: BTreeMap<_, _> = members.into_iter().map(|member| (member.name.clone(), member)).collect();
        let manifest = whole(&file, &members, MANIFEST)?;
        let mut checksum = Sha256::default();
        checksum.update(&manifest);
        let expected = format!("{}  {MANIFEST}\n", checksum.finish());
        if whole(&file, &members, MANIFEST_CHECKSUM)? != expected.as_bytes() {
            bail!("The backup is damaged: the checksum of {MANIFEST} is wrong.");
        }
        let format = serde_json::from_slice::<serde_json::Value>(&manifest)?;
        if format.get("format").and_then(serde_json::Value::as_u64) != Some(FORMAT.into()) {
            bail!("This version cannot read the format of the backup. Restore with the version that made it.");
        }
        let manifest = serde_json::from_slice(&manifest)?;
        Ok(Self { file, members, manifest })
    }

    /// Verifies the checksum of every file and the number of rows of every table.
    pub fn verify(&self, progress: &mut Progress) -> anyhow::Result<()> {
        for table in &self.manifest.tables {
            progress.show(|| format!("verifying {}", table.table));
            let mut decoder = GzDecoder::new(Checked::of(self.part(&table.file)?));
            let rows = count_lines(&mut decoder).with_context(|| damaged(&table.file))?;
            if rows != table.rows {
                bail!("The backup is damaged: {} has {rows} rows instead of {}.", table.table, table.rows);
            }
            decoder.into_inner().finish(&table.file)?;
        }
        for image in &self.manifest.images {
            progress.show(|| format!("verifying {}", image.name));
            Checked::of(self.part(image)?).finish(image)?;
        }
        Ok(())
    }

    /// Returns the bytes of an image.
    pub fn image(&self, image: &Part) -> anyhow::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.part(image)?.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn table(&self, name: &str) -> Option<&TablePart> {
        self.manifest.tables.iter().find(|part| part.table == name)
    }

    /// Reads a file in the archive.
    fn part(&self, part: &Part) -> anyhow::Result<Take<&File>> {
        let member = self.members.get(&part.name).filter(|member| member.size == part.bytes);
        let member = member.with_context(|| damaged(part))?;
        let mut file = &self.file;
        file.seek(SeekFrom::Start(member.start))?;
        Ok(file.take(member.size))
    }
}

impl RowSource for Archive {
    fn tables(&self) -> Vec<&str> {
        self.manifest.tables.iter().map(|part| part.table.as_str()).collect()
    }

    fn columns(&self, table: &str) -> Option<&[BackupColumn]> {
        self.table(table).map(|part| part.columns.as_slice())
    }

    fn rows(&mut self, table: &str) -> anyhow::Result<BackupRows<'_>> {
        let part = self.table(table).with_context(|| format!("The backup does not contain the table {table}."))?;
        let lines = BufReader::with_capacity(PIECE, GzDecoder::new(self.part(&part.file)?)).lines();
        Ok(Box::new(lines.map(|line| line.map_err(Into::into))))
    }
}

fn damaged(part: &Part) -> String {
    format!("The backup is damaged: {} is incomplete or changed", part.name)
}

/// Reads a small file as a whole.
fn whole(mut file: &File, members: &BTreeMap<String, Member>, name: &str) -> anyhow::Result<Vec<u8>> {
    let member = members.get(name).filter(|member| member.size <= MAX_MANIFEST);
    let member = member.with_context(|| format!("The archive does not contain {name}, so it is not a backup."))?;
    file.seek(SeekFrom::Start(member.start))?;
    let mut data = Vec::new();
    file.take(member.size).read_to_end(&mut data)?;
    Ok(data)
}

/// Counts lines of any length.
fn count_lines(reader: &mut impl Read) -> io::Result<u64> {
    let (mut piece, mut lines) = (vec![0; PIECE], 0_u64);
    loop {
        let read = reader.read(&mut piece)?;
        if read == 0 {
            return Ok(lines);
        }
        let ends = piece.iter().take(read).filter(|byte| **byte == b'\n').count();
        lines = lines.saturating_add(u64::try_from(ends).unwrap_or_default());
    }
}

/// Computes the checksum of what is read.
struct Checked<R> {
    inner: R,
    checksum: Sha256,
}

impl<R: Read> Checked<R> {
    fn of(inner: R) -> Self {
        Self { inner, checksum: Sha256::default() }
    }

    /// Reads the rest and compares the checksum.
    fn finish(mut self, part: &Part) -> anyhow::Result<()> {
        io::copy(&mut self, &mut io::sink())?;
        if self.checksum.finish() == part.sha256 { Ok(()) } else { bail!("{}.", damaged(part)) }
    }
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.checksum.update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

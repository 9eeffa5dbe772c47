//! `steward item import`: a thread reads the file in chunks, and a few requests at a time write them.

mod chunk;
mod lines;
mod report;
mod writing;

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::io::{self, Read, Seek as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::{Context as _, anyhow, bail};
use clap::Args;
use serde_json::json;
use steward_domain::data::tabular::{Delimiter, LineFormat, NOT_TEXT, TextDecoder, TextEncoding};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

use crate::remote::Context;
use crate::terminal::{Progress, UsageError};

use super::file_format::{FileFormat, STANDARD_STREAM, texts};
use super::item_table::TableOptions;

use chunk::Chunk;
use lines::{BUFFER_BYTES, Source};
use report::Report;
use writing::{MIN_DELAY, OnConflict, Outcome, Turn, Writer};

/// Requests that are sent at the same time.
const MAX_IN_FLIGHT: usize = 4;
/// Chunks that are read ahead.
const QUEUED_CHUNKS: usize = 2;

pub const EXAMPLES: &str = "Examples:
  steward item import notes.csv --project notes --user ann --table notes --dry-run
  steward item import notes.csv --project notes --user ann --table notes --report rejected.csv
  steward item import excel.csv --encoding windows-1252 --project notes --user ann --table notes --dry-run
  steward item import - --format ndjson --project notes --user ann --table notes --on-conflict skip < notes.ndjson

The first line of a CSV file names the columns: id, and fields of the schema. An empty cell is an absent value. Rows and
columns without any value are skipped. Cells can be separated by commas, semicolons or tabs, which is recognized.
Lines without an ID get a new one. An apostrophe before a text that starts like a formula, such as '=1+1, is removed.
Lines that do not fit are reported, and the others are imported; then the exit code is 1.
With --on-conflict fail or skip, an import replaces no item, even if another program creates it in the meantime.
To continue an import that was interrupted, start it again with --on-conflict skip, if all lines have an ID.";

#[derive(Debug, Args)]
pub struct ImportItems {
    /// CSV, TSV or NDJSON file, or - for standard input
    file: String,
    /// Format of the file [default: by its extension; required for standard input]
    #[arg(long)]
    format: Option<FileFormat>,
    /// What separates the cells of a CSV file, such as ; or tab [default: recognized in the first line]
    #[arg(long, value_name = "CHARACTER", value_parser = delimiter)]
    delimiter: Option<Delimiter>,
    /// Encoding of the file, such as windows-1252 [default: UTF-8, or UTF-16 if the file starts with a byte order mark]
    #[arg(long, value_name = "NAME", value_parser = encoding)]
    encoding: Option<TextEncoding>,
    /// Read all texts of a CSV file as they are, such as those of an export with --raw
    #[arg(long)]
    raw: bool,
    /// What to do with a line if there is an item with its ID
    #[arg(long, default_value = "fail")]
    on_conflict: OnConflict,
    /// Check all lines, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write the numbers of the lines that are not imported, and the reasons, to this CSV file
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    table: TableOptions,
}

fn delimiter(text: &str) -> Result<Delimiter, String> {
    Delimiter::parse(text).ok_or_else(|| "must be a punctuation character such as ; or the word tab".to_owned())
}

fn encoding(label: &str) -> Result<TextEncoding, String> {
    TextEncoding::parse(label).ok_or_else(|| "must be an encoding such as utf-8, utf-16le or windows-1252".to_owned())
}

impl ImportItems {
    fn source(&self) -> Result<Source, UsageError> {
        let format = match FileFormat::of(&self.file, self.format, true)? {
            FileFormat::Csv => LineFormat::Csv(self.delimiter),
            FileFormat::Ndjson => LineFormat::NdJson,
        };
        Ok(Source { format, encoding: self.encoding.unwrap_or_default(), texts: texts(self.raw) })
    }
}

pub async fn run(context: &Context, arguments: ImportItems) -> anyhow::Result<()> {
    let source = arguments.source()?;
    check_report(&arguments.file, arguments.report.as_deref())?;
    let (input, length) = open(&arguments.file, source)?;
    let report = arguments.report.as_deref().map(|path| context.output_file(path)).transpose()?;
    let table = arguments.table.open(context).await?;
    let document = table.document(context).await?;
    let name = arguments.table.table.clone();

    let mut import = Import {
        writer: Writer {
            items: table.items,
            on_conflict: arguments.on_conflict,
            is_dry_run: arguments.dry_run,
            min_delay: MIN_DELAY,
            start: Arc::default(),
            had_no_conflicts: Arc::default(),
        },
        in_flight: VecDeque::new(),
        last_end: None,
        report: Report::open(report.as_ref())?,
        progress: Progress::start(length)?,
        stopped: None,
    };
    let (sender, mut chunks) = mpsc::channel(QUEUED_CHUNKS);
    let reader = thread::spawn(move || {
        let send = |chunk| sender.blocking_send(Ok(chunk)).is_ok();
        if let Err(error) = chunk::read(source, input, &document, &name, send) {
            // Without a receiver, the import has stopped already.
            sender.blocking_send(Err(error)).ok();
        }
    });
    while let Some(chunk) = chunks.recv().await {
        match chunk {
            Ok(chunk) => import.add(chunk).await?,
            Err(error) => import.stopped = Some(error),
        }
        if import.stopped.is_some() {
            break;
        }
    }
    // The thread may wait for standard input, unless it has closed the channel.
    let has_failed = import.stopped.is_none() && reader.join().is_err();
    import.finish_all().await?;
    if has_failed {
        import.stopped.get_or_insert_with(|| anyhow!("The file could not be read completely."));
    }
    import.summarize(context, &arguments)
}

/// Fails if the report would overwrite the file that is imported.
fn check_report(file: &str, report: Option<&Path>) -> Result<(), UsageError> {
    let report = report.and_then(|report| report.canonicalize().ok());
    match (Path::new(file).canonicalize(), report) {
        (Ok(input), Some(report)) if input == report => {
            Err(UsageError(format!("--report would overwrite {file}. Name another file for the report.")))
        }
        _ => Ok(()),
    }
}

/// Opens the file. Returns its length too, if it is known.
fn open(file: &str, source: Source) -> anyhow::Result<(Box<dyn Read + Send>, Option<u64>)> {
    if file == STANDARD_STREAM {
        return Ok((Box::new(io::stdin()), None));
    }
    let cannot_read = || format!("Cannot read {file}");
    let mut opened = File::open(file).with_context(cannot_read)?;
    let metadata = opened.metadata().with_context(cannot_read)?;
    if metadata.is_file() && matches!(source.format, LineFormat::Csv(_)) {
        if !is_text(&mut opened, source.encoding).with_context(cannot_read)? {
            bail!("{file} was not imported. {NOT_TEXT}");
        }
        opened.rewind().with_context(cannot_read)?;
    }
    Ok((Box::new(opened), metadata.is_file().then_some(metadata.len())))
}

/// Whether a file is text in an encoding. If it is not, some of its lines could be read, too, and would be imported a
/// second time with the right encoding.
fn is_text(input: &mut impl Read, encoding: TextEncoding) -> io::Result<bool> {
    let (mut decoder, mut buffer) = (TextDecoder::new(encoding), vec![0; BUFFER_BYTES]);
    loop {
        let count = input.read(&mut buffer)?;
        if count == 0 {
            return Ok(str::from_utf8(&decoder.finish()).is_ok());
        }
        if str::from_utf8(&decoder.decode(buffer.get(..count).unwrap_or_default())).is_err() {
            return Ok(false);
        }
    }
}

struct Import {
    writer: Writer,
    in_flight: VecDeque<InFlight>,
    /// The end of the newest chunk.
    last_end: Option<oneshot::Receiver<()>>,
    report: Report,
    progress: Progress,
    /// Why later lines are not imported.
    stopped: Option<anyhow::Error>,
}

struct InFlight {
    /// IDs in the file.
    ids: HashSet<String>,
    bytes_read: u64,
    outcome: JoinHandle<Outcome>,
}

impl Import {
    /// Starts to write a chunk.
    async fn add(&mut self, chunk: Chunk) -> anyhow::Result<()> {
        let ids: HashSet<String> = chunk.given_ids().map(str::to_owned).collect();
        // Lines with the same ID are written in their order.
        while self.in_flight.len() >= MAX_IN_FLIGHT || self.in_flight.iter().any(|other| !other.ids.is_disjoint(&ids)) {
            self.finish_first().await?;
        }
        let bytes_read = chunk.bytes_read;
        let (end, next) = oneshot::channel();
        let turn = Turn { previous: self.last_end.replace(next), end };
        let outcome = tokio::spawn(self.writer.clone().write(chunk, turn));
        self.in_flight.push_back(InFlight { ids, bytes_read, outcome });
        Ok(())
    }

    /// Waits for the oldest chunk, so that the lines are reported in their order.
    async fn finish_first(&mut self) -> anyhow::Result<()> {
        let Some(first) = self.in_flight.pop_front() else { return Ok(()) };
        let mut outcome = first.outcome.await.context("A part of the import failed")?;
        if let Some(error) = outcome.error.take() {
            self.stopped.get_or_insert_with(|| error.into());
        }
        self.report.add(&outcome)?;
        self.progress.update(first.bytes_read, self.report.totals());
        Ok(())
    }

    async fn finish_all(&mut self) -> anyhow::Result<()> {
        while !self.in_flight.is_empty() {
            self.finish_first().await?;
        }
        Ok(())
    }

    fn summarize(self, context: &Context, arguments: &ImportItems) -> anyhow::Result<()> {
        let Self { mut report, progress, stopped, .. } = self;
        drop(progress);
        report.finish()?;
        let dry_run = arguments.dry_run;
        let message = if dry_run {
            format!("Nothing was written. {} can be imported, {} cannot.", report.imported, report.failed)
        } else {
            format!("{}.", report.totals())
        };
        let message = match report.empty_rows {
            0 => message,
            1 => format!("{message} 1 empty row was skipped."),
            count => format!("{message} {count} empty rows were skipped."),
        };
        let entry = json!({
            "lines": report.lines(),
            "imported": report.imported,
            "skipped": report.skipped,
            "failed": report.failed,
            "empty_rows": report.empty_rows,
            "dry_run": dry_run,
        });
        context.output.done(&message, &entry)?;
        if let Some(error) = stopped {
            let message = match report.last_line {
                0 => "Nothing was imported".to_owned(),
                last => format!("The import stopped. Lines after line {last} were not imported"),
            };
            return Err(error.context(message));
        }
        if report.failed > 0 {
            bail!("{} of {} line(s) do not fit or could not be imported.", report.failed, report.lines());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_text_if_all_of_it_is() {
        let long = [&b"x".repeat(2 * BUFFER_BYTES - 2)[..], "Käse".as_bytes()].concat();
        for (file, expected) in [(&long[..], true), (&long[..long.len() - 3], false), (b"", true), (b"K\xe4se", false)]
        {
            assert_eq!(is_text(&mut io::Cursor::new(file), TextEncoding::default()).unwrap(), expected);
        }
    }

    #[test]
    fn a_report_cannot_overwrite_the_file_that_is_imported() {
        let directory = tempfile::tempdir().unwrap();
        let (file, report) = (directory.path().join("notes.csv"), directory.path().join("rejected.csv"));
        std::fs::write(&file, "title\n").unwrap();
        let name = file.to_str().unwrap();
        assert!(check_report(name, None).is_ok() && check_report(name, Some(&report)).is_ok());
        assert!(check_report(STANDARD_STREAM, Some(&report)).is_ok());
        assert!(check_report(name, Some(&directory.path().join(".").join("notes.csv"))).is_err());
    }
}

//! `steward item export`.

use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::path::Path;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::json;
use steward_client::Item;
use steward_domain::data::tabular::{CellText, ItemTable};

use crate::files::temporary_file;
use crate::remote::Context;
use crate::remote::output::pages::Pages;
use crate::terminal::{self, Progress};

use super::file_format::{FileFormat, STANDARD_STREAM, texts};
use super::item_table::{QueryOptions, TableOptions, no_such_table};

pub const EXAMPLES: &str = "Examples:
  steward item export notes.csv --project notes --user ann --table notes
  steward item export --format ndjson --project notes --user ann --table notes --filter done=is.true > done.ndjson

A CSV file has the columns id and the fields of the schema; an absent value is an empty cell, and so is an empty text.
A text that a spreadsheet program would evaluate as a formula has an apostrophe before it, which an import removes again.
An NDJSON file has one item per line, as the API returns it. Both can be imported again.";

#[derive(Debug, Args)]
pub struct ExportItems {
    /// CSV or NDJSON file, or - for standard output; asks before an existing file is replaced
    #[arg(default_value = "-")]
    file: String,
    /// Format of the file [default: by its extension; required for standard output]
    #[arg(long)]
    format: Option<FileFormat>,
    /// Write all texts of a CSV file as they are, for programs: in a spreadsheet program, some may become formulas
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    table: TableOptions,
    #[command(flatten)]
    query: QueryOptions,
}

pub async fn run(context: &Context, arguments: ExportItems) -> anyhow::Result<()> {
    let form = Form {
        format: FileFormat::of(&arguments.file, arguments.format, false)?,
        texts: texts(arguments.raw),
        is_terminal: arguments.file == STANDARD_STREAM && io::stdout().is_terminal(),
    };
    let table = arguments.table.open(context).await?;
    let document = table.document(context).await?;
    let fields = ItemTable::of(&document, &arguments.table.table);
    let fields = fields.with_context(|| no_such_table(&arguments.table.table, &document))?;
    let pages = Pages::of(arguments.query.apply(table.items.list()), None);

    if arguments.file == STANDARD_STREAM {
        let progress = if form.is_terminal { Progress::hidden() } else { Progress::start(None)? };
        let mut output = BufWriter::new(io::stdout());
        write_pages(pages, form, &fields, &mut output, &progress).await?;
        return Ok(());
    }
    let named = context.output_file(Path::new(&arguments.file))?;
    let path = &named.path;
    let mut file = temporary_file::create(path).with_context(|| format!("Cannot write {}", path.display()))?;
    let progress = Progress::start(None)?;
    // The incomplete file is deleted if a person interrupts the export.
    let count = tokio::select! {
        count = write_pages(pages, form, &fields, BufWriter::new(&mut file), &progress) => count?,
        Ok(()) = tokio::signal::ctrl_c() => bail!("The export was interrupted. {} was not written.", path.display()),
    };
    drop(progress);
    named.persist(file)?;
    let message = format!("Exported {count} item(s) to {}.", path.display());
    context.output.done(&message, &json!({"items": count, "file": arguments.file}))
}

/// Writes all items of a list, page by page. Returns their number.
async fn write_pages<W: Write>(
    mut pages: Pages<Item>,
    form: Form,
    table: &ItemTable<'_>,
    mut output: W,
    progress: &Progress,
) -> anyhow::Result<usize> {
    if form.format == FileFormat::Csv {
        output.write_all(&csv_lines([table.header()])?)?;
    }
    let mut count = 0_usize;
    while let Some(page) = pages.next().await? {
        output.write_all(&lines(form, table, &page)?)?;
        count += page.len();
        progress.update(0, format!("{count} items"));
    }
    output.flush()?;
    Ok(count)
}

/// How items are written.
#[derive(Debug, Clone, Copy)]
struct Form {
    format: FileFormat,
    texts: CellText,
    is_terminal: bool,
}

/// Returns items as lines: exactly for programs, and without characters that control a terminal.
fn lines(form: Form, table: &ItemTable<'_>, items: &[Item]) -> anyhow::Result<Vec<u8>> {
    if form.format == FileFormat::Csv {
        let shown = |cell: String| if form.is_terminal { terminal::printable(&cell) } else { cell };
        return csv_lines(items.iter().map(|item| table.cells(item, form.texts).into_iter().map(shown)));
    }
    let mut lines = Vec::new();
    for item in items {
        let line = serde_json::to_string(item)?;
        writeln!(lines, "{}", if form.is_terminal { terminal::printable_json(&line) } else { line })?;
    }
    Ok(lines)
}

fn csv_lines(rows: impl IntoIterator<Item: IntoIterator<Item: AsRef<[u8]>>>) -> anyhow::Result<Vec<u8>> {
    let mut lines = csv::Writer::from_writer(Vec::new());
    rows.into_iter().try_for_each(|row| lines.write_record(row))?;
    Ok(lines.into_inner()?)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use steward_domain::data::schema::Document;

    use super::*;

    fn exported(form: Form, title: &str) -> String {
        let fields = json!({"title": {"type": "string"}, "rank": {"type": "number"}, "tags": {"type": "json"}});
        let schema = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
        let schema = Document::parse(&schema).unwrap();
        let table = ItemTable::of(&schema, "notes").unwrap();
        let Value::Object(item) = json!({"id": "a", "title": title, "rank": -5, "tags": [1]}) else { panic!() };
        String::from_utf8(lines(form, &table, &[Item(item)]).unwrap()).unwrap()
    }

    const CSV: Form = Form { format: FileFormat::Csv, texts: CellText::Safe, is_terminal: false };
    const NDJSON: Form = Form { format: FileFormat::Ndjson, ..CSV };

    #[test]
    fn items_are_written_as_lines() {
        assert_eq!(exported(CSV, "x, \"y\""), "a,\"x, \"\"y\"\"\",-5,[1]\n");
        let line = "{\"id\":\"a\",\"title\":\"x, \\\"y\\\"\",\"rank\":-5,\"tags\":[1]}\n";
        assert_eq!(exported(NDJSON, "x, \"y\""), line);
    }

    #[test]
    fn a_text_is_no_formula_unless_programs_read_the_file() {
        assert_eq!(exported(CSV, "=1+1"), "a,'=1+1,-5,[1]\n");
        let raw = Form { texts: CellText::Raw, ..CSV };
        assert_eq!(exported(raw, "=1+1"), "a,=1+1,-5,[1]\n");
    }

    #[test]
    fn an_item_cannot_control_the_terminal() {
        for form in [CSV, NDJSON] {
            let on_terminal = exported(Form { is_terminal: true, ..form }, "\u{1b}[2J\u{9b}x\u{202e}");
            assert!(!on_terminal.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{on_terminal:?}");
            assert!(exported(form, "\u{9b}").contains('\u{9b}'), "A program reads the exact text.");
        }
    }
}

//! Formats of files with items.

use clap::ValueEnum;
use steward_domain::data::tabular::CellText;

use crate::terminal::UsageError;

/// Stands for standard input or output.
pub const STANDARD_STREAM: &str = "-";

/// Format of a file with items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    Csv,
    Ndjson,
}

impl FileFormat {
    /// Returns the format that is given, or the one that the extension of the file names.
    pub fn of(file: &str, given: Option<Self>, is_import: bool) -> Result<Self, UsageError> {
        let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let by_extension = || match extension.as_deref() {
            Some("csv") => Some(Self::Csv),
            // Spreadsheet programs also save CSV with tabs.
            Some("tsv" | "tab" | "txt") if is_import => Some(Self::Csv),
            Some("ndjson" | "jsonl") => Some(Self::Ndjson),
            _ => None,
        };
        given.or_else(by_extension).ok_or_else(|| {
            let file = if file == STANDARD_STREAM { "standard input or output" } else { file };
            UsageError(format!("The format of {file} is unknown. Pass --format csv or --format ndjson."))
        })
    }
}

/// Returns how the texts of a CSV file are written.
pub fn texts(is_raw: bool) -> CellText {
    if is_raw { CellText::Raw } else { CellText::Safe }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_format_is_given_or_named_by_the_extension() {
        assert_eq!(FileFormat::of("a.b/notes.CSV", None, false).unwrap(), FileFormat::Csv);
        assert_eq!(FileFormat::of("notes.jsonl", None, false).unwrap(), FileFormat::Ndjson);
        assert_eq!(FileFormat::of("notes.csv", Some(FileFormat::Ndjson), false).unwrap(), FileFormat::Ndjson);
        assert!(FileFormat::of("-", None, false).is_err());
        assert!(FileFormat::of("notes.tsv", None, false).is_err(), "An export has commas.");
        assert_eq!(FileFormat::of("notes.TXT", None, true).unwrap(), FileFormat::Csv);
        assert_eq!(FileFormat::of("notes.txt", Some(FileFormat::Ndjson), true).unwrap(), FileFormat::Ndjson);
        assert_eq!(FileFormat::of("notes.jsonl", None, true).unwrap(), FileFormat::Ndjson);
        assert!(FileFormat::of("-", None, true).is_err());
    }
}

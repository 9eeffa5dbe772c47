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
    /// Returns the format that is given for a file to import, or the one that its extension names. Spreadsheet programs also
    /// save CSV with tabs, with extensions of their own.
    pub fn of_import(file: &str, given: Option<Self>) -> Result<Self, UsageError> {
        let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let is_with_tabs = matches!(extension.as_deref(), Some("tsv" | "tab" | "txt"));
        Self::of(file, given.or(is_with_tabs.then_some(Self::Csv)))
    }

    /// Returns the format that is given, or the one that the extension of the file names.
    pub fn of(file: &str, given: Option<Self>) -> Result<Self, UsageError> {
        let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let by_extension = || match extension.as_deref() {
            Some("csv") => Some(Self::Csv),
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
        assert_eq!(FileFormat::of("a.b/notes.CSV", None).unwrap(), FileFormat::Csv);
        assert_eq!(FileFormat::of("notes.jsonl", None).unwrap(), FileFormat::Ndjson);
        assert_eq!(FileFormat::of("notes.csv", Some(FileFormat::Ndjson)).unwrap(), FileFormat::Ndjson);
        assert!(FileFormat::of("-", None).is_err());
        assert!(FileFormat::of("notes.tsv", None).is_err(), "An export has commas.");
        assert_eq!(FileFormat::of_import("notes.TXT", None).unwrap(), FileFormat::Csv);
        assert_eq!(FileFormat::of_import("notes.txt", Some(FileFormat::Ndjson)).unwrap(), FileFormat::Ndjson);
        assert_eq!(FileFormat::of_import("notes.jsonl", None).unwrap(), FileFormat::Ndjson);
        assert!(FileFormat::of_import("-", None).is_err());
    }
}

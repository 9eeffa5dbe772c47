//! What became of the lines.

use std::fs::File;

use anyhow::Context as _;
use steward_domain::data::tabular::CellText;

use crate::terminal::{self, OutputFile};

use super::chunk::Failure;
use super::writing::Outcome;

/// Failures that are printed. A file with all of them can be written too.
const MAX_PRINTED: usize = 20;

#[derive(Default)]
pub struct Report {
    pub imported: usize,
    pub skipped: usize,
    pub failed: usize,
    /// Rows of a CSV file without a value. They are not lines.
    pub empty_rows: u64,
    pub last_line: u64,
    file: Option<csv::Writer<File>>,
    printed: Vec<Failure>,
    /// Number of failures that are not printed.
    others: usize,
}

impl Report {
    /// Starts a report, in a file too if one is named.
    pub fn open(file: Option<&OutputFile>) -> anyhow::Result<Self> {
        let Some(file) = file else { return Ok(Self::default()) };
        let mut file = csv::Writer::from_writer(file.create()?);
        file.write_record(["line", "field", "message"])?;
        Ok(Self { file: Some(file), ..Self::default() })
    }

    pub fn add(&mut self, outcome: &Outcome) -> anyhow::Result<()> {
        self.imported = self.imported.saturating_add(outcome.imported);
        self.skipped = self.skipped.saturating_add(outcome.skipped);
        self.failed = self.failed.saturating_add(outcome.failed);
        self.empty_rows = self.empty_rows.saturating_add(outcome.empty_rows);
        self.last_line = self.last_line.max(outcome.last_line);
        for failure in &outcome.failures {
            if let Some(file) = &mut self.file {
                let field = failure.field.clone().unwrap_or_default();
                let texts = [field, failure.message.clone()].map(|text| CellText::Safe.cell(text));
                file.write_record(std::iter::once(failure.line.to_string()).chain(texts))?;
            }
            if self.printed.len() < MAX_PRINTED {
                self.printed.push(failure.clone());
            } else {
                self.others = self.others.saturating_add(1);
            }
        }
        Ok(())
    }

    /// Returns the number of lines: each is either imported, skipped or failed.
    pub fn lines(&self) -> usize {
        self.imported.saturating_add(self.skipped).saturating_add(self.failed)
    }

    /// Returns the totals in words.
    pub fn totals(&self) -> String {
        format!("{} imported, {} skipped, {} failed", self.imported, self.skipped, self.failed)
    }

    /// Completes the file, and prints the first failures.
    pub fn finish(&mut self) -> anyhow::Result<()> {
        if let Some(file) = &mut self.file {
            file.flush().context("Cannot write the report")?;
        }
        for failure in &self.printed {
            // A name in the file could contain a line break.
            terminal::note(&format!("Line {}: {}", failure.line, failure.message.replace('\n', "\u{fffd}")));
        }
        if self.others > 0 {
            let others = self.others;
            terminal::note(&format!("There are {others} more problems. --report FILE writes all of them to a file."));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_failures_are_in_the_file_and_the_first_ones_are_printed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("report.csv");
        let mut report = Report::open(Some(&OutputFile::new(&path, false).unwrap())).unwrap();
        let failure = |line| Failure { line, field: Some("rank".into()), message: "a, b".into() };
        let failures = (2..32).map(failure).collect();
        let outcome = Outcome { imported: 1, failed: 30, failures, ..Outcome::default() };
        report.add(&outcome).unwrap();
        report.finish().unwrap();
        assert_eq!((report.printed.len(), report.others), (20, 10));
        assert_eq!((report.totals().as_str(), report.lines()), ("1 imported, 0 skipped, 30 failed", 31));
        let written = std::fs::read_to_string(&path).unwrap();
        assert_eq!(written.lines().count(), 31);
        assert!(written.starts_with("line,field,message\n2,rank,\"a, b\"\n"), "{written}");
    }
}

//! Groups rows into batches of a limited size, each of which one statement inserts.

use super::BackupRows;

/// Maximum size of a batch in bytes, unless one row is larger.
const MAX_BYTES: usize = 512 * 1024;
/// Maximum number of rows in a batch.
const MAX_ROWS: usize = 2_000;

/// The batches of a table, each as a JSON array.
pub(super) struct Batches<'a>(BackupRows<'a>);

impl<'a> Batches<'a> {
    pub(super) fn of(rows: BackupRows<'a>) -> Self {
        Self(rows)
    }

    /// Returns the next batch, or `None` after the last row.
    pub(super) fn next(&mut self) -> anyhow::Result<Option<String>> {
        let (mut batch, mut rows) = (String::new(), 0_usize);
        while batch.len() < MAX_BYTES && rows < MAX_ROWS {
            let Some(row) = self.0.next().transpose()? else { break };
            batch.push(if rows == 0 { '[' } else { ',' });
            batch.push_str(&row);
            rows = rows.saturating_add(1);
        }
        batch.push(']');
        Ok((rows > 0).then_some(batch))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(rows: Vec<String>) -> Vec<usize> {
        let mut batches = Batches::of(Box::new(rows.into_iter().map(Ok)));
        let mut sizes = Vec::new();
        while let Some(batch) = batches.next().unwrap() {
            sizes.push(serde_json::from_str::<Vec<serde_json::Value>>(&batch).unwrap().len());
        }
        sizes
    }

    #[test]
    fn batches_are_limited_by_rows_and_bytes_and_contain_every_row() {
        assert_eq!(sizes(Vec::new()), [0; 0]);
        assert_eq!(sizes(vec!["{}".to_owned(); MAX_ROWS + 1]), [MAX_ROWS, 1]);
        let large = format!("{{\"a\":\"{}\"}}", "x".repeat(MAX_BYTES));
        assert_eq!(sizes(vec![large; 3]), [1, 1, 1]);
    }
}

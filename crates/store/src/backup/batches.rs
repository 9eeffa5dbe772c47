//! Inserts rows in batches of a limited size, each with one statement.

use anyhow::Context as _;
use diesel::QueryResult;

use super::rows::BackupRows;

/// Maximum size of a batch in bytes, unless one row is larger.
const MAX_BYTES: usize = 512 * 1024;
/// Maximum number of rows in a batch.
const MAX_ROWS: usize = 2_000;

/// Inserts the rows of a table with a statement that takes a JSON array.
pub(super) fn insert_rows(
    table: &str,
    mut rows: BackupRows<'_>,
    mut insert: impl FnMut(&str) -> QueryResult<usize>,
) -> anyhow::Result<()> {
    while let Some(batch) = next_batch(&mut rows)? {
        insert(&batch).with_context(|| format!("Unable to restore the table {table}"))?;
    }
    Ok(())
}

/// Returns the next rows as a JSON array, or `None` after the last row.
fn next_batch(rows: &mut BackupRows<'_>) -> anyhow::Result<Option<String>> {
    let (mut batch, mut count) = (String::new(), 0_usize);
    while batch.len() < MAX_BYTES && count < MAX_ROWS {
        let Some(row) = rows.next().transpose()? else { break };
        batch.push(if count == 0 { '[' } else { ',' });
        batch.push_str(&row);
        count = count.saturating_add(1);
    }
    batch.push(']');
    Ok((count > 0).then_some(batch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(rows: Vec<String>) -> Vec<usize> {
        let mut sizes = Vec::new();
        let insert = |batch: &str| {
            sizes.push(serde_json::from_str::<Vec<serde_json::Value>>(batch).unwrap().len());
            Ok(1)
        };
        insert_rows("items", Box::new(rows.into_iter().map(Ok)), insert).unwrap();
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

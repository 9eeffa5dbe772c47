//! Lists of any length: each page is printed before the next one is read.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::terminal;

use super::{Output, aligned_line, cell, printable, widths};

/// The columns of a table, unless a person selects others.
#[derive(Debug, Clone, Copy)]
pub enum ListColumns<'a> {
    /// These members of the entries. `profile.name` is a member of a member, in the column `NAME`.
    Named(&'a [&'a str]),
    /// `id`, and each other member that an entry of the first page has.
    Members,
}

/// Prints a list as a table or as one JSON array.
pub struct ListPrinter<'a> {
    output: &'a Output,
    columns: ListColumns<'a>,
    is_json: bool,
    /// The layout of the table, which the first page decides.
    table: Option<Table>,
    /// Number of entries so far.
    count: usize,
    /// Members of the entries so far.
    members: BTreeSet<String>,
}

impl<'a> ListPrinter<'a> {
    fn new(output: &'a Output, columns: ListColumns<'a>, is_json: bool) -> Self {
        Self { output, columns, is_json, table: None, count: 0, members: BTreeSet::new() }
    }

    /// Prints a page. Fails with the last one if no entry has a selected field, so a list of one page is not printed.
    pub fn page(&mut self, entries: Vec<Value>, is_last: bool) -> anyhow::Result<()> {
        let text = self.text(entries, is_last)?;
        terminal::print_text(&text)?;
        let hidden = self.hidden_members();
        if is_last && !hidden.is_empty() {
            let hidden = hidden.join(", ");
            terminal::note(&format!(
                "Only later entries have these fields, which the table omits: {hidden}. Use --json to see them."
            ));
        }
        Ok(())
    }

    fn text(&mut self, entries: Vec<Value>, is_last: bool) -> anyhow::Result<String> {
        for name in entries.iter().filter_map(Value::as_object).flat_map(Map::keys) {
            if !self.members.contains(name) {
                self.members.insert(name.clone());
            }
        }
        let is_empty = self.count == 0 && entries.is_empty();
        if is_last && !is_empty {
            self.output.check_selected(&self.members)?;
        }
        if self.is_json { self.json(entries, is_last) } else { Ok(self.rows(&entries, is_last)) }
    }

    /// Returns the next part of the array.
    fn json(&mut self, entries: Vec<Value>, is_last: bool) -> anyhow::Result<String> {
        let is_indented = self.output.is_terminal;
        let mut text = String::new();
        for entry in entries {
            let entry = self.output.selected(entry);
            text.push(if self.count == 0 { '[' } else { ',' });
            if is_indented {
                // Strings in JSON contain no line breaks.
                text.push_str("\n  ");
                text.push_str(&self.output.json(&serde_json::to_string_pretty(&entry)?).replace('\n', "\n  "));
            } else {
                text.push_str(&self.output.json(&entry.to_string()));
            }
            self.count = self.count.saturating_add(1);
        }
        if is_last {
            text.push_str(match (self.count, is_indented) {
                (0, _) => "[]\n",
                (_, true) => "\n]\n",
                (_, false) => "]\n",
            });
        }
        Ok(text)
    }

    /// Returns the next lines of the table.
    fn rows(&mut self, entries: &[Value], is_last: bool) -> String {
        self.count = self.count.saturating_add(entries.len());
        let mut text = String::new();
        // A page of a search may be empty before the last one.
        if self.table.is_none() && (is_last || !entries.is_empty()) {
            let is_nested = self.output.fields.is_empty() && matches!(self.columns, ListColumns::Named(_));
            let table = Table::of(self.column_names(entries), is_nested, entries);
            text.push_str(&self.output.bold(&aligned_line(&table.heads(), &table.widths)));
            text.push('\n');
            self.table = Some(table);
        }
        if let Some(table) = &self.table {
            for entry in entries {
                text.push_str(&aligned_line(&table.row(entry), &table.widths));
                text.push('\n');
            }
        }
        text
    }

    fn column_names(&self, first_page: &[Value]) -> Vec<String> {
        let mut names: Vec<String> = match self.columns {
            _ if !self.output.fields.is_empty() => return self.output.fields.clone(),
            ListColumns::Named(names) => return names.iter().map(|name| (*name).to_owned()).collect(),
            ListColumns::Members => vec!["id".to_owned()],
        };
        for name in first_page.iter().filter_map(Value::as_object).flat_map(Map::keys) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Returns the members that would have a column if an entry of the first page had them.
    fn hidden_members(&self) -> Vec<&str> {
        match (&self.table, self.columns) {
            (Some(table), ListColumns::Members) if self.output.fields.is_empty() => {
                self.members.iter().filter(|name| !table.columns.contains(name)).map(String::as_str).collect()
            }
            _ => Vec::new(),
        }
    }
}

impl Output {
    /// Prints entries as a table with these columns, or as a JSON array.
    pub fn list<T: Serialize>(&self, entries: &[T], columns: &[&str]) -> anyhow::Result<()> {
        let entries = entries.iter().map(serde_json::to_value).collect::<Result<Vec<_>, _>>()?;
        self.pages(ListColumns::Named(columns)).page(entries, true)
    }

    /// Prints a list that is read in pages, as a table with these columns or as a JSON array.
    pub fn pages<'a>(&'a self, columns: ListColumns<'a>) -> ListPrinter<'a> {
        ListPrinter::new(self, columns, self.is_json)
    }

    /// Prints a list that is read in pages, as a JSON array.
    pub fn array(&self) -> ListPrinter<'_> {
        ListPrinter::new(self, ListColumns::Members, true)
    }
}

/// The layout of a table.
struct Table {
    columns: Vec<String>,
    /// Whether a dot in the name of a column separates the names of two members. The fields of items may contain dots.
    is_nested: bool,
    widths: Vec<usize>,
}

impl Table {
    /// Fits the widths of the columns to these entries.
    fn of(columns: Vec<String>, is_nested: bool, entries: &[Value]) -> Self {
        let mut table = Self { columns, is_nested, widths: Vec::new() };
        let rows: Vec<Vec<String>> =
            std::iter::once(table.heads()).chain(entries.iter().map(|entry| table.row(entry))).collect();
        table.widths = widths(&rows);
        table
    }

    fn heads(&self) -> Vec<String> {
        let head = |column: &String| {
            let name = if self.is_nested { column.rsplit('.').next().unwrap_or(column) } else { column };
            printable(&name.replace('_', " ")).to_uppercase()
        };
        self.columns.iter().map(head).collect()
    }

    fn row(&self, entry: &Value) -> Vec<String> {
        let member = |column: &String| match column.split_once('.').filter(|_| self.is_nested) {
            Some((above, name)) => entry.get(above)?.get(name).map(cell),
            None => entry.get(column).map(cell),
        };
        self.columns.iter().map(|column| member(column).unwrap_or_default()).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::UsageError;
    use super::*;

    fn output(fields: &[&str], is_terminal: bool) -> Output {
        let fields = fields.iter().map(|field| (*field).to_owned()).collect();
        Output { is_json: false, fields, is_terminal, has_colors: false }
    }

    /// Prints one entry per page.
    fn printed(printer: &mut ListPrinter<'_>, entries: &[Value]) -> String {
        let last = entries.len() - 1;
        let page = |(number, entry): (usize, &Value)| printer.text(vec![entry.clone()], number == last).unwrap();
        entries.iter().enumerate().map(page).collect()
    }

    #[test]
    fn pages_of_json_are_one_array() {
        let entries = [json!({"id": 1, "text": "a\nb"}), json!({"id": 2, "list": [{}, {"c": []}]}), json!({})];
        let compact = output(&[], false);
        let text = printed(&mut ListPrinter::new(&compact, ListColumns::Members, true), &entries);
        assert_eq!(text, format!("{}\n", json!(entries)));
        let indented = output(&[], true);
        let text = printed(&mut ListPrinter::new(&indented, ListColumns::Members, true), &entries);
        assert_eq!(text, format!("{}\n", serde_json::to_string_pretty(&entries).unwrap()));
        for output in [compact, indented] {
            assert_eq!(ListPrinter::new(&output, ListColumns::Members, true).text(Vec::new(), true).unwrap(), "[]\n");
        }
    }

    #[test]
    fn the_first_page_decides_the_layout_of_a_table() {
        let entries = [json!({"id": "12345", "name": "x"}), json!({"id": "1", "name": "y", "later": true})];
        let output = output(&[], false);
        let mut printer = ListPrinter::new(&output, ListColumns::Members, false);
        assert_eq!(printed(&mut printer, &entries), "ID     NAME\n12345  x\n1      y\n");
        assert_eq!(printer.hidden_members(), ["later"]);
        let mut printer = ListPrinter::new(&output, ListColumns::Named(&["name", "created_at"]), false);
        assert_eq!(printed(&mut printer, &entries), "NAME  CREATED AT\nx\ny\n");
        assert!(printer.hidden_members().is_empty());
    }

    #[test]
    fn a_column_can_be_a_member_of_a_member_but_a_field_with_a_dot_is_one_field() {
        let entries = [json!({"id": 1, "profile": {"name": "Ann"}, "a.b": 2}), json!({"id": 2, "profile": {}})];
        let output = output(&[], false);
        let mut printer = ListPrinter::new(&output, ListColumns::Named(&["id", "profile.name"]), false);
        assert_eq!(printed(&mut printer, &entries), "ID  NAME\n1   Ann\n2\n");
        let mut printer = ListPrinter::new(&output, ListColumns::Members, false);
        assert!(printed(&mut printer, &entries).starts_with("ID  PROFILE         A.B\n"), "{entries:?}");
    }

    #[test]
    fn the_name_of_a_column_cannot_control_the_terminal() {
        let output = output(&[], true);
        let mut printer = ListPrinter::new(&output, ListColumns::Members, false);
        let text = printed(&mut printer, &[json!({"id": 1, "a\u{1b}[2J\u{9b}": 2})]);
        assert_eq!(text.lines().next().unwrap(), "ID  A\u{fffd}[2J\u{fffd}");
    }

    #[test]
    fn a_field_that_no_entry_has_cannot_be_selected() {
        let entries = [json!({"id": 1}), json!({"id": 2, "rank": 3})];
        for is_json in [false, true] {
            let known = output(&["rank"], false);
            let mut printer = ListPrinter::new(&known, ListColumns::Members, is_json);
            assert!(printed(&mut printer, &entries).contains('3'));
            let unknown = output(&["rang"], false);
            let error =
                ListPrinter::new(&unknown, ListColumns::Members, is_json).text(entries.to_vec(), true).unwrap_err();
            assert!(error.is::<UsageError>() && error.to_string().contains("id, rank"), "{error}");
            assert!(ListPrinter::new(&unknown, ListColumns::Members, is_json).text(Vec::new(), true).is_ok());
        }
    }
}

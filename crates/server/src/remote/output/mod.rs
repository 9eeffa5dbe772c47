//! Results: tables and lists of values for people, JSON for programs.

mod list;
pub mod pages;
pub mod repeated;

use std::collections::BTreeSet;
use std::io::IsTerminal as _;

use anyhow::bail;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::terminal::{self, UsageError};

pub use list::ListColumns;

/// How results are printed.
pub struct Output {
    /// Whether the output is for programs.
    pub is_json: bool,
    fields: Vec<String>,
    is_terminal: bool,
    has_colors: bool,
}

impl Output {
    pub fn new(is_json: bool, fields: Vec<String>) -> Self {
        let is_terminal = std::io::stdout().is_terminal();
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let has_colors = is_terminal && set("NO_COLOR").is_none() && set("TERM").is_none_or(|term| term != "dumb");
        Self { is_json, fields, is_terminal, has_colors }
    }

    /// Prints JSON if the output is not a terminal.
    pub fn json_unless_terminal(&self) -> Self {
        let is_json = self.is_json || !self.is_terminal;
        Self { is_json, fields: self.fields.clone(), ..*self }
    }

    /// Prints one entry, as lines of names and values or as a JSON object.
    pub fn entry(&self, entry: &impl Serialize) -> anyhow::Result<()> {
        let entry = serde_json::to_value(entry)?;
        if self.is_json {
            return self.value(entry);
        }
        self.check_fields(std::slice::from_ref(&entry))?;
        let Value::Object(members) = self.selected(entry) else { return Ok(()) };
        let mut rows = Vec::new();
        add_rows("", &members, &mut rows);
        aligned(&rows).iter().try_for_each(|line| terminal::print(line))
    }

    /// Reports that a change is done: the message for people, the entry as a JSON object for programs.
    pub fn done(&self, message: &str, entry: &impl Serialize) -> anyhow::Result<()> {
        if self.is_json {
            return self.value(serde_json::to_value(entry)?);
        }
        terminal::note(message);
        Ok(())
    }

    /// Prints JSON, indented on a terminal, with the selected fields only.
    pub fn value(&self, value: Value) -> anyhow::Result<()> {
        self.check_fields(if let Value::Array(entries) = &value { entries } else { std::slice::from_ref(&value) })?;
        let value: Value = match value {
            Value::Array(entries) => entries.into_iter().map(|entry| self.selected(entry)).collect(),
            entry => self.selected(entry),
        };
        terminal::print(&if self.is_terminal {
            self.json(&serde_json::to_string_pretty(&value)?)
        } else {
            value.to_string()
        })
    }

    /// Prints an entry as one line of JSON, with the selected fields only.
    pub fn line(&self, entry: &impl Serialize) -> anyhow::Result<()> {
        let entry = serde_json::to_value(entry)?;
        self.check_fields(std::slice::from_ref(&entry))?;
        terminal::print(&self.json(&self.selected(entry).to_string()))
    }

    /// Returns JSON as it is printed: exactly for programs, and without characters that control a terminal.
    fn json(&self, text: &str) -> String {
        if self.is_terminal { terminal::printable_json(text) } else { text.to_owned() }
    }

    fn selected(&self, entry: Value) -> Value {
        match entry {
            Value::Object(mut members) if !self.fields.is_empty() => {
                let selected = self.fields.iter().filter_map(|field| Some((field.clone(), members.remove(field)?)));
                Value::Object(selected.collect::<Map<_, _>>())
            }
            entry => entry,
        }
    }

    /// Fails if no entry has a selected field.
    fn check_fields(&self, entries: &[Value]) -> anyhow::Result<()> {
        if self.fields.is_empty() || entries.is_empty() {
            return Ok(());
        }
        self.check_selected(&entries.iter().filter_map(Value::as_object).flat_map(Map::keys).cloned().collect())
    }

    /// Fails if a selected field is not among the members of the entries.
    fn check_selected(&self, members: &BTreeSet<String>) -> anyhow::Result<()> {
        match self.fields.iter().find(|field| !members.contains(*field)) {
            Some(field) => {
                let known = members.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
                bail!(UsageError(format!("{field:?} is not a field of the result. Its fields are: {known}.")))
            }
            None => Ok(()),
        }
    }

    fn bold(&self, text: &str) -> String {
        if self.has_colors { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// Adds a row for each member. Those of an object in it follow its name.
fn add_rows(above: &str, members: &Map<String, Value>, rows: &mut Vec<Vec<String>>) {
    for (name, value) in members {
        let name = format!("{above}{}", printable(&name.replace('_', " ")));
        match value {
            Value::Null => {}
            Value::Object(members) if !is_reference(members) => match quota(members) {
                Some(quota) => rows.push(vec![format!("{name}:"), quota]),
                None => add_rows(&format!("{name} "), members, rows),
            },
            value => rows.push(vec![format!("{name}:"), cell(value)]),
        }
    }
}

/// Returns the text of a quota, which has these two members.
fn quota(members: &Map<String, Value>) -> Option<String> {
    let (used, limit) = (members.get("used")?, members.get("limit")?);
    (members.len() == 2).then(|| format!("{} of {}", cell(used), cell(limit)))
}

/// Whether an object refers to a resource, such as the actor of an event. It may have a name.
fn is_reference(members: &Map<String, Value>) -> bool {
    members.contains_key("type") && members.contains_key("id")
}

/// Returns the text of a value. Lists of objects are counted.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => printable(text),
        Value::Array(values) if values.iter().any(Value::is_object) => values.len().to_string(),
        Value::Array(values) => values.iter().map(cell).collect::<Vec<_>>().join(", "),
        Value::Object(members) if is_reference(members) => {
            let name = if members.contains_key("name") { "name" } else { "id" };
            let cells = ["type", name].into_iter().filter_map(|name| members.get(name)).map(cell);
            cells.collect::<Vec<_>>().join(" ").trim_end().to_owned()
        }
        value => printable(&value.to_string()),
    }
}

/// Returns a text for a cell, which has one line.
fn printable(text: &str) -> String {
    terminal::printable(&text.replace('\n', "\u{fffd}"))
}

/// Returns the lines of a table whose columns are aligned.
fn aligned(rows: &[Vec<String>]) -> Vec<String> {
    let widths = widths(rows);
    rows.iter().map(|row| aligned_line(row, &widths)).collect()
}

/// Returns the widths of the columns of a table.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    (0..columns).map(|column| width(column).unwrap_or_default()).collect()
}

/// Returns a line of a table. A cell that is wider than its column moves the cells after it.
fn aligned_line(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}", width = *width));
    cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn output(fields: &[&str]) -> Output {
        let fields = fields.iter().map(|field| (*field).to_owned()).collect();
        Output { is_json: true, fields, is_terminal: false, has_colors: false }
    }

    #[test]
    fn columns_are_aligned() {
        let row = |cells: [&str; 2]| cells.map(str::to_owned).to_vec();
        assert_eq!(aligned(&[row(["ID", "NAME"]), row(["12345", "é"])]), ["ID     NAME", "12345  é"]);
    }

    #[test]
    fn an_entry_is_shown_without_json() {
        let entry = json!({
            "name": "Rocket", "website": null, "usage": {"items": {"used": 3, "limit": 10}}, "actor": {"type": "key", "id": "5"},
            "profile": {"accent_color": "red", "links": {"blog": "x"}, "empty": {}}, "on": [1, 2],
        });
        let mut rows = Vec::new();
        add_rows("", entry.as_object().unwrap(), &mut rows);
        let lines: Vec<String> = rows.iter().map(|row| row.join(" ")).collect();
        let expected = [
            "name: Rocket",
            "usage items: 3 of 10",
            "actor: key 5",
            "profile accent color: red",
            "profile links blog: x",
            "on: 1, 2",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_value_cannot_control_the_terminal() {
        assert_eq!(cell(&json!("a\u{1b}[2Jb")), "a\u{fffd}[2Jb");
        assert_eq!(cell(&json!(["a", "b"])), "a, b");
        assert_eq!(cell(&json!([{}, {}])), "2");
        assert_eq!(cell(&json!({"type": "account", "id": "5", "token_id": null})), "account 5");
        assert_eq!(cell(&json!({"type": "account", "id": "5", "name": "ann"})), "account ann");
        assert_eq!(cell(&json!({"type": "system", "id": null})), "system");
    }

    #[test]
    fn only_known_fields_can_be_selected() {
        let entry = json!({"id": 1, "name": "x"});
        assert_eq!(output(&["name"]).selected(entry.clone()), json!({"name": "x"}));
        assert_eq!(output(&[]).selected(entry.clone()), entry);
        let error = output(&["nam"]).check_fields(&[entry]).unwrap_err();
        assert!(error.is::<UsageError>() && error.to_string().contains("id, name"), "{error}");
        assert!(output(&["nam"]).check_fields(&[]).is_ok());
    }
}

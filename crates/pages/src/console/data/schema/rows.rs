//! The tables and fields of a schema document as the rows of a form. What a row does not show is kept.

use std::collections::HashMap;

use serde_json::{Map, Value, json};
use steward_domain::data::schema::{Change, Document, FieldType, MAX_FIELDS, MAX_TABLES};
use steward_domain::kernel::error::Error;
use steward_domain::kernel::violations::{Violation, Violations};

use crate::request::form::Form;

/// Maximum number of fields that a page shows or edits.
const MAX_ROWS: usize = 500;
/// Maximum number of fields of a table in the picture of the tables.
const MAX_PICTURED: usize = 6;

/// The rows of a form, in the order of the document.
#[derive(Debug, Default)]
pub(crate) struct Rows(Vec<TableRow>);

/// A table.
#[derive(Debug, Default)]
pub(crate) struct TableRow {
    /// Prefix of the names of its inputs.
    pub(crate) id: String,
    pub(crate) name: String,
    /// Its name in the document that is edited; empty if it is new.
    pub(crate) was: String,
    pub(crate) fields: Vec<FieldRow>,
}

/// A field of a table.
#[derive(Debug, Default)]
pub(crate) struct FieldRow {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) was: String,
    pub(crate) kind: String,
    pub(crate) is_required: bool,
    pub(crate) is_indexed: bool,
    pub(crate) description: String,
    /// The types that it can have. That of a published field cannot change.
    pub(crate) kinds: Vec<&'static str>,
    /// Position and name of the table to which it leads, by its name.
    pub(crate) leads_to: Option<(usize, String)>,
}

impl TableRow {
    /// Returns the name of one of its inputs.
    pub(crate) fn input(&self, part: &str) -> String {
        format!("{}-{part}", self.id)
    }

    /// Returns the fields that the picture of the tables shows.
    pub(crate) fn pictured(&self) -> &[FieldRow] {
        self.fields.get(..MAX_PICTURED).unwrap_or(&self.fields)
    }

    fn of(name: &str, table: &Value) -> Self {
        let fields = table.get("fields").and_then(Value::as_object).into_iter().flatten();
        let fields = fields.map(|(name, field)| FieldRow::of(name, field)).collect();
        Self { id: String::new(), name: name.to_owned(), was: name.to_owned(), fields }
    }
}

impl FieldRow {
    /// Returns the name of one of its inputs.
    pub(crate) fn input(&self, part: &str) -> String {
        format!("{}-{part}", self.id)
    }

    fn of(name: &str, field: &Value) -> Self {
        let text = |member: &str| field.get(member).and_then(Value::as_str).unwrap_or_default().to_owned();
        let flag = |member: &str| field.get(member).and_then(Value::as_bool).unwrap_or(false);
        Self {
            name: name.to_owned(),
            was: name.to_owned(),
            kind: text("type"),
            is_required: flag("required"),
            is_indexed: flag("indexed"),
            description: text("description"),
            ..Self::default()
        }
    }

    fn of_string() -> Self {
        Self { kind: FieldType::String.as_str().into(), ..Self::default() }
    }

    /// Returns the type and the properties, for a comparison.
    pub(crate) fn summary(&self) -> String {
        let required = if self.is_required { ", required" } else { "" };
        let indexed = if self.is_indexed { ", indexed" } else { "" };
        let description = if self.description.is_empty() { "" } else { ": " };
        format!("{}{required}{indexed}{description}{}", self.kind, self.description)
    }

    /// Returns the field as a document declares it, with the other members of the edited one.
    fn to_value(&self, edited: Option<&Value>) -> Value {
        let mut members = edited.and_then(Value::as_object).cloned().unwrap_or_default();
        members.insert("type".into(), json!(self.kind));
        for (name, is_set) in [("required", self.is_required), ("indexed", self.is_indexed)] {
            if is_set || members.contains_key(name) {
                members.insert(name.into(), json!(is_set));
            }
        }
        if !self.description.is_empty() {
            members.insert("description".into(), json!(self.description));
        } else if members.get("description").is_some_and(Value::is_string) {
            members.shift_remove("description");
        }
        Value::Object(members)
    }
}

impl Rows {
    /// Returns the rows of a document.
    pub(crate) fn of(document: &Map<String, Value>) -> Self {
        let tables = document.get("tables").and_then(Value::as_object).into_iter().flatten();
        Self(tables.map(|(name, table)| TableRow::of(name, table)).collect()).numbered()
    }

    /// Returns the rows of a submitted form, in its order. A script that adds and removes rows leaves gaps in their
    /// numbers.
    pub(crate) fn of_form(form: &Form) -> Self {
        let values: HashMap<&str, &str> = form.fields().collect();
        let given =
            |id: &str, part: &str| values.get(format!("{id}-{part}").as_str()).map(|value| value.trim().to_owned());
        let text = |id: &str, part: &str| given(id, part).unwrap_or_default();
        let mut tables = Vec::<TableRow>::new();
        for id in form.fields().filter_map(|(name, _)| name.strip_suffix("-name")) {
            let (name, was) = (text(id, "name"), text(id, "was"));
            let Some((table, _)) = id.split_once("-f") else {
                if tables.len() <= MAX_TABLES {
                    tables.push(TableRow { id: id.to_owned(), name, was, ..TableRow::default() });
                }
                continue;
            };
            let table = tables.last_mut().filter(|last| last.id == table && last.fields.len() <= MAX_FIELDS);
            if let Some(table) = table {
                table.fields.push(FieldRow {
                    name,
                    was,
                    kind: text(id, "type"),
                    is_required: given(id, "required").is_some(),
                    is_indexed: given(id, "indexed").is_some(),
                    description: text(id, "description"),
                    ..FieldRow::default()
                });
            }
        }
        Self(tables).numbered()
    }

    /// Returns the inputs of the form that shows these rows. [`Rows::of_form`] reads them.
    pub(crate) fn to_fields(&self) -> Vec<(String, String)> {
        let mut inputs = Vec::new();
        for table in &self.0 {
            inputs.push((table.input("name"), table.name.clone()));
            inputs.push((table.input("was"), table.was.clone()));
            for field in &table.fields {
                let texts = [
                    ("name", &field.name),
                    ("was", &field.was),
                    ("type", &field.kind),
                    ("description", &field.description),
                ];
                inputs.extend(texts.map(|(part, text)| (field.input(part), text.clone())));
                let flags = [("required", field.is_required), ("indexed", field.is_indexed)];
                let set = flags.into_iter().filter(|(_, is_set)| *is_set);
                inputs.extend(set.map(|(part, _)| (field.input(part), "true".to_owned())));
            }
        }
        inputs
    }

    fn numbered(mut self) -> Self {
        for (number, table) in self.0.iter_mut().enumerate() {
            table.id = format!("t{number}");
            for (number, field) in table.fields.iter_mut().enumerate() {
                field.id = format!("{}-f{number}", table.id);
            }
        }
        self
    }

    /// Returns the rows of the tables that changes add to a document.
    pub(crate) fn added<'c>(changes: impl Iterator<Item = &'c Change>, document: &Map<String, Value>) -> Self {
        let tables = document.get("tables");
        let added = changes.filter_map(|change| {
            let change = change.to_value();
            let is_added = change.get("type").and_then(Value::as_str) == Some("table_added");
            let name = change.get("table").and_then(Value::as_str).filter(|_| is_added)?;
            Some(TableRow::of(name, tables?.get(name)?))
        });
        Self(added.collect()).numbered()
    }

    /// Whether a page cannot show all fields.
    pub(crate) fn is_large(&self) -> bool {
        self.fields() > MAX_ROWS
    }

    pub(crate) fn tables(&self) -> &[TableRow] {
        &self.0
    }

    /// Returns the number of fields of all tables.
    pub(crate) fn fields(&self) -> usize {
        self.0.iter().map(|table| table.fields.len()).sum()
    }

    /// Returns how many fields the picture of the tables shows of the longest table.
    pub(crate) fn pictured(&self) -> usize {
        self.0.iter().map(|table| table.pictured().len()).max().unwrap_or_default()
    }

    /// Sets the tables to which fields lead: by its name, `note_id` leads to the table `notes`, and `city_id` to `cities`.
    pub(crate) fn related(mut self) -> Self {
        let names = self.0.iter().enumerate().map(|(number, table)| (table.name.to_lowercase(), (number, &table.name)));
        let singular = |name: &str| match name.strip_suffix("ies") {
            Some(stem) => format!("{stem}y"),
            None => name.strip_suffix('s').unwrap_or(name).to_owned(),
        };
        let singulars = names.clone().map(|(name, table)| (singular(&name), table));
        let tables = singulars.chain(names).map(|(name, (number, table))| (name, (number, table.clone())));
        let tables: HashMap<String, (usize, String)> = tables.collect();
        for field in self.0.iter_mut().flat_map(|table| &mut table.fields) {
            field.leads_to = field.name.to_lowercase().strip_suffix("_id").and_then(|stem| tables.get(stem).cloned());
        }
        self
    }

    /// Sets the types that each field can have.
    pub(crate) fn allowing_for(mut self, published: Option<&Document>) -> Self {
        for table in &mut self.0 {
            let fields = published.map(|document| document.fields(&table.was)).unwrap_or_default();
            let kinds: HashMap<&str, FieldType> = fields.into_iter().filter(|_| table.name == table.was).collect();
            for field in &mut table.fields {
                field.kinds = match kinds.get(field.name.as_str()) {
                    Some(kind) if field.name == field.was => vec![kind.as_str()],
                    _ => FieldType::ALL.iter().map(|kind| kind.as_str()).collect(),
                };
            }
        }
        self
    }

    /// Returns a table with one field, which a script copies under another name.
    pub(crate) fn blank() -> Self {
        let field = FieldRow { id: "new-f0".into(), ..FieldRow::of_string() };
        Self(vec![TableRow { id: "new".into(), fields: vec![field], ..TableRow::default() }])
    }

    /// Adds or removes the row that a button of the form names. Returns the input to continue with, if there is one.
    pub(crate) fn press(&mut self, button: &str) -> Option<String> {
        let added = match button.split_once('-') {
            Some(("add", "table")) => {
                self.0.push(TableRow { fields: vec![FieldRow::of_string()], ..TableRow::default() });
                Some(format!("t{}-name", self.0.len().saturating_sub(1)))
            }
            Some(("add", id)) => self.0.iter_mut().find(|table| table.id == id).map(|table| {
                table.fields.push(FieldRow::of_string());
                format!("{id}-f{}-name", table.fields.len().saturating_sub(1))
            }),
            Some(("remove", id)) => {
                self.0.retain(|table| table.id != id);
                self.0.iter_mut().for_each(|table| table.fields.retain(|field| field.id != id));
                None
            }
            _ => None,
        };
        *self = std::mem::take(self).numbered();
        added
    }

    /// Returns the document with these tables. All other members are those of the edited document.
    pub(crate) fn document(&self, edited: &Map<String, Value>) -> Result<Map<String, Value>, Error> {
        let (mut tables, mut violations) = (Map::new(), Violations::default());
        for table in &self.0 {
            let before = edited.get("tables").and_then(|tables| tables.get(&table.was));
            let mut fields = Map::new();
            for field in &table.fields {
                let before = before.and_then(|table| table.get("fields")?.get(&field.was));
                let unique = unique_name(&fields, &field.name, "field");
                violations.extend(unique.err().map(|message| Violation::invalid(field.input("name"), message)));
                fields.insert(field.name.clone(), field.to_value(before));
            }
            let mut members = before.and_then(Value::as_object).cloned().unwrap_or_default();
            members.insert("fields".into(), Value::Object(fields));
            let unique = unique_name(&tables, &table.name, "table");
            violations.extend(unique.err().map(|message| Violation::invalid(table.input("name"), message)));
            tables.insert(table.name.clone(), Value::Object(members));
        }
        if !violations.is_empty() {
            return Err(Error::Invalid(violations));
        }
        let mut members = edited.clone();
        members.insert("tables".into(), Value::Object(tables));
        Ok(members)
    }

    /// Returns the input in which a part of the document is entered.
    pub(crate) fn input_of(&self, path: &[String]) -> String {
        let step = |number: usize| path.get(number).map(String::as_str).unwrap_or_default();
        let table = self.0.iter().find(|table| step(0) == "tables" && table.name == step(1));
        let Some(table) = table else { return "tables".to_owned() };
        let field = table.fields.iter().find(|field| step(2) == "fields" && field.name == step(3));
        match (field, step(4)) {
            (None, _) => table.input("name"),
            (Some(field), "type") => field.input("type"),
            (Some(field), _) => field.input("name"),
        }
    }
}

/// Checks what a document cannot express: an empty name, and two equal ones. The domain checks everything else.
fn unique_name(others: &Map<String, Value>, name: &str, kind: &str) -> Result<(), String> {
    match name {
        "" => Err(format!("Enter the name of the {kind}")),
        name if others.contains_key(name) => Err(format!("There is another {kind} with the name \"{name}\"")),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    fn edited() -> Map<String, Value> {
        members(json!({"project_id": "p", "version": 1, "namespace": "n", "tables": {
            "notes": {"color": "red", "fields": {
                "title": {"type": "string", "required": true, "note": 1},
                "rank": {"type": "number", "indexed": false},
            }},
        }}))
    }

    #[test]
    fn unchanged_rows_result_in_the_same_document() {
        let document = Rows::of(&edited()).document(&edited()).unwrap();
        assert_eq!(Value::Object(document).to_string(), Value::Object(edited()).to_string());
    }

    #[test]
    fn rows_are_read_from_their_inputs() {
        let mut rows = Rows::of(&edited());
        rows.press("add-table");
        rows.0[0].fields[1].description = "Sorts".into();
        let read = Rows::of_form(&Form::of_fields(rows.to_fields()));
        assert_eq!(read.to_fields(), rows.to_fields());
        assert_eq!(read.0[0].fields[0].was, "title");
        assert!(read.0[0].fields[0].is_required && !read.0[0].fields[1].is_required);
        assert_eq!((read.0.len(), read.0[1].fields.len()), (2, 1));
    }

    #[test]
    fn changed_rows_keep_what_they_do_not_show() {
        let mut rows = Rows::of(&edited());
        assert_eq!(rows.press("add-t0").as_deref(), Some("t0-f2-name"));
        let fields = &mut rows.0[0].fields;
        fields[0].name = "headline".into();
        fields[0].is_required = false;
        fields[1].description = "Sorts".into();
        fields[2].name = "more".into();
        fields[2].kind = "json".into();
        fields[2].is_indexed = true;
        let document = rows.document(&edited()).unwrap();
        let expected = json!({"project_id": "p", "version": 1, "namespace": "n", "tables": {
            "notes": {"color": "red", "fields": {
                "headline": {"type": "string", "required": false, "note": 1},
                "rank": {"type": "number", "indexed": false, "description": "Sorts"},
                "more": {"type": "json", "indexed": true},
            }},
        }});
        assert_eq!(Value::Object(document), expected);
    }

    #[test]
    fn buttons_add_and_remove_rows() {
        let mut rows = Rows::of(&edited());
        assert_eq!(rows.press("add-table").as_deref(), Some("t1-name"));
        assert_eq!((rows.0.len(), rows.0[1].fields.len()), (2, 1));
        rows.press("remove-t0-f0");
        assert_eq!((rows.0[0].fields[0].name.as_str(), rows.0[0].fields[0].id.as_str()), ("rank", "t0-f0"));
        rows.press("remove-t0");
        assert_eq!((rows.0.len(), rows.0[0].id.as_str(), rows.fields()), (1, "t0", 1));
        for unknown in ["", "remove-t9", "add-t9", "review"] {
            assert_eq!(rows.press(unknown), None);
        }
        assert_eq!(rows.0.len(), 1);
    }

    #[test]
    fn empty_and_repeated_names_are_violations_of_their_inputs() {
        let mut rows = Rows::of(&edited());
        rows.press("add-t0");
        rows.press("add-table");
        rows.0[0].fields[1].name = "title".into();
        let Err(Error::Invalid(violations)) = rows.document(&edited()) else { panic!() };
        let found: Vec<&str> = violations.as_slice().iter().map(|one| one.field.as_str()).collect();
        assert_eq!(found, ["t0-f1-name", "t0-f2-name", "t1-f0-name", "t1-name"]);
    }

    #[test]
    fn only_the_type_of_a_published_field_is_fixed() {
        let published = Document::parse(&Value::Object(edited())).unwrap();
        let mut rows = Rows::of(&edited());
        rows.0[0].fields[1].name = "order".into();
        let rows = rows.allowing_for(Some(&published));
        assert_eq!(rows.0[0].fields[0].kinds, ["string"]);
        assert_eq!(rows.0[0].fields[1].kinds, ["string", "boolean", "number", "json"]);
    }

    #[test]
    fn a_field_leads_to_the_table_that_its_name_names() {
        let fields = json!({"Note_id": {"type": "string"}, "city_id": {"type": "string"}, "_id": {"type": "string"}});
        let tables = json!({"notes": {"fields": fields}, "cities": {"fields": {}}});
        let rows = Rows::of(&members(json!({"tables": tables}))).related();
        let found: Vec<_> = rows.0[0].fields.iter().map(|field| field.leads_to.clone()).collect();
        assert_eq!(found, [Some((0, "notes".to_owned())), Some((1, "cities".to_owned())), None]);
        assert_eq!((rows.pictured(), rows.0[0].fields[0].summary().as_str()), (3, "string"));
    }

    #[test]
    fn rows_that_a_script_numbered_keep_their_order() {
        let given = ["t3-name", "t3-f7-name", "t3-f2-name", "t1-name", "t3-f4-name", "t1-f0-name"];
        let form = Form::of_fields(given.map(|name| (name.to_owned(), name.to_owned())).to_vec());
        let rows = Rows::of_form(&form);
        let names: Vec<_> =
            rows.0.iter().map(|table| table.fields.iter().map(|f| f.name.as_str()).collect::<Vec<_>>()).collect();
        assert_eq!(names, [vec!["t3-f7-name", "t3-f2-name"], vec!["t1-f0-name"]]);
        assert_eq!((rows.0[1].id.as_str(), rows.0[0].fields[1].id.as_str()), ("t1", "t0-f1"));
    }

    #[test]
    fn a_path_leads_to_the_input_of_its_row() {
        let rows = Rows::of(&edited());
        let input = |path: &str| rows.input_of(&path.split('/').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(input("tables/notes/fields/rank/type"), "t0-f1-type");
        assert_eq!(input("tables/notes/fields/rank"), "t0-f1-name");
        assert_eq!(input("tables/notes/color"), "t0-name");
        assert_eq!(input("namespace"), "tables");
    }
}

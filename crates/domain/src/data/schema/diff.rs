//! The impact of schema changes on clients of the previous version. Each change is classified by the items that would
//! no longer conform. docs/decisions/0007-schema-changes.md gives the reasons.

use serde_json::{Value, json};

use super::compare::{Difference, differences};
use super::{Change, Document, Field, MAX_LISTED_CHANGES, Mismatch, MismatchQuery, Mismatches};

use crate::kernel::named;

named! {
    /// The impact of a change on clients of the previous version.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum ChangeClass: "the name used in the API" {
        /// Everything that could be written and read before still can be.
        Compatible = "compatible",
        /// Writes by existing programs may be rejected. All stored items conform.
        Risky = "risky",
        /// Some stored items no longer conform.
        Breaking = "breaking",
    }
}

/// A change and the items that no longer conform because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedChange {
    /// The change to the document.
    pub change: Change,
    /// The impact of the change.
    pub class: ChangeClass,
    /// The items that no longer conform.
    pub mismatches: Mismatches,
}

impl CountedChange {
    /// Returns the change as a JSON object, including its impact.
    pub fn to_value(&self) -> Value {
        let mut members = self.change.0.clone();
        let samples: Vec<&str> = self.mismatches.samples.iter().map(|id| id.as_str()).collect();
        members.insert("class".into(), json!(self.class.as_str()));
        members.insert("affected_items".into(), json!(self.mismatches.count));
        members.insert("sample_ids".into(), json!(samples));
        Value::Object(members)
    }
}

/// The changes of a publication and their impact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaDiff {
    /// The changes, in the order of docs/schema.md#changes-between-documents: the first [`MAX_LISTED_CHANGES`], and of
    /// the rest those that can affect items.
    pub changes: Vec<CountedChange>,
}

impl SchemaDiff {
    /// Returns the overall impact: the worst impact of any change.
    pub fn class(&self) -> ChangeClass {
        self.changes.iter().map(|change| change.class).max().unwrap_or(ChangeClass::Compatible)
    }
}

/// Changes whose affected items are not counted yet. None of them changes a type: such changes are rejected earlier
/// (docs/schema.md#updates).
#[derive(Debug, Clone, PartialEq)]
pub struct UncountedChanges {
    changes: Vec<(Change, ChangeClass, Option<MismatchQuery>)>,
}

impl UncountedChanges {
    /// Determines how each change from one document to the next can affect stored items. After the first
    /// [`MAX_LISTED_CHANGES`], only changes that can affect items are included.
    pub fn between(current: &Document, next: &Document) -> Self {
        let mut changes = Vec::new();
        for difference in differences(current, next) {
            let (unaffected_class, any) = effect(&difference, next);
            let query = (!any.is_empty())
                .then(|| MismatchQuery { table: difference.table.unwrap_or_default().to_owned(), any });
            if query.is_some() || changes.len() < MAX_LISTED_CHANGES {
                changes.push((difference.to_change(), unaffected_class, query));
            }
        }
        Self { changes }
    }

    /// Returns the queries for the affected items.
    pub fn queries(&self) -> Vec<MismatchQuery> {
        self.changes.iter().filter_map(|(.., query)| query.clone()).collect()
    }

    /// Classifies the changes. `answers` are the results of [`UncountedChanges::queries`], in the same order.
    pub fn classify(self, answers: Vec<Mismatches>) -> SchemaDiff {
        let mut answers = answers.into_iter();
        let changes = self.changes.into_iter().map(|(change, unaffected_class, query)| {
            let mismatches = query.and_then(|_| answers.next()).unwrap_or_default();
            let class = if mismatches.count > 0 { ChangeClass::Breaking } else { unaffected_class };
            CountedChange { change, class, mismatches }
        });
        SchemaDiff { changes: changes.collect() }
    }
}

/// Returns the impact of a change if no item is affected, and the mismatches of affected items. Items left behind by an
/// earlier version count too: they may not conform to a table or field that is added again under the same name.
fn effect(change: &Difference<'_>, next: &Document) -> (ChangeClass, Vec<Mismatch>) {
    use ChangeClass::{Compatible, Risky};
    let name = || change.field.unwrap_or_default().to_owned();
    let table = change.table.and_then(|table| next.table(table));
    let field = change.field.and_then(|field| table?.field(field));
    let required = field.is_some_and(|field| field.required);
    match change.kind {
        "table_removed" => (Risky, vec![Mismatch::Stored]),
        "table_added" => (Compatible, next.mismatches(change.table.unwrap_or_default())),
        "field_added" => {
            let violations = field.map(|field| mismatches_with(&name(), field)).unwrap_or_default();
            (if required { Risky } else { Compatible }, violations)
        }
        "field_removed" => (Risky, vec![Mismatch::Holds(name())]),
        "field_required_changed" if required => (Risky, vec![Mismatch::Lacks(name())]),
        _ => (Compatible, Vec::new()),
    }
}

impl Document {
    /// Returns all possible mismatches of an item with a table.
    pub fn mismatches(&self, table: &str) -> Vec<Mismatch> {
        let Some(table) = self.table(table) else { return vec![Mismatch::Stored] };
        let names = table.fields.iter().map(|(name, _)| name.clone()).collect();
        let within = table.fields.iter().flat_map(|(name, field)| mismatches_with(name, *field));
        std::iter::once(Mismatch::HoldsBeside(names)).chain(within).collect()
    }
}

/// Returns the possible mismatches of an item with a field that it was not validated against.
fn mismatches_with(name: &str, field: Field) -> Vec<Mismatch> {
    let other = Mismatch::HoldsOther(name.to_owned(), field.kind);
    let lacks = field.required.then(|| Mismatch::Lacks(name.to_owned()));
    std::iter::once(other).chain(lacks).collect()
}

#[cfg(test)]
mod tests {
    use ChangeClass::{Breaking, Compatible, Risky};
    use Mismatch::{Holds, HoldsBeside, HoldsOther, Lacks, Stored};

    use super::*;
    use crate::data::ItemId;
    use crate::data::schema::FieldType;

    fn document(version: u32, tables: Value) -> Document {
        Document::parse(&json!({"project_id": "p", "version": version, "tables": tables})).unwrap()
    }

    /// Returns the changes of an update, except the change of the version.
    fn uncounted(old: Value, new: Value) -> UncountedChanges {
        let (old, new) = (document(1, old), document(2, new));
        let mut uncounted = UncountedChanges::between(&old, &new);
        uncounted.changes.remove(0);
        uncounted
    }

    fn with(field: Value) -> Value {
        json!({"t": {"fields": {"kept": {"type": "string"}, "f": field}}})
    }

    fn without() -> Value {
        json!({"t": {"fields": {"kept": {"type": "string"}}}})
    }

    #[test]
    fn each_kind_of_change_is_classified_by_the_items_it_affects() {
        let f = || "f".to_owned();
        let number = |members: Value| {
            let mut field = json!({"type": "number"});
            field.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
            with(field)
        };
        let plain = || number(json!({}));
        let required = || number(json!({"required": true}));
        let other = HoldsOther(f(), FieldType::Number);
        let fresh = vec![HoldsBeside(vec!["kept".into(), f()]), HoldsOther("kept".into(), FieldType::String)];
        for (kind, old, new, unaffected_class, any) in [
            ("table_removed", without(), json!({}), Risky, vec![Stored]),
            ("table_added", json!({}), plain(), Compatible, [fresh.clone(), vec![other.clone()]].concat()),
            ("table_added", json!({}), required(), Compatible, [fresh, vec![other.clone(), Lacks(f())]].concat()),
            ("field_added", without(), plain(), Compatible, vec![other.clone()]),
            ("field_added", without(), required(), Risky, vec![other, Lacks(f())]),
            ("field_removed", plain(), without(), Risky, vec![Holds(f())]),
            ("field_required_changed", plain(), required(), Risky, vec![Lacks(f())]),
            ("field_required_changed", required(), plain(), Compatible, vec![]),
            ("field_required_changed", required(), number(json!({"required": false})), Compatible, vec![]),
            ("field_property_added", plain(), number(json!({"indexed": true})), Compatible, vec![]),
            ("field_property_changed", number(json!({"n": 1})), number(json!({"n": 2})), Compatible, vec![]),
            ("field_property_removed", number(json!({"n": 1})), plain(), Compatible, vec![]),
        ] {
            let uncounted = uncounted(old, new);
            let (change, found, query) = &uncounted.changes[0];
            assert_eq!((&change.to_value()["type"], *found), (&json!(kind), unaffected_class));
            assert_eq!(query.clone().map(|query| query.any).unwrap_or_default(), any, "{kind}");
            let queries = uncounted.queries();
            assert!(queries.iter().all(|query| query.table == "t"));
            let none = vec![Mismatches::default(); queries.len()];
            assert_eq!(uncounted.clone().classify(none).class(), unaffected_class, "{kind}");
            let some = vec![Mismatches { count: 1, samples: Vec::new() }; queries.len()];
            let worst = if queries.is_empty() { unaffected_class } else { Breaking };
            assert_eq!(uncounted.classify(some).class(), worst, "{kind}");
        }
    }

    #[test]
    fn changes_of_top_level_members_are_compatible() {
        let old = document(1, json!({}));
        let new = Document::parse(&json!({"project_id": "p", "version": 2, "tables": {}, "namespace": "n"})).unwrap();
        let uncounted = UncountedChanges::between(&old, &new);
        assert_eq!(uncounted.queries(), []);
        assert_eq!(uncounted.classify(Vec::new()).class(), Compatible);
    }

    #[test]
    fn counts_are_assigned_to_their_changes_and_the_worst_class_is_the_overall_class() {
        let old = json!({"gone": {"fields": {}}, "t": {"fields": {"f": {"type": "string"}, "g": {"type": "string"}}}});
        let new = json!({"t": {"fields": {"g": {"type": "string", "required": true, "note": 1}}}});
        let uncounted = uncounted(old, new);
        assert_eq!(uncounted.queries().len(), 3);
        let found = |count| Mismatches { count, samples: vec![ItemId::parse("x").unwrap()] };
        let diff = uncounted.classify(vec![Mismatches::default(), Mismatches::default(), found(7)]);
        assert_eq!(diff.class(), Breaking);
        let reported: Vec<Value> = diff.changes.iter().map(CountedChange::to_value).collect();
        assert_eq!(
            reported,
            [
                json!({"type": "table_removed", "table": "gone", "class": "risky", "affected_items": 0, "sample_ids": []}),
                json!({"type": "field_required_changed", "table": "t", "field": "g", "new": true,
                    "class": "risky", "affected_items": 0, "sample_ids": []}),
                json!({"type": "field_removed", "table": "t", "field": "f",
                    "class": "breaking", "affected_items": 7, "sample_ids": ["x"]}),
                json!({"type": "field_property_added", "table": "t", "field": "g", "property": "required", "new": true,
                    "class": "compatible", "affected_items": 0, "sample_ids": []}),
                json!({"type": "field_property_added", "table": "t", "field": "g", "property": "note", "new": 1,
                    "class": "compatible", "affected_items": 0, "sample_ids": []}),
            ]
        );
    }
}

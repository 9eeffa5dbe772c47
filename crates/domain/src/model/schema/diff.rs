//! What the changes of a document do to those who rely on the one before: each change judged by the items that would
//! no longer fit. Decision 7 gives the reasons.

use serde_json::{Map, Value, json};

use super::compare::{Difference, differences};
use super::{Change, Document, Field, MAX_LISTED_CHANGES, Mismatch, MismatchQuery, Mismatches};

/// What a change does to those who rely on the document before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChangeClass {
    /// Nothing: whatever was written and read before can still be.
    Compatible,
    /// What programs write may be refused from now on; what is stored fits.
    Risky,
    /// There are items that no longer fit.
    Breaking,
}

impl ChangeClass {
    /// The name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Compatible => "compatible",
            Self::Risky => "risky",
            Self::Breaking => "breaking",
        }
    }
}

/// A change and the items that would no longer fit because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CountedChange {
    /// The change.
    pub change: Change,
    /// What it does.
    pub class: ChangeClass,
    /// The items that would no longer fit.
    pub mismatches: Mismatches,
}

impl CountedChange {
    /// The change as a JSON object, with what it does.
    pub fn to_value(&self) -> Value {
        let mut members = match self.change.to_value() {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        let samples: Vec<&str> = self.mismatches.samples.iter().map(|id| id.as_str()).collect();
        members.insert("class".into(), json!(self.class.as_str()));
        members.insert("affected_items".into(), json!(self.mismatches.count));
        members.insert("sample_ids".into(), json!(samples));
        Value::Object(members)
    }
}

/// What a publication changes and does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SchemaDiff {
    /// The changes, in the order of schema rules 4: the first [`MAX_LISTED_CHANGES`], and of the others those that concern
    /// items.
    pub changes: Vec<CountedChange>,
}

impl SchemaDiff {
    /// What the whole does: the worst that one of its changes does.
    pub fn class(&self) -> ChangeClass {
        self.changes.iter().map(|change| change.class).max().unwrap_or(ChangeClass::Compatible)
    }
}

/// Changes whose items are still to be counted. None of them changes a type: that is refused before (schema rules 5).
#[derive(Debug, Clone, PartialEq)]
pub struct UncountedChanges {
    changes: Vec<(Change, ChangeClass, Option<MismatchQuery>)>,
}

impl UncountedChanges {
    /// Finds what each of the changes from one document to the next does to stored items. Beyond those that are listed,
    /// only changes that concern items are kept.
    pub fn between(current: &Document, next: &Document) -> Self {
        let mut changes = Vec::new();
        for difference in differences(current, next) {
            let (least, any) = effect(&difference, next);
            let query = (!any.is_empty())
                .then(|| MismatchQuery { table: difference.table.unwrap_or_default().to_owned(), any });
            if query.is_some() || changes.len() < MAX_LISTED_CHANGES {
                changes.push((difference.to_change(), least, query));
            }
        }
        Self { changes }
    }

    /// What is to be asked about stored items.
    pub fn queries(&self) -> Vec<MismatchQuery> {
        self.changes.iter().filter_map(|(.., query)| query.clone()).collect()
    }

    /// The changes with the answers to [`UncountedChanges::queries`], in their order.
    pub fn judged(self, answers: Vec<Mismatches>) -> SchemaDiff {
        let mut answers = answers.into_iter();
        let changes = self.changes.into_iter().map(|(change, least, query)| {
            let mismatches = query.and_then(|_| answers.next()).unwrap_or_default();
            let class = if mismatches.count > 0 { ChangeClass::Breaking } else { least };
            CountedChange { change, class, mismatches }
        });
        SchemaDiff { changes: changes.collect() }
    }
}

/// What a change does where no item has any of these violations. Data that an earlier version left behind counts: it may not
/// fit what comes back under its name.
fn effect(change: &Difference<'_>, next: &Document) -> (ChangeClass, Vec<Mismatch>) {
    use ChangeClass::{Compatible, Risky};
    let name = || change.field.unwrap_or_default().to_owned();
    let table = change.table.and_then(|table| next.table(table));
    let field = change.field.and_then(|field| table?.field(field));
    let required = field.is_some_and(|field| field.required);
    match change.kind {
        "table_removed" => (Risky, vec![Mismatch::Stored]),
        "table_added" => {
            let fields = || table.into_iter().flat_map(|table| &table.fields);
            let names = fields().map(|(name, _)| name.clone()).collect();
            let within = fields().flat_map(|(name, field)| errors_of(name, *field));
            (Compatible, std::iter::once(Mismatch::HoldsBeside(names)).chain(within).collect())
        }
        "field_added" => {
            let violations = field.map(|field| errors_of(&name(), field)).unwrap_or_default();
            (if required { Risky } else { Compatible }, violations)
        }
        "field_removed" => (Risky, vec![Mismatch::Holds(name())]),
        "field_required_changed" if required => (Risky, vec![Mismatch::Lacks(name())]),
        _ => (Compatible, Vec::new()),
    }
}

/// What an item may have against a field that it was not checked for.
fn errors_of(name: &str, field: Field) -> Vec<Mismatch> {
    let other = Mismatch::HoldsOther(name.to_owned(), field.kind);
    let lacks = field.required.then(|| Mismatch::Lacks(name.to_owned()));
    std::iter::once(other).chain(lacks).collect()
}

#[cfg(test)]
mod tests {
    use ChangeClass::{Breaking, Compatible, Risky};
    use Mismatch::{Holds, HoldsBeside, HoldsOther, Lacks, Stored};

    use super::*;
    use crate::model::ItemId;
    use crate::model::schema::FieldType;

    fn document(version: u32, tables: Value) -> Document {
        Document::parse(&json!({"project_id": "p", "version": version, "tables": tables})).unwrap()
    }

    /// The changes of one update, without the version's own.
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
    fn each_kind_of_change_is_judged_by_the_items_it_concerns() {
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
        for (what, old, new, least, any) in [
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
            assert_eq!((&change.to_value()["type"], *found), (&json!(what), least));
            assert_eq!(query.clone().map(|query| query.any).unwrap_or_default(), any, "{what}");
            let asked = uncounted.queries();
            assert!(asked.iter().all(|query| query.table == "t"));
            let none = vec![Mismatches::default(); asked.len()];
            assert_eq!(uncounted.clone().judged(none).class(), least, "{what}");
            let some = vec![Mismatches { count: 1, samples: Vec::new() }; asked.len()];
            let worst = if asked.is_empty() { least } else { Breaking };
            assert_eq!(uncounted.judged(some).class(), worst, "{what}");
        }
    }

    #[test]
    fn changes_of_the_documents_own_members_are_compatible() {
        let old = document(1, json!({}));
        let new = Document::parse(&json!({"project_id": "p", "version": 2, "tables": {}, "namespace": "n"})).unwrap();
        let uncounted = UncountedChanges::between(&old, &new);
        assert_eq!(uncounted.queries(), []);
        assert_eq!(uncounted.judged(Vec::new()).class(), Compatible);
    }

    #[test]
    fn the_answers_find_their_changes_and_the_worst_class_is_the_whole_ones() {
        let old = json!({"gone": {"fields": {}}, "t": {"fields": {"f": {"type": "string"}, "g": {"type": "string"}}}});
        let new = json!({"t": {"fields": {"g": {"type": "string", "required": true, "note": 1}}}});
        let uncounted = uncounted(old, new);
        assert_eq!(uncounted.queries().len(), 3);
        let found = |count| Mismatches { count, samples: vec![ItemId::parse("x").unwrap()] };
        let diff = uncounted.judged(vec![Mismatches::default(), Mismatches::default(), found(7)]);
        assert_eq!(diff.class(), Breaking);
        let told: Vec<Value> = diff.changes.iter().map(CountedChange::to_value).collect();
        assert_eq!(
            told,
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

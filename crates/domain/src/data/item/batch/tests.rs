//! Tests of batches.

use serde_json::json;

use super::*;
use crate::data::ItemValue;
use crate::kernel::Revision;
use crate::kernel::work::Tenant;
use crate::mocks::{MockStore, a_caller, id_of, instant, mock_data};

fn schema() -> Document {
    let fields = json!({"title": {"type": "string", "required": true}, "rank": {"type": "number"}});
    let document = json!({"project_id": "p", "version": 1, "tables": {"notes": {"fields": fields}}});
    Document::parse(&document).unwrap()
}

fn value(value: Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

fn batch(operations: &[(&str, BatchStep)]) -> Result<Batch, Error> {
    let operation =
        |(id, step): &(&str, BatchStep)| BatchOperation::unconditional(ItemId::parse(id).unwrap(), step.clone());
    let (project_id, user_id) = (id_of("project").into(), id_of("user").into());
    let operations = operations.iter().map(operation).collect();
    Batch {
        project_id,
        user_id,
        table: "notes".into(),
        operations,
        limit: MAX_OPERATIONS,
        deletion: None,
        created_before: None,
    }
    .checked()
}

fn loaded(id: &str, fields: Value) -> StoredItem {
    let item = Item {
        project_id: id_of("project").into(),
        user_id: id_of("user").into(),
        table: "notes".into(),
        id: ItemId::parse(id).unwrap(),
        value: ItemValue::of(&value(fields)),
    };
    StoredItem { item, created_at: instant(), updated_at: instant(), revision: Revision(7) }
}

#[track_caller]
fn index_of(error: Error) -> (usize, Error) {
    match error {
        Error::InBatch { index, error } => (index, *error),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_batch_has_one_to_a_hundred_operations_on_distinct_items() {
    assert!(batch(&[]).is_err());
    let ids: Vec<String> = (0..=MAX_OPERATIONS).map(|n| n.to_string()).collect();
    let all: Vec<_> = ids.iter().map(|id| (id.as_str(), BatchStep::Delete)).collect();
    assert!(batch(&all[..MAX_OPERATIONS]).is_ok());
    assert!(batch(&all).is_err());
    let duplicate = [("a", BatchStep::Delete), ("b", BatchStep::Delete), ("a", BatchStep::Put(Map::new()))];
    assert_eq!(index_of(batch(&duplicate).err().unwrap()).0, 2);
}

#[tokio::test]
async fn an_import_is_heavy_work_and_a_batch_is_not() {
    let mut store = MockStore::default();
    store.access.expect_project_membership().returning(|_, _| Ok(None));
    let items = Items::new(&mock_data(store));
    let (project, user) = (ProjectId::from(id_of("project")), ProjectUserId::from(id_of("user")));
    let caller = a_caller("ann");
    let lane = async |imports: bool| {
        let work = Work { lane: Lane::Interactive, tenant: Tenant::Service };
        let apply = async {
            let failed = if imports {
                items.import(&caller, project, user, "notes".into(), Vec::new()).await.is_err()
            } else {
                items.batch(&caller, Accessor::Project, project, user, "notes".into(), Vec::new(), None).await.is_err()
            };
            assert!(failed, "The caller has no access.");
            Work::current().lane
        };
        work.scope(apply).await
    };
    assert_eq!((lane(true).await, lane(false).await), (Lane::Heavy, Lane::Interactive));
}

#[test]
fn a_patch_applies_only_to_the_loaded_revision() {
    let steps = [("a", BatchStep::Patch(value(json!({"rank": 2})))), ("b", BatchStep::Delete)];
    let loaded_items = [loaded("b", json!({})), loaded("a", json!({"title": "A", "rank": 1}))];
    let planned = batch(&steps).unwrap().planned(&schema(), &loaded_items).unwrap();
    let [Planned::Put(item, when), Planned::Remove(place, _)] = planned.as_slice() else { panic!() };
    assert_eq!(Value::Object(item.value.fields().unwrap()), json!({"title": "A", "rank": 2}));
    assert_eq!((when, place.id.as_str()), (&Precondition::Matches(vec![Revision(7)]), "b"));
}

#[test]
fn each_operation_has_its_own_precondition() {
    let loaded_items = [loaded("a", json!({"title": "A"}))];
    let plan = |id: &str, step: BatchStep, when: Precondition| {
        let mut batch = batch(&[(id, step)]).unwrap();
        batch.operations[0].when = when;
        assert_eq!(batch.read_ids(true).len(), 1);
        assert_eq!(batch.read_ids(false).is_empty(), batch.operations[0].when == Precondition::Absent);
        batch.planned(&schema(), &loaded_items).map(|mut planned| planned.remove(0))
    };
    let put = || BatchStep::Put(value(json!({"title": "B"})));
    let patch = || BatchStep::Patch(value(json!({"title": "B"})));
    let (current, outdated) = (Precondition::Matches(vec![Revision(7)]), Precondition::Matches(vec![Revision(6)]));

    let planned = plan("a", put(), current.clone());
    assert!(matches!(&planned, Ok(Planned::Put(_, when)) if *when == current));
    let planned = plan("new", put(), Precondition::Absent);
    assert!(matches!(&planned, Ok(Planned::Put(_, Precondition::Absent))));
    let planned = plan("a", BatchStep::Delete, current.clone());
    assert!(matches!(&planned, Ok(Planned::Remove(_, when)) if *when == current));
    for (id, step, when) in [
        ("a", put(), Precondition::Absent),
        ("a", put(), outdated.clone()),
        ("new", put(), Precondition::Exists),
        ("a", patch(), outdated.clone()),
        ("a", BatchStep::Delete, outdated),
    ] {
        let (index, why) = index_of(plan(id, step, when).err().unwrap());
        assert!(index == 0 && matches!(why, Error::PreconditionFailed(ResourceKind::Item)), "{why:?}");
    }
}

#[test]
fn the_first_error_is_reported_with_its_index() {
    let put = |fields| BatchStep::Put(value(fields));
    let valid = ("a", put(json!({"title": "A"})));
    let loaded_items = [loaded("b", json!({"title": "B"}))];
    let error = |operations: &[(&str, BatchStep)]| {
        let planned = batch(operations).unwrap().planned(&schema(), &loaded_items);
        index_of(planned.err().unwrap())
    };
    let missing = ("c", BatchStep::Delete);
    let (index, why) = error(&[valid.clone(), missing.clone(), ("d", put(json!({})))]);
    assert!(index == 1 && matches!(why, Error::NotFound(ResourceKind::Item)), "{why:?}");
    let (index, why) = error(&[("d", put(json!({}))), missing]);
    assert!(index == 0 && matches!(why, Error::InvalidItem(_)), "{why:?}");
    let (index, why) = error(&[valid, ("b", BatchStep::Patch(value(json!({"title": null}))))]);
    assert!(index == 1 && matches!(why, Error::InvalidItem(_)), "{why:?}");
}

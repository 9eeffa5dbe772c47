//! Checks which statements stay prepared.

use diesel::query_builder::QueryFragment;
use steward_domain::data::schema::FieldType;
use steward_domain::data::{ItemQuery, RawItemQuery};
use steward_domain::kernel::{AccessBasis, PageSize};
use steward_domain::mocks::id_of;

use super::super::kernel::page::Backend;
use super::{Index, Path, item_list, key_count};

fn rank() -> Index {
    Index { id: 1, field: "rank".to_owned(), kind: FieldType::Number }
}

/// Returns whether the count of the keys and the list stay prepared.
fn are_prepared(parameters: &[(&str, &str)], path: &Path) -> (bool, bool) {
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let query = RawItemQuery { parameters, cursor: None, size: PageSize::MAX };
    let query = ItemQuery::parse(&query, &[("rank", FieldType::Number)]).unwrap();
    let (project, user) = (id_of("project").into(), id_of("user").into());
    let list = item_list((project, user, "notes"), &query, path, (query.start(), 101), &AccessBasis::default());
    let count = key_count(&rank(), (project, user), &query, 1_001);
    let backend = Backend::default();
    (count.is_safe_to_cache_prepared(&backend).unwrap(), list.is_safe_to_cache_prepared(&backend).unwrap())
}

#[test]
fn lists_by_one_indexed_field_stay_prepared() {
    let (narrowed, ordered) = (Path::Narrowed(rank()), Path::Ordered(rank()));
    assert_eq!(are_prepared(&[("rank", "eq.5")], &narrowed), (true, true));
    assert_eq!(are_prepared(&[("order", "rank.desc")], &ordered), (true, true));
    // Their texts depend on the request.
    assert_eq!(are_prepared(&[("rank", "eq.5"), ("order", "rank")], &narrowed), (true, false));
    assert_eq!(are_prepared(&[("rank", "in.(1,2)")], &narrowed), (false, false));
    assert_eq!(are_prepared(&[("rank", "gte.1"), ("rank", "lt.5")], &narrowed), (false, false));
}

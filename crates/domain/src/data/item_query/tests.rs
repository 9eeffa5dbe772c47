//! Tests of query parsing and of the violation messages.

use serde_json::json;

use super::*;
use crate::data::schema::Document;
use crate::data::{Item, ItemId, ItemValue};
use crate::kernel::{PageSize, Revision};
use crate::mocks::instant;

const FIELDS: [(&str, FieldType); 5] = [
    ("title", FieldType::String),
    ("rank", FieldType::Number),
    ("done", FieldType::Boolean),
    ("more", FieldType::Json),
    ("limit", FieldType::Number),
];

/// Returns the rows that a store reads of these items with this limit.
fn cut(mut items: Vec<StoredItem>, limit: usize) -> Rows<StoredItem> {
    let more = items.len() > limit;
    items.truncate(limit);
    Rows { items, more }
}

fn raw(query: &str) -> RawItemQuery {
    let mut raw = RawItemQuery::default();
    for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        if name == "cursor" {
            raw.cursor = Some(value.to_owned());
        } else {
            raw.parameters.push((name.to_owned(), value.to_owned()));
        }
    }
    raw
}

#[track_caller]
fn parsed(query: &str) -> ItemQuery {
    ItemQuery::parse(&raw(query), &FIELDS).unwrap_or_else(|violation| panic!("{query}: {violation}"))
}

#[track_caller]
fn test_of(query: &str) -> Test {
    parsed(query).conditions.remove(0).test
}

fn text(text: &str) -> Operand {
    Operand::Text(text.into())
}

fn an_item(id: &str, value: serde_json::Value) -> StoredItem {
    let item = Item {
        project_id: crate::mocks::id_of("project").into(),
        user_id: crate::mocks::id_of("user").into(),
        table: "notes".into(),
        id: ItemId::parse(id).unwrap(),
        value: ItemValue::of(value.as_object().unwrap()),
    };
    StoredItem { item, created_at: instant(), updated_at: instant(), revision: Revision::FIRST }
}

#[test]
fn each_violation_states_what_is_allowed() {
    for (query, reported) in [
        (
            "what=eq.1",
            "\"what\" is not a known field; \
             known fields are id, created_at, updated_at, title, rank, done, more, limit",
        ),
        ("limit=eq.1", "limit: must be a number from 1 to 1000"),
        ("title=x", "title: must have the form operator.value; operators are eq, neq,"),
        ("title=foo.x", "like, ilike, optionally prefixed with \"not.\""),
        ("title=not.not.eq.x", "must have the form operator.value"),
        ("title=Eq.x", "must have the form operator.value"),
        ("title=eq.a\0b", "NUL"),
        ("title=like.\0*", "NUL"),
        ("title=is.true", "true and false require a boolean field"),
        ("rank=eq.", "must be a JSON number"),
        ("rank=eq.x", "must be a JSON number"),
        ("rank=eq.1e999", "must be a number that an item can have"),
        ("rank=eq.1e-400", "must be a number that an item can have"),
        ("rank=eq.12345678901234567890123", "must be a number that an item can have"),
        ("rank=eq.NaN", "must be a JSON number"),
        ("rank=eq. 1", "must be a JSON number"),
        ("rank=eq.01", "must be a JSON number"),
        ("rank=eq.\"1\"", "must be a JSON number"),
        ("rank=in.(1,x)", "must be a JSON number"),
        ("rank=like.1*", "operators are eq, neq, gt, gte, lt, lte, in, is, optionally"),
        ("done=eq.1", "must be true or false"),
        ("done=gt.false", "operators are eq, neq, is, optionally"),
        ("done=is.yes", "\"is\" accepts only null, true or false"),
        ("more=eq.{}", "operators are is, optionally"),
        ("more=is.true", "\"is\" accepts only null"),
        ("title=in.", "\"in\" requires a list, such as (a,b)"),
        ("title=in.(a,b", "\"in\" requires a list, such as (a,b)"),
        ("title=in.a,b)", "\"in\" requires a list, such as (a,b)"),
        ("title=in.()", "at least one member"),
        ("title=in.(\"a)", "\"in\" requires a list"),
        ("title=in.(\"a\"b)", "\"in\" requires a list"),
        ("title=in.(\"a\\)", "\"in\" requires a list"),
        ("created_at=eq.yesterday", "must be an RFC 3339 timestamp, such as"),
        ("created_at=gt.2026-01-01T00:00:00 02:00", "%2B"),
        ("created_at=gt.9999-12-31T23:59:59-01:00", "must be an RFC 3339 timestamp"),
        ("updated_at=like.2026*", "operators are eq"),
        ("id=a b", "must be 1 to 128"),
        ("id=", "must be 1 to 128"),
        ("order=", "order: \"\" is not a known field"),
        ("order=what.desc", "order: \"what\" is not a known field"),
        ("order=-title", "order: \"-title\" is not a known field; for descending order, use order=title.desc"),
        ("order=rank,-created_at.asc", "use order=created_at.desc"),
        ("order=-what", "order: \"-what\" is not a known field; known fields are"),
        ("order=title.down", "order: must be fields with an optional .asc or .desc"),
        ("order=title.desc.nullsfirst", "order: must be fields with"),
        ("order=more", "cannot sort by more, which is a json field"),
        ("order=title,title.desc", "must not repeat title"),
        ("order=title&order=rank", "order: must not be repeated"),
        ("limit=0", "limit: must be a number from 1 to 1000"),
        ("limit=1001", "limit: must be"),
        ("limit=+5", "limit: must be"),
        ("offset=-1", "offset: must be a number from 0"),
        ("offset=4294967296", "offset: must be"),
        ("select=title,what", "select: \"what\" is not a known field"),
        ("select=", "select: \"\" is not a known field"),
        ("offset=0&cursor=x", "offset: cannot be combined with cursor"),
        ("cursor=x", "cursor: must be a next_cursor of the same list"),
    ] {
        let violation = ItemQuery::parse(&raw(query), &FIELDS).unwrap_err();
        assert!(matches!(violation, crate::kernel::error::Error::Invalid(_)), "{query}");
        assert!(violation.to_string().contains(reported), "{query}: {violation}");
    }
    let all = ItemQuery::parse(&raw("a=1&b=2&limit=x&order=y"), &FIELDS).unwrap_err().to_string();
    assert!(["\"a\"", "\"b\"", "limit:", "order:"].iter().all(|part| all.contains(part)), "{all}");
}

#[test]
fn each_violation_of_a_query_of_the_items_of_all_users_states_what_is_allowed() {
    for (query, reported) in [
        ("what=eq.1", "; other parameters are order, limit, cursor, select"),
        ("conforms=false&conforms=true", "conforms: must not be repeated"),
    ] {
        let violation = ItemQuery::parse_of_project(&raw(query), &Document::unpublished("p"), "notes").unwrap_err();
        assert!(violation.to_string().contains(reported), "{query}: {violation}");
    }
}

#[test]
fn the_number_of_conditions_values_and_sort_keys_is_limited() {
    let many = |count, part: &str, separator: &str| vec![part; count].join(separator);
    assert_eq!(parsed(&many(32, "rank=gt.1", "&")).conditions.len(), 32);
    assert!(ItemQuery::parse(&raw(&many(33, "rank=gt.1", "&")), &FIELDS).is_err());
    assert!(ItemQuery::parse(&raw(&format!("rank=in.({})", many(100, "1", ","))), &FIELDS).is_ok());
    assert!(ItemQuery::parse(&raw(&format!("rank=in.({})", many(101, "1", ","))), &FIELDS).is_err());
    let (wide, names) = ((0..9).map(|n| format!("f{n}")).collect::<Vec<_>>(), |n: usize| {
        format!("order=f0{}", (1..n).map(|n| format!(",f{n}")).collect::<String>())
    });
    let fields: Vec<_> = wide.iter().map(|name| (name.as_str(), FieldType::Number)).collect();
    assert!(ItemQuery::parse(&raw(&names(8)), &fields).is_ok());
    assert!(ItemQuery::parse(&raw(&names(9)), &fields).is_err());
}

#[test]
fn the_value_is_the_text_after_the_operator() {
    let eq = |operand| Test::Compares(Comparison::Eq, operand);
    assert_eq!(test_of("title=eq.eq.x,(y)\"%*"), eq(text("eq.x,(y)\"%*")));
    assert_eq!(test_of("title=eq."), eq(text("")));
    assert_eq!(test_of("title=eq.null"), eq(text("null")));
    assert_eq!(test_of("rank=eq.-0.5"), eq(Operand::Number(serde_json::Number::from_f64(-0.5).unwrap())));
    assert_eq!(test_of("done=eq.false"), eq(Operand::Boolean(false)));
    let timestamp = instant() + chrono::TimeDelta::microseconds(1);
    assert_eq!(test_of("created_at=eq.2026-01-01T01:00:00.0000019+01:00"), eq(Operand::Timestamp(timestamp)));
    let pieces = |pieces: &[&str]| pieces.iter().map(|piece| (*piece).to_owned()).collect();
    assert_eq!(test_of(r"title=like.\**\\\a"), Test::Like(Pattern { pieces: pieces(&["*", r"\\a"]), any_case: false }));
    assert_eq!(test_of("title=ilike.*Ä%*"), Test::Like(Pattern { pieces: pieces(&["", "ä%", ""]), any_case: true }));
    assert!(parsed("title=not.is.null").conditions[0].negated);
}

#[test]
fn a_quoted_member_may_contain_commas_quotes_and_backslashes() {
    let members = |query| match test_of(query) {
        Test::In(members) => members,
        other => panic!("{other:?}"),
    };
    assert_eq!(members(r#"title=in.("a,b",c\d,"e\"\\",,"")"#), ["a,b", "c\\d", "e\"\\", "", ""].map(text));
    assert_eq!(members("title=in.(a(b),\"x)\")"), ["a(b)", "x)"].map(text));
    assert_eq!(members("title=in.a,\"b,c\""), ["a", "b,c"].map(text));
    assert_eq!(members("title=in.a"), ["a"].map(text));
}

#[test]
fn an_id_needs_no_operator_unless_it_starts_like_one() {
    let id = |query| match test_of(query) {
        Test::Compares(Comparison::Eq, Operand::Text(id)) => id,
        other => panic!("{other:?}"),
    };
    assert_eq!(id("id=a.b"), "a.b");
    assert_eq!(id("id=eq"), "eq");
    assert_eq!(id("id=not.x"), "not.x");
    assert_eq!(id("id=eq.x"), "x");
    assert_eq!(id("id=eq.eq.x"), "eq.x");
    assert_eq!(test_of("id=is.null"), Test::IsNull);
}

#[test]
fn ties_are_sorted_by_id_in_the_direction_of_the_last_key() {
    let keys = |query| {
        let describe = |key: &SortKey| format!("{:?} {}", key.property, key.descending);
        parsed(query).order().iter().map(describe).collect::<Vec<_>>()
    };
    assert_eq!(keys(""), ["CreatedAt true", "Id true"]);
    assert_eq!(keys("order=created_at"), ["CreatedAt false", "Id false"]);
    assert_eq!(keys("order=updated_at,created_at.desc"), ["UpdatedAt false", "CreatedAt true", "Id true"]);
    assert_eq!(keys("order=id.desc,title"), ["Id true"]);
}

#[test]
fn a_selection_always_includes_the_id() {
    let query = parsed("select=title,created_at");
    assert_eq!(
        ["id", "title", "created_at", "updated_at", "rank"].map(|name| query.shows(name)),
        [true, true, true, false, false]
    );
    assert!(parsed("").shows("old"));
}

#[test]
fn a_cursor_is_valid_only_for_the_query_that_returned_it() {
    let found = || vec![an_item("a", json!({"title": "x", "rank": u64::MAX})), an_item("b", json!({}))];
    let (order, conditions) = ("order=title,rank.desc,done", "rank=gt.1&title=neq.y");
    let next = parsed(&format!("limit=1&{order}&{conditions}")).page(cut(found(), 1)).next.unwrap();
    let double = serde_json::Number::from_f64(18_446_744_073_709_551_615.0).unwrap();
    let start = Start::After(vec![Some(text("x")), Some(Operand::Number(double)), None, Some(text("a"))]);

    for same in ["limit=7&select=title&rank=gt.1&title=neq.y&", "title=neq.y&rank=gt.1&"] {
        assert_eq!(parsed(&format!("{same}{order}&cursor={next}")).start(), &start, "{same}");
    }
    for other in [order.to_owned(), conditions.to_owned(), format!("{order}&rank=gt.2&title=neq.y")] {
        assert!(ItemQuery::parse(&raw(&format!("{other}&cursor={next}")), &FIELDS).is_err(), "{other}");
    }
    assert_eq!(parsed("limit=2").page(cut(found(), 2)).next, None, "nothing is left");
}

#[test]
fn a_forged_cursor_is_rejected_unless_its_values_are_valid() {
    let next = parsed("order=title&limit=1")
        .page(cut(vec![an_item("a", json!({})), an_item("b", json!({}))], 1))
        .next
        .unwrap();
    let members: Vec<serde_json::Value> = serde_json::from_str(&next).unwrap();
    let with = |title, id| json!([members[0], title, id]).to_string();
    assert_eq!(with(json!(null), json!("a")), next);
    for (title, id) in [
        (json!(1), json!("a")),
        (json!("a\0"), json!("a")),
        (json!([]), json!("a")),
        (json!("a"), json!(null)),
        (json!("a"), json!(7)),
    ] {
        let forged = RawItemQuery { cursor: Some(with(title, id)), ..raw("order=title") };
        assert!(ItemQuery::parse(&forged, &FIELDS).is_err(), "{forged:?}");
    }
    let at = |micros: i64| {
        let found = vec![an_item("a", json!({})), an_item("b", json!({}))];
        let next = parsed("limit=1").page(cut(found, 1)).next.unwrap();
        next.replace(&instant().timestamp_micros().to_string(), &micros.to_string())
    };
    assert!(ItemQuery::parse(&raw(&format!("cursor={}", at(1))), &FIELDS).is_ok());
    for out_of_range in [i64::MAX, i64::MIN, 253_402_300_800_000_000] {
        assert!(ItemQuery::parse(&raw(&format!("cursor={}", at(out_of_range))), &FIELDS).is_err(), "{out_of_range}");
    }
}

#[test]
fn the_cost_of_a_query_is_limited() {
    let fields: Vec<String> = (0..200).map(|n| format!("field_{n}")).collect();
    let fields: Vec<(&str, FieldType)> = fields.iter().map(|name| (name.as_str(), FieldType::String)).collect();
    let rejection = |name: &str, value: String| {
        let raw = RawItemQuery { parameters: vec![(name.to_owned(), value)], cursor: None, size: PageSize::default() };
        ItemQuery::parse(&raw, &fields).err().map(|error| error.to_string())
    };
    for (name, value) in [
        ("field_1", format!("like.{}", "*a".repeat(9))),
        ("field_1", format!("like.{}", "a".repeat(257))),
        ("field_1", format!("in.({})", "a,".repeat(100))),
        ("select", "field_1,".repeat(251)),
        ("order", "field_1,field_2,field_3,field_4,field_5,field_6,field_7,field_8,field_9".into()),
    ] {
        assert!(rejection(name, value.clone()).is_some(), "{name}={value}");
    }
    assert_eq!(rejection("field_1", format!("like.{}", "*a".repeat(8))), None);
    let raw = RawItemQuery {
        parameters: (0..32).map(|n| (format!("x{n}"), "eq.1".into())).collect(),
        cursor: None,
        size: PageSize::default(),
    };
    let message = ItemQuery::parse(&raw, &fields).unwrap_err().to_string();
    assert!(message.len() < 8 * 1024, "{} bytes", message.len());
}

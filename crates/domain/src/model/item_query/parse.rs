//! Parses a query against the fields of its table. All violations are told, each with what would be allowed.

use std::collections::HashSet;

use chrono::DateTime;
use serde_json::Number;

use super::{Comparison, Condition, ItemQuery, Operand, Pattern, Property, RawItemQuery, SortKey, Start, Test, place};
use crate::error::{Error, FieldViolations};
use crate::model::schema::FieldType;
use crate::model::{ItemId, Time};

/// Parameters that are no conditions. A field of such a name cannot be asked about.
const PARAMETERS: [&str; 5] = ["order", "limit", "offset", "cursor", "select"];
/// What every item has beside its fields.
const BUILT_IN_PROPERTIES: [(&str, Property); 3] =
    [("id", Property::Id), ("created_at", Property::CreatedAt), ("updated_at", Property::UpdatedAt)];
const COMPARISONS: [(&str, Comparison); 6] = [
    ("eq", Comparison::Eq),
    ("neq", Comparison::Neq),
    ("gt", Comparison::Gt),
    ("gte", Comparison::Gte),
    ("lt", Comparison::Lt),
    ("lte", Comparison::Lte),
];
/// How much one query may ask: every part of it costs the database something for each item.
const MAX_CONDITIONS: usize = 32;
const MAX_SORT_KEYS: usize = 8;
const MAX_LIST_VALUES: usize = 100;
const MAX_SELECTED: usize = 250;
/// A pattern is compared with every text: what it takes grows with both.
const MAX_PATTERN_LENGTH: usize = 256;
const MAX_WILDCARDS: usize = 8;
/// How many known names, and how many violations of conditions, a message spells out.
const MAX_SHOWN_NAMES: usize = 50;
const MAX_SHOWN_CONDITIONS: usize = 5;

/// The types that decide what can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    Text,
    Number,
    Boolean,
    Timestamp,
    Json,
}

impl FieldKind {
    pub(super) fn of(property: &Property) -> Self {
        match property {
            Property::Id | Property::Field { kind: FieldType::String, .. } => Self::Text,
            Property::CreatedAt | Property::UpdatedAt => Self::Timestamp,
            Property::Field { kind: FieldType::Number, .. } => Self::Number,
            Property::Field { kind: FieldType::Boolean, .. } => Self::Boolean,
            Property::Field { kind: FieldType::Json, .. } => Self::Json,
        }
    }

    /// The operators that it takes.
    const fn operators(self) -> &'static [&'static str] {
        match self {
            Self::Text => &["eq", "neq", "gt", "gte", "lt", "lte", "in", "is", "like", "ilike"],
            Self::Number | Self::Timestamp => &["eq", "neq", "gt", "gte", "lt", "lte", "in", "is"],
            Self::Boolean => &["eq", "neq", "is"],
            Self::Json => &["is"],
        }
    }
}

impl ItemQuery {
    /// Parses what was sent. `fields` are those of the table in the newest schema.
    pub fn parse(sent: &RawItemQuery, fields: &[(&str, FieldType)]) -> Result<Self, Error> {
        let mut violations = FieldViolations::default();
        let conditions = violations.note("query", conditions(sent, fields));
        let sent_order = violations.note("order", once(sent, "order")).flatten();
        let order = violations.note("order", order(sent_order, fields));
        let limit = violations.note("limit", once(sent, "limit").and_then(limit));
        let offset =
            violations.note("offset", once(sent, "offset").and_then(|text| offset(text, sent.cursor.is_some())));
        let select = violations.note("select", once(sent, "select").and_then(|text| select(text, fields)));
        let fingerprint = place::fingerprint(sent_order, conditions_of(sent));
        let after = sent.cursor.as_deref().zip(order.as_deref());
        let after = after.map(|(cursor, order)| place::parse(cursor, order, fingerprint));
        let after = violations.note("cursor", after.transpose());
        let parsed = (|| {
            let start = after?.map_or(Start::Offset(offset?), Start::After);
            let (conditions, order) = (conditions?, order?);
            Some(Self { conditions, order, start, limit: limit?, size: sent.size, select: select?, fingerprint })
        })();
        violations.or(parsed)
    }
}

/// The parameters that are conditions.
fn conditions_of(sent: &RawItemQuery) -> impl Iterator<Item = &(String, String)> {
    sent.parameters.iter().filter(|(name, _)| !PARAMETERS.contains(&name.as_str()))
}

/// The one value of a parameter that is no condition.
fn once<'a>(sent: &'a RawItemQuery, name: &str) -> Result<Option<&'a str>, String> {
    let mut values = sent.parameters.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err("must not be repeated".into()),
    }
}

fn conditions(sent: &RawItemQuery, fields: &[(&str, FieldType)]) -> Result<Vec<Condition>, String> {
    let sent: Vec<_> = conditions_of(sent).collect();
    if sent.len() > MAX_CONDITIONS {
        return Err(format!("at most {MAX_CONDITIONS} conditions can be asked for"));
    }
    let (mut parsed, mut violations) = (Vec::new(), Vec::new());
    for (name, text) in sent {
        let parameters = || format!("; other parameters are {}", PARAMETERS.join(", "));
        let property = property(name, fields).map_err(|violation| violation + &parameters());
        match property
            .and_then(|property| condition(property, text).map_err(|violation| format!("{name}: {violation}")))
        {
            Ok(condition) => parsed.push(condition),
            Err(violation) => violations.push(violation),
        }
    }
    violations.truncate(MAX_SHOWN_CONDITIONS);
    if violations.is_empty() { Ok(parsed) } else { Err(violations.join("; ")) }
}

fn property(name: &str, fields: &[(&str, FieldType)]) -> Result<Property, String> {
    if let Some((_, property)) = BUILT_IN_PROPERTIES.iter().find(|(other, _)| *other == name) {
        return Ok(property.clone());
    }
    if let Some((_, kind)) = fields.iter().find(|(other, _)| *other == name) {
        return Ok(Property::Field { name: name.to_owned(), kind: *kind });
    }
    let mut known = BUILT_IN_PROPERTIES.iter().map(|(name, _)| *name).chain(fields.iter().map(|(name, _)| *name));
    let told: Vec<&str> = known.by_ref().take(MAX_SHOWN_NAMES).collect();
    let more = if known.next().is_some() { " and more" } else { "" };
    Err(format!("\"{}\" is not known here; items have {}{more}", shortened(name), told.join(", ")))
}

/// What is repeated of the caller's own text in a violation.
fn shortened(text: &str) -> String {
    text.chars().take(50).collect()
}

fn condition(property: Property, text: &str) -> Result<Condition, String> {
    let kind = FieldKind::of(&property);
    let (negated, rest) = text.strip_prefix("not.").map_or((false, text), |rest| (true, rest));
    let operator = rest.split_once('.').filter(|(operator, _)| kind.operators().contains(operator));
    let Some((operator, operand)) = operator else {
        if property == Property::Id {
            return the_id(text);
        }
        let allowed = kind.operators().join(", ");
        return Err(format!(
            "must be an operator, a dot and a value; operators are {allowed}, each also after \"not.\""
        ));
    };
    let test = match operator {
        "is" => is(kind, operand)?,
        "in" => Test::In(members(operand)?.iter().map(|member| value(kind, member)).collect::<Result<_, _>>()?),
        "like" | "ilike" => Test::Like(pattern(operand, operator == "ilike")?),
        other => {
            let comparison = COMPARISONS.iter().find(|(name, _)| *name == other).map(|(_, comparison)| *comparison);
            Test::Compares(comparison.unwrap_or(Comparison::Eq), value(kind, operand)?)
        }
    };
    Ok(Condition { property, negated, test })
}

/// An id may stand without an operator: what has none before its first dot is an id.
fn the_id(text: &str) -> Result<Condition, String> {
    let id = ItemId::parse(text).map_err(|violation| format!("{violation}, or an operator, a dot and a value"))?;
    let test = Test::Compares(Comparison::Eq, Operand::Text(id.as_str().to_owned()));
    Ok(Condition { property: Property::Id, negated: false, test })
}

fn is(kind: FieldKind, text: &str) -> Result<Test, String> {
    match (text, kind) {
        ("null", _) => Ok(Test::IsNull),
        ("true", FieldKind::Boolean) => Ok(Test::Is(true)),
        ("false", FieldKind::Boolean) => Ok(Test::Is(false)),
        (_, FieldKind::Boolean) => Err("is takes null, true or false".into()),
        _ => Err("is takes null; true and false are for booleans".into()),
    }
}

fn value(kind: FieldKind, text: &str) -> Result<Operand, String> {
    match kind {
        FieldKind::Text => printable(text).map(|text| Operand::Text(text.to_owned())),
        FieldKind::Number => number(text).map(Operand::Number),
        FieldKind::Boolean => match text {
            "true" => Ok(Operand::Boolean(true)),
            "false" => Ok(Operand::Boolean(false)),
            _ => Err("must be true or false".into()),
        },
        FieldKind::Timestamp => timestamp(text).map(Operand::Timestamp),
        FieldKind::Json => Err("a json field can only be asked whether it is.null".into()),
    }
}

/// A text that a column can hold.
fn printable(text: &str) -> Result<&str, String> {
    if text.contains('\0') { Err("must not hold a NUL character".into()) } else { Ok(text) }
}

fn number(text: &str) -> Result<Number, String> {
    let violation = || "must be a number as JSON spells it, such as 2, -1.5 or 1e3".to_owned();
    // JSON allows space around a number, a query does not.
    let bare = !text.starts_with(char::is_whitespace) && !text.ends_with(char::is_whitespace);
    let number: Option<Number> = serde_json::from_str(text).ok().filter(|_| bare);
    place::comparable(&number.ok_or_else(violation)?).ok_or_else(violation)
}

fn timestamp(text: &str) -> Result<Time, String> {
    let violation =
        || "must be a time such as 2030-01-31T12:00:00Z (RFC 3339; + is spelled %2B in an address)".to_owned();
    let at = DateTime::parse_from_rfc3339(text).ok().and_then(|at| place::timestamp(at.timestamp_micros()));
    at.ok_or_else(violation)
}

/// The wildcard is `*`; every other character stands for itself.
fn pattern(text: &str, any_case: bool) -> Result<Pattern, String> {
    if text.chars().nth(MAX_PATTERN_LENGTH).is_some() || text.matches('*').nth(MAX_WILDCARDS).is_some() {
        return Err(format!("a pattern has at most {MAX_PATTERN_LENGTH} characters and {MAX_WILDCARDS} wildcards"));
    }
    let pieces = printable(text)?.split('*').map(str::to_owned).collect();
    Ok(Pattern { pieces, any_case })
}

/// The members of `(a,"b,c")`: one in double quotes may hold commas, and there a backslash takes the next character as it
/// is.
fn members(text: &str) -> Result<Vec<String>, String> {
    let violation = || "in takes a list such as (a,b) or (\"a,b\",c)".to_owned();
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).ok_or_else(violation)?;
    if inner.is_empty() {
        return Err(violation() + " with one member at least; (\"\") holds the empty text");
    }
    let (mut members, mut rest) = (Vec::new(), Some(inner));
    while let Some(text) = rest {
        if members.len() == MAX_LIST_VALUES {
            return Err(format!("a list may have at most {MAX_LIST_VALUES} members"));
        }
        let (member, after) = match text.strip_prefix('"') {
            Some(quoted) => quoted_member(quoted).ok_or_else(violation)?,
            None => match text.split_once(',') {
                Some((member, after)) => (member.to_owned(), Some(after)),
                None => (text.to_owned(), None),
            },
        };
        members.push(member);
        rest = after;
    }
    Ok(members)
}

/// What stands before the closing quote, and what comes after the comma that follows it.
fn quoted_member(text: &str) -> Option<(String, Option<&str>)> {
    let (mut member, mut characters) = (String::new(), text.chars());
    loop {
        match characters.next()? {
            '"' => break,
            '\\' => member.push(characters.next()?),
            other => member.push(other),
        }
    }
    match characters.as_str() {
        "" => Some((member, None)),
        after => after.strip_prefix(',').map(|after| (member, Some(after))),
    }
}

/// The newest first unless something else is asked for. Items that are equal in it come by id, in the direction of the
/// last key.
fn order(sent: Option<&str>, fields: &[(&str, FieldType)]) -> Result<Vec<SortKey>, String> {
    let mut keys: Vec<SortKey> = Vec::new();
    for step in sent.unwrap_or("created_at.desc").split(',') {
        let (name, direction) = step.split_once('.').unwrap_or((step, "asc"));
        let property = property(name, fields)?;
        let descending = match direction {
            "asc" => false,
            "desc" => true,
            _ => return Err(format!("must be fields with .asc or .desc, such as {name}.desc")),
        };
        if FieldKind::of(&property) == FieldKind::Json {
            return Err(format!("{name} is a json field, which has no order"));
        }
        if keys.iter().any(|key| key.property == property) {
            return Err(format!("{name} stands twice"));
        }
        keys.push(SortKey { property, descending });
    }
    if keys.len() > MAX_SORT_KEYS {
        return Err(format!("at most {MAX_SORT_KEYS} fields can be ordered by"));
    }
    // What comes after the id decides nothing.
    match keys.iter().position(|key| key.property == Property::Id) {
        Some(place) => keys.truncate(place.saturating_add(1)),
        None => {
            let descending = keys.last().is_some_and(|key| key.descending);
            keys.push(SortKey { property: Property::Id, descending });
        }
    }
    Ok(keys)
}

fn whole(text: &str) -> Option<u32> {
    text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()))
}

fn limit(sent: Option<&str>) -> Result<Option<u16>, String> {
    let Some(text) = sent else { return Ok(None) };
    let limit = whole(text).and_then(|limit| u16::try_from(limit).ok());
    let limit = limit.filter(|limit| (1..=ItemQuery::MAX_LIMIT).contains(limit));
    limit.map(Some).ok_or_else(|| format!("must be a number from 1 to {}", ItemQuery::MAX_LIMIT))
}

fn offset(sent: Option<&str>, has_cursor: bool) -> Result<u32, String> {
    match sent {
        None => Ok(0),
        Some(_) if has_cursor => Err("cannot go with a cursor, which is a place already; leave one out".into()),
        Some(text) => whole(text).ok_or_else(|| format!("must be a number from 0 to {}", u32::MAX)),
    }
}

fn select(sent: Option<&str>, fields: &[(&str, FieldType)]) -> Result<Option<HashSet<String>>, String> {
    let Some(text) = sent else { return Ok(None) };
    if text.split(',').nth(MAX_SELECTED).is_some() {
        return Err(format!("at most {MAX_SELECTED} members can be selected"));
    }
    let wanted = text.split(',').map(|name| property(name, fields).map(|_| name.to_owned()));
    wanted.collect::<Result<_, _>>().map(Some)
}

//! Parses a query against the fields of its table. All violations are reported, each with the allowed values.

use std::collections::HashSet;

use chrono::DateTime;
use serde_json::Number;

use super::field_kind::FieldKind;
use super::{Comparison, Condition, ItemQuery, Operand, Pattern, Property, RawItemQuery, SortKey, Start, Test, place};
use crate::data::ItemId;
use crate::data::schema::{Document, FieldType};
use crate::kernel::case_folding::folded;
use crate::kernel::error::{Error, FieldViolations};
use crate::kernel::strict_json::is_changed_number;
use crate::kernel::{ProjectUserId, Time};

/// Parameters that are not conditions. A field with such a name cannot be used in a condition.
const PARAMETERS: [&str; 5] = ["order", "limit", "offset", "cursor", "select"];
/// The properties that every item has in addition to its fields.
const BUILT_IN_PROPERTIES: [(&str, Property); 3] =
    [("id", Property::Id), ("created_at", Property::CreatedAt), ("updated_at", Property::UpdatedAt)];
/// The number of items of all users in a page without `limit`.
const PROJECT_LIMIT: u16 = 100;
/// Limits of a query: each part of it adds to the cost per item in the database.
const MAX_CONDITIONS: usize = 32;
const MAX_SORT_KEYS: usize = 8;
const MAX_LIST_VALUES: usize = 100;
const MAX_SELECTED: usize = 250;
/// Limits of a pattern: the cost of a match grows with the length of the pattern and of the text.
const MAX_PATTERN_LENGTH: usize = 256;
const MAX_WILDCARDS: usize = 8;
/// The maximum number of known names, and of violations of conditions, in a message.
const MAX_SHOWN_NAMES: usize = 50;
const MAX_SHOWN_CONDITIONS: usize = 5;

/// The properties that a query can use.
struct Properties<'a> {
    /// The fields of the table in the newest schema.
    fields: &'a [(&'a str, FieldType)],
    built_in: Vec<(&'static str, Property)>,
    /// The order without the parameter.
    order: &'static str,
}

impl Properties<'_> {
    fn are_of_project(&self) -> bool {
        self.built_in.iter().any(|(_, property)| *property == Property::User)
    }
}

impl ItemQuery {
    /// Parses the received parameters. `fields` are the fields of the table in the newest schema.
    pub fn parse(raw: &RawItemQuery, fields: &[(&str, FieldType)]) -> Result<Self, Error> {
        let built_in = BUILT_IN_PROPERTIES.to_vec();
        Self::parse_with(raw, &Properties { fields, built_in, order: "created_at.desc" })
    }

    /// Parses the received parameters of a list of the items of all users of a project.
    pub fn parse_of_project(raw: &RawItemQuery, schema: &Document, table: &str) -> Result<Self, Error> {
        let mut built_in = BUILT_IN_PROPERTIES.to_vec();
        built_in.extend([("user_id", Property::User), ("conforms", Property::Conforms(schema.mismatches(table)))]);
        Self::parse_with(raw, &Properties { fields: &schema.fields(table), built_in, order: "user_id" })
    }

    fn parse_with(raw: &RawItemQuery, names: &Properties<'_>) -> Result<Self, Error> {
        let mut violations = FieldViolations::default();
        let conditions = violations.check("query", conditions(raw, names));
        let raw_order = violations.check("order", single(raw, "order")).flatten();
        let order = violations.check("order", order(raw_order, names));
        let limit = violations.check("limit", single(raw, "limit").and_then(limit));
        let limit = limit.map(|limit| limit.or(names.are_of_project().then_some(PROJECT_LIMIT)));
        let offset = single(raw, "offset").and_then(|text| match text {
            Some(_) if names.are_of_project() => Err("is not supported; send the cursor of the previous page".into()),
            text => offset(text, raw.cursor.is_some()),
        });
        let offset = violations.check("offset", offset);
        let select = violations.check("select", single(raw, "select").and_then(|text| select(text, names)));
        let fingerprint = place::fingerprint(raw_order, conditions_of(raw));
        let after = raw.cursor.as_deref().zip(order.as_deref());
        let after = after.map(|(cursor, order)| place::parse(cursor, order, fingerprint));
        let after = violations.check("cursor", after.transpose());
        let parsed = (|| {
            let start = after?.map_or(Start::Offset(offset?), Start::After);
            let (conditions, order) = (conditions?, order?);
            Some(Self { conditions, order, start, limit: limit?, size: raw.size, select: select?, fingerprint })
        })();
        violations.finish(parsed)
    }
}

/// Returns the parameters that are conditions.
fn conditions_of(raw: &RawItemQuery) -> impl Iterator<Item = &(String, String)> {
    raw.parameters.iter().filter(|(name, _)| !PARAMETERS.contains(&name.as_str()))
}

/// Returns the value of a parameter that is not a condition. Fails if the parameter is repeated.
fn single<'a>(raw: &'a RawItemQuery, name: &str) -> Result<Option<&'a str>, String> {
    let mut values = raw.parameters.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
    match (values.next(), values.next()) {
        (value, None) => Ok(value),
        _ => Err("must not be repeated".into()),
    }
}

fn conditions(raw: &RawItemQuery, names: &Properties<'_>) -> Result<Vec<Condition>, String> {
    let raw: Vec<_> = conditions_of(raw).collect();
    if raw.len() > MAX_CONDITIONS {
        return Err(format!("must have at most {MAX_CONDITIONS} conditions"));
    }
    let (mut parsed, mut violations) = (Vec::<Condition>::new(), Vec::new());
    let others = PARAMETERS.into_iter().filter(|name| *name != "offset" || !names.are_of_project());
    let others: Vec<&str> = others.collect();
    for (name, text) in raw {
        let parameters = || format!("; other parameters are {}", others.join(", "));
        let property = property(name, names).map_err(|violation| violation + &parameters());
        match property
            .and_then(|property| condition(property, text).map_err(|violation| format!("{name}: {violation}")))
        {
            // Each of them compares the item with the whole schema.
            Ok(Condition { property: Property::Conforms(_), .. })
                if parsed.iter().any(|other| matches!(other.property, Property::Conforms(_))) =>
            {
                violations.push(format!("{name}: must not be repeated"));
            }
            Ok(condition) => parsed.push(condition),
            Err(violation) => violations.push(violation),
        }
    }
    violations.truncate(MAX_SHOWN_CONDITIONS);
    if violations.is_empty() { Ok(parsed) } else { Err(violations.join("; ")) }
}

fn property(name: &str, Properties { fields, built_in, .. }: &Properties<'_>) -> Result<Property, String> {
    if let Some((_, property)) = built_in.iter().find(|(other, _)| *other == name) {
        return Ok(property.clone());
    }
    if let Some((_, kind)) = fields.iter().find(|(other, _)| *other == name) {
        return Ok(Property::Field { name: name.to_owned(), kind: *kind });
    }
    let mut known = built_in.iter().map(|(name, _)| *name).chain(fields.iter().map(|(name, _)| *name));
    let listed: Vec<&str> = known.by_ref().take(MAX_SHOWN_NAMES).collect();
    let more = if known.next().is_some() { " and more" } else { "" };
    Err(format!("\"{}\" is not a known field; known fields are {}{more}", shortened(name), listed.join(", ")))
}

/// Returns the part of the caller's text that is quoted in a violation.
fn shortened(text: &str) -> String {
    text.chars().take(50).collect()
}

fn condition(property: Property, text: &str) -> Result<Condition, String> {
    let kind = FieldKind::of(&property);
    let (negated, rest) = text.strip_prefix("not.").map_or((false, text), |rest| (true, rest));
    let operator = rest.split_once('.').filter(|(operator, _)| kind.operators().contains(operator));
    let Some((operator, operand)) = operator else {
        if property == Property::Id {
            return bare_id(text);
        }
        if let (Property::Conforms(_), "true" | "false") = (&property, text) {
            return Ok(Condition { property, negated: false, test: Test::Is(text == "true") });
        }
        let allowed = kind.operators().join(", ");
        return Err(format!(
            "must have the form operator.value; operators are {allowed}, optionally prefixed with \"not.\""
        ));
    };
    let test = match operator {
        "is" => is(kind, operand)?,
        "in" => Test::In(members(operand)?.iter().map(|member| value(kind, member)).collect::<Result<_, _>>()?),
        "like" | "ilike" => Test::Like(pattern(operand, operator == "ilike")?),
        other => Test::Compares(Comparison::parse(other).unwrap_or(Comparison::Eq), value(kind, operand)?),
    };
    Ok(Condition { property, negated, test })
}

/// Parses an ID without an operator: a text that does not start with an operator and a dot is an ID.
fn bare_id(text: &str) -> Result<Condition, String> {
    let id = ItemId::stored(text).map_err(|violation| format!("{violation}, or have the form operator.value"))?;
    let test = Test::Compares(Comparison::Eq, Operand::Text(id.as_str().to_owned()));
    Ok(Condition { property: Property::Id, negated: false, test })
}

fn is(kind: FieldKind, text: &str) -> Result<Test, String> {
    match (text, kind) {
        ("null", _) => Ok(Test::IsNull),
        ("true", FieldKind::Boolean) => Ok(Test::Is(true)),
        ("false", FieldKind::Boolean) => Ok(Test::Is(false)),
        (_, FieldKind::Boolean) => Err("\"is\" accepts only null, true or false".into()),
        _ => Err("\"is\" accepts only null; true and false require a boolean field".into()),
    }
}

fn value(kind: FieldKind, text: &str) -> Result<Operand, String> {
    match kind {
        FieldKind::Text => without_nul(text).map(|text| Operand::Text(text.to_owned())),
        FieldKind::Number => number(text).map(Operand::Number),
        FieldKind::Boolean => match text {
            "true" => Ok(Operand::Boolean(true)),
            "false" => Ok(Operand::Boolean(false)),
            _ => Err("must be true or false".into()),
        },
        FieldKind::Timestamp => timestamp(text).map(Operand::Timestamp),
        FieldKind::Json => Err("a json field supports only is.null".into()),
        FieldKind::User => {
            ProjectUserId::parse(text).map(Operand::User).ok_or_else(|| "must be the ID of a user".into())
        }
    }
}

/// Rejects NUL characters, which a text column cannot store.
fn without_nul(text: &str) -> Result<&str, String> {
    if text.contains('\0') { Err("must not contain a NUL character".into()) } else { Ok(text) }
}

fn number(text: &str) -> Result<Number, String> {
    let violation = || "must be a JSON number, such as 2, -1.5 or 1e3".to_owned();
    // JSON allows white space around a number, but a query does not.
    let is_trimmed = !text.starts_with(char::is_whitespace) && !text.ends_with(char::is_whitespace);
    let number: Option<Number> = serde_json::from_str(text).ok().filter(|_| is_trimmed);
    if is_changed_number(text) {
        return Err("must be a number that an item can have; this one would be changed when it is stored".into());
    }
    place::comparable(&number.ok_or_else(violation)?).ok_or_else(violation)
}

fn timestamp(text: &str) -> Result<Time, String> {
    let violation =
        || "must be an RFC 3339 timestamp, such as 2030-01-31T12:00:00Z (encode + as %2B in a URL)".to_owned();
    let at = DateTime::parse_from_rfc3339(text).ok().and_then(|at| place::timestamp(at.timestamp_micros()));
    at.ok_or_else(violation)
}

/// Parses a pattern. The wildcard is `*`; `\*` and `\\` are a literal asterisk and backslash. Every other character is
/// literal, and so is a backslash before it.
fn pattern(text: &str, any_case: bool) -> Result<Pattern, String> {
    let pieces = pieces(without_nul(text)?);
    if text.chars().nth(MAX_PATTERN_LENGTH).is_some() || pieces.len() > MAX_WILDCARDS.saturating_add(1) {
        return Err(format!(
            "must be a pattern of at most {MAX_PATTERN_LENGTH} characters and {MAX_WILDCARDS} wildcards"
        ));
    }
    let pieces = if any_case { pieces.iter().map(|piece| folded(piece)).collect() } else { pieces };
    Ok(Pattern { pieces, any_case })
}

/// Returns the literal texts before, between and after the wildcards of a pattern.
fn pieces(text: &str) -> Vec<String> {
    let (mut pieces, mut piece, mut characters) = (Vec::new(), String::new(), text.chars().peekable());
    while let Some(character) = characters.next() {
        match character {
            '*' => pieces.push(std::mem::take(&mut piece)),
            '\\' => piece.push(characters.next_if(|next| matches!(next, '*' | '\\')).unwrap_or('\\')),
            other => piece.push(other),
        }
    }
    pieces.push(piece);
    pieces
}

/// Parses the members of a list such as `(a,"b,c")`. The parentheses may be left out. A member in double quotes may
/// contain commas; a backslash in it makes the next character literal.
fn members(text: &str) -> Result<Vec<String>, String> {
    let violation = || "\"in\" requires a list, such as (a,b) or (\"a,b\",c)".to_owned();
    let inner = match text.strip_prefix('(') {
        Some(rest) => rest.strip_suffix(')').ok_or_else(violation)?,
        None if text.ends_with(')') => return Err(violation()),
        None => text,
    };
    if inner.is_empty() {
        return Err(violation() + ", with at least one member; (\"\") contains the empty text");
    }
    let (mut members, mut rest) = (Vec::new(), Some(inner));
    while let Some(text) = rest {
        if members.len() == MAX_LIST_VALUES {
            return Err(format!("must be a list of at most {MAX_LIST_VALUES} members"));
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

/// Returns the text before the closing quote, and the text after the comma that follows the quote.
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

/// Parses the sort order. Ties are sorted by ID and, in a list of the items of all users, by the user, in the direction of
/// the last key.
fn order(raw: Option<&str>, names: &Properties<'_>) -> Result<Vec<SortKey>, String> {
    let mut keys: Vec<SortKey> = Vec::new();
    for step in raw.unwrap_or(names.order).split(',') {
        let (name, direction) = step.split_once('.').unwrap_or((step, "asc"));
        let property = property(name, names).map_err(|violation| minus_sign(name, names).unwrap_or(violation))?;
        let descending = match direction {
            "asc" => false,
            "desc" => true,
            _ => return Err(format!("must be fields with an optional .asc or .desc, such as {name}.desc")),
        };
        if FieldKind::of(&property) == FieldKind::Json {
            return Err(format!("cannot sort by {name}, which is a json field"));
        }
        if matches!(property, Property::Conforms(_)) {
            return Err(format!("cannot sort by {name}"));
        }
        if keys.iter().any(|key| key.property == property) {
            return Err(format!("must not repeat {name}"));
        }
        keys.push(SortKey { property, descending });
    }
    if keys.len() > MAX_SORT_KEYS {
        return Err(format!("must have at most {MAX_SORT_KEYS} fields"));
    }
    // Keys after the ID have no effect, because IDs are unique.
    match keys.iter().position(|key| key.property == Property::Id) {
        Some(index) => keys.truncate(index.saturating_add(1)),
        None => {
            let descending = keys.last().is_some_and(|key| key.descending);
            keys.push(SortKey { property: Property::Id, descending });
        }
    }
    if names.are_of_project() && !keys.iter().any(|key| key.property == Property::User) {
        let descending = keys.last().is_some_and(|key| key.descending);
        keys.push(SortKey { property: Property::User, descending });
    }
    Ok(keys)
}

/// Returns the violation of a field with a minus sign, by which other services sort in descending order.
fn minus_sign(name: &str, names: &Properties<'_>) -> Option<String> {
    let field = name.strip_prefix('-').filter(|field| property(field, names).is_ok())?;
    Some(format!("\"{name}\" is not a known field; for descending order, use order={field}.desc"))
}

fn unsigned(text: &str) -> Option<u32> {
    text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()))
}

fn limit(raw: Option<&str>) -> Result<Option<u16>, String> {
    let Some(text) = raw else { return Ok(None) };
    let limit = unsigned(text).and_then(|limit| u16::try_from(limit).ok());
    let limit = limit.filter(|limit| (1..=ItemQuery::MAX_LIMIT).contains(limit));
    limit.map(Some).ok_or_else(|| format!("must be a number from 1 to {}", ItemQuery::MAX_LIMIT))
}

fn offset(raw: Option<&str>, has_cursor: bool) -> Result<u32, String> {
    match raw {
        None => Ok(0),
        Some(_) if has_cursor => Err("cannot be combined with cursor; send only one of them".into()),
        Some(text) => unsigned(text).ok_or_else(|| format!("must be a number from 0 to {}", u32::MAX)),
    }
}

fn select(raw: Option<&str>, names: &Properties<'_>) -> Result<Option<HashSet<String>>, String> {
    let Some(text) = raw else { return Ok(None) };
    if text.split(',').nth(MAX_SELECTED).is_some() {
        return Err(format!("must have at most {MAX_SELECTED} members"));
    }
    let selected = text.split(',').map(|name| property(name, names).map(|_| name.to_owned()));
    selected.collect::<Result<_, _>>().map(Some)
}

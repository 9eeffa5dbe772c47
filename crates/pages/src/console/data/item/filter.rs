//! The filter and the order of a grid of items, as its address states them: rows of field, operator and value, which
//! become conditions of the query language (docs/contract.md#item-queries).

use actix_web::HttpRequest;
use steward_domain::data::RawItemQuery;
use steward_domain::data::schema::FieldType;
use steward_domain::kernel::PageSize;
use url::form_urlencoded;

use crate::console::data::user::scope::TableField;
use crate::request::form::Form;

/// Operators with their labels. The last two need no value.
pub(crate) const OPERATORS: [(&str, &str); 12] = [
    ("eq", "is"),
    ("neq", "is not"),
    ("gt", "is greater than"),
    ("gte", "is at least"),
    ("lt", "is less than"),
    ("lte", "is at most"),
    ("like", "matches (* is any text)"),
    ("ilike", "matches, in upper or lower case"),
    ("not.ilike", "does not match"),
    ("in", "is one of (a,b,c)"),
    ("is.null", "is empty"),
    ("not.is.null", "is not empty"),
];
/// The properties that every item has besides its fields. The last two are those of lists of the items of all users.
const BUILT_IN: [&str; 5] = ["id", "created_at", "updated_at", "user_id", "conforms"];
/// Names of fields that the query language cannot use in a condition, because they are parameters.
const PARAMETERS: [&str; 5] = ["order", "limit", "offset", "cursor", "select"];
/// Maximum numbers of rows, which is that of conditions, and of columns that are chosen.
const MAX_ROWS: usize = 32;
const MAX_COLUMNS: usize = 30;

/// A row of the filter. A row without a field is shown and has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilterRow {
    pub field: String,
    pub operator: String,
    pub value: String,
}

/// The filter and the order of a grid.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct GridQuery {
    pub rows: Vec<FilterRow>,
    /// Such as `title.asc`; empty for the newest items first.
    pub order: String,
    after: String,
    /// The fields to show; empty for the first ones.
    pub columns: Vec<String>,
    /// Whether the grid has the items of all users, if another page returns to it.
    pub is_of_all: bool,
    /// Whether all items of the page are selected.
    pub selects_all: bool,
    /// The button that was pressed to change the rows, if any.
    change: Option<Change>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Add,
    Remove(usize),
}

impl GridQuery {
    /// Reads the address of a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        Self::read(&Form::of_query(request))
    }

    /// Reads a query that [`GridQuery::own_query`] returned.
    pub(crate) fn of_text(query: &str) -> Self {
        Self::read(&Form::of_fields(form_urlencoded::parse(query.as_bytes()).into_owned().collect()))
    }

    /// Reads the query of the grid that a page of the same grid returns to.
    pub(crate) fn returned_to(query: &str) -> Self {
        Self { is_of_all: false, ..Self::of_text(query) }
    }

    fn read(form: &Form) -> Self {
        let all = |wanted: &'static str| {
            let values = form.fields().filter(move |(name, _)| *name == wanted);
            values.map(|(_, value)| value.trim().to_owned())
        };
        let rows = all("f").zip(all("o")).zip(all("v")).take(MAX_ROWS);
        let rows = rows.map(|((field, operator), value)| FilterRow { field, operator, value });
        let remove = form.given("remove").and_then(|index| index.parse().ok()).map(Change::Remove);
        Self {
            rows: rows.collect(),
            order: form.text("order").to_owned(),
            after: form.text("after").to_owned(),
            columns: all("c").take(MAX_COLUMNS).collect(),
            is_of_all: form.given("all").is_some(),
            selects_all: form.given("select").is_some(),
            change: remove.or(form.given("add").map(|_| Change::Add)),
        }
    }

    /// Returns the query after the button that was pressed, or `None` if there was none. The address of the result has
    /// no button, so that reloading changes nothing.
    pub(crate) fn changed(&self) -> Option<Self> {
        let mut rows = self.rows.clone();
        match self.change? {
            Change::Add => rows.push(FilterRow { field: String::new(), operator: "eq".into(), value: String::new() }),
            Change::Remove(index) if index < rows.len() => drop(rows.remove(index)),
            Change::Remove(_) => {}
        }
        Some(Self { rows, order: self.order.clone(), columns: self.columns.clone(), ..Self::default() })
    }

    /// Whether any row has an effect.
    pub(crate) fn is_filtered(&self) -> bool {
        self.rows.iter().any(|row| !row.field.is_empty())
    }

    /// Returns what is wrong with the first row whose operator does not suit the type of its field.
    pub(crate) fn unsuited(&self, fields: &[TableField]) -> Option<String> {
        let kind = |name: &str| fields.iter().find(|field| field.name == name).map(|field| field.kind);
        let row = self.rows.iter().find(|row| !row.suits(kind(&row.field)))?;
        let (_, label) = OPERATORS.iter().find(|(operator, _)| *operator == row.operator)?;
        Some(format!("The operator \"{label}\" does not suit the field {}. Choose another operator.", row.field))
    }

    /// Returns the query for the use case, with at most this number of items per page.
    pub(crate) fn to_raw(&self, limit: Option<u16>, size: PageSize) -> RawItemQuery {
        let rows = self.rows.iter().filter(|row| !row.field.is_empty());
        let conditions = rows.map(|row| (row.field.clone(), row.condition()));
        let order = Some(("order".to_owned(), self.order.clone())).filter(|_| !self.order.is_empty());
        let limit = limit.map(|limit| ("limit".to_owned(), limit.to_string()));
        RawItemQuery {
            parameters: conditions.chain(order).chain(limit).collect(),
            cursor: Some(self.after.clone()).filter(|after| !after.is_empty()),
            size,
        }
    }

    /// Returns the address of the same filter, with another order and start.
    pub(crate) fn address(&self, path: &str, order: &str, after: Option<&str>) -> String {
        let query = self.to_query(order, after);
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    }

    /// Returns the address of this page with all of its items selected, or none.
    pub(crate) fn selecting(&self, path: &str) -> String {
        let address = self.own_address(path);
        let separator = if address.contains('?') { '&' } else { '?' };
        if self.selects_all { address } else { format!("{address}{separator}select=all") }
    }

    /// Returns the address of the items that match one more condition.
    pub(crate) fn with_condition(&self, path: &str, field: &str, value: &str) -> String {
        let row = FilterRow { field: field.to_owned(), operator: "eq".to_owned(), value: value.to_owned() };
        Self { rows: self.rows.iter().cloned().chain([row]).collect(), ..self.clone() }.address(path, &self.order, None)
    }

    /// Returns the query of this filter, order and page.
    pub(crate) fn own_query(&self) -> String {
        self.to_query(&self.order, Some(self.after.as_str()).filter(|after| !after.is_empty()))
    }

    /// Returns the address of this filter, order and page.
    pub(crate) fn own_address(&self, path: &str) -> String {
        self.address(path, &self.order, Some(self.after.as_str()).filter(|after| !after.is_empty()))
    }

    fn to_query(&self, order: &str, after: Option<&str>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        for row in &self.rows {
            query.append_pair("f", &row.field).append_pair("o", &row.operator).append_pair("v", &row.value);
        }
        if !order.is_empty() {
            query.append_pair("order", order);
        }
        if let Some(after) = after {
            query.append_pair("after", after);
        }
        for column in &self.columns {
            query.append_pair("c", column);
        }
        if self.is_of_all {
            query.append_pair("all", "1");
        }
        query.finish()
    }
}

impl FilterRow {
    /// Returns the fields to choose from. One that the table does not have stays, so that it can be corrected.
    pub(crate) fn names<'r>(&'r self, fields: &'r [TableField], is_of_all: bool) -> Vec<&'r str> {
        let declared = fields.iter().map(|field| field.name.as_str());
        let declared = declared.filter(|name| !PARAMETERS.contains(name) && !is_hidden(name, is_of_all));
        let names: Vec<&str> = declared.chain(BUILT_IN.into_iter().take(if is_of_all { 5 } else { 3 })).collect();
        let unknown = Some(self.field.as_str()).filter(|name| !name.is_empty() && !names.contains(name));
        names.into_iter().chain(unknown).collect()
    }

    /// Whether the operator suits a field of this type; `None` for a property that every item has.
    fn suits(&self, kind: Option<FieldType>) -> bool {
        let is_pattern = matches!(self.operator.as_str(), "like" | "ilike" | "not.ilike");
        match kind {
            _ if matches!(self.operator.as_str(), "is.null" | "not.is.null") => true,
            None => !is_pattern || !BUILT_IN.iter().skip(1).any(|name| *name == self.field),
            Some(FieldType::String) => true,
            Some(FieldType::Number) => !is_pattern,
            Some(FieldType::Boolean) => matches!(self.operator.as_str(), "eq" | "neq"),
            Some(FieldType::Json) => false,
        }
    }

    fn condition(&self) -> String {
        match self.operator.as_str() {
            operator @ ("is.null" | "not.is.null") => operator.to_owned(),
            operator => format!("{operator}.{}", self.value),
        }
    }
}

/// Whether a list of the items of all users has a property with the name of a field, which it then cannot use.
fn is_hidden(name: &str, is_of_all: bool) -> bool {
    is_of_all && BUILT_IN.contains(&name)
}

/// Whether the list can be ordered by a field.
pub(crate) fn is_sortable(field: &TableField, is_of_all: bool) -> bool {
    field.kind != FieldType::Json && !is_hidden(&field.name, is_of_all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn query(text: &str) -> GridQuery {
        GridQuery::read(&Form::of_fields(form_urlencoded::parse(text.as_bytes()).into_owned().collect()))
    }

    fn parameters(query: &GridQuery) -> Vec<(String, String)> {
        query.to_raw(None, PageSize::MAX).parameters
    }

    #[test]
    fn rows_become_conditions() {
        let read = query("f=title&o=like&v=a*&f=&o=eq&v=1&f=rank&o=not.is.null&v=&order=rank.desc&after=x");
        let expected = [("title", "like.a*"), ("rank", "not.is.null"), ("order", "rank.desc")];
        assert_eq!(parameters(&read), expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
        assert_eq!(read.to_raw(None, PageSize::MAX).cursor.as_deref(), Some("x"));
        assert!(read.is_filtered() && !query("f=&o=eq&v=1").is_filtered());
    }

    #[test]
    fn an_operator_that_does_not_suit_its_field_is_reported() {
        let kinds = [("title", FieldType::String), ("rank", FieldType::Number), ("more", FieldType::Json)];
        let field = |(name, kind): (&str, FieldType)| TableField {
            name: name.to_owned(),
            kind,
            is_required: false,
            description: String::new(),
        };
        let fields = kinds.map(field);
        assert_eq!(query("f=title&o=like&v=a&f=rank&o=gt&v=1&f=more&o=is.null&v=").unsuited(&fields), None);
        let unsuited = |text| query(text).unsuited(&fields).unwrap();
        assert_eq!(
            unsuited("f=rank&o=ilike&v=1"),
            "The operator \"matches, in upper or lower case\" does not suit the field rank. Choose another operator."
        );
        assert!(unsuited("f=more&o=eq&v=1").contains("field more"));
        assert!(unsuited("f=created_at&o=like&v=1").contains("field created_at"));
    }

    #[test]
    fn a_field_with_the_name_of_a_property_is_not_offered_for_the_items_of_all_users() {
        let (name, description) = ("user_id".to_owned(), String::new());
        let field = TableField { name, kind: FieldType::String, is_required: false, description };
        assert!(is_sortable(&field, false) && !is_sortable(&field, true));
        let row = FilterRow { field: String::new(), operator: "eq".to_owned(), value: String::new() };
        let fields = [field];
        assert_eq!(row.names(&fields, false), ["user_id", "id", "created_at", "updated_at"]);
        assert_eq!(row.names(&fields, true), BUILT_IN);
    }

    #[test]
    fn an_address_is_read_as_it_was_written() {
        let read = query("f=title&o=eq&v=a%26b&order=rank.asc");
        let address = read.address("/x", &read.order, None);
        assert_eq!(query(address.split_once('?').unwrap().1), read);
        assert_eq!(GridQuery::default().address("/x", "", None), "/x");
    }

    #[test]
    fn a_grid_is_returned_to_with_its_filter_order_and_page_and_nothing_else() {
        let read = query("f=title&o=eq&v=a%26b&order=rank.asc&after=x");
        assert_eq!(GridQuery::of_text(&read.own_query()), read);
        assert_eq!(GridQuery::of_text("item=x&f=a&o=eq&v=1").own_address("/x"), "/x?f=a&o=eq&v=1");
        assert_eq!(GridQuery::of_text("//evil.example").own_address("/x"), "/x");
    }

    #[test]
    fn a_button_adds_or_removes_a_row_and_the_result_has_no_button() {
        let added = query("f=a&o=eq&v=1&add=1&after=x").changed().unwrap();
        assert_eq!((added.rows.len(), added.after.as_str(), added.changed()), (2, "", None));
        let removed = query("f=a&o=eq&v=1&f=b&o=eq&v=2&remove=0").changed().unwrap();
        assert_eq!(removed.rows.iter().map(|row| row.field.as_str()).collect::<Vec<_>>(), ["b"]);
        assert_eq!(query("f=a&o=eq&v=1&remove=7").changed().unwrap().rows.len(), 1);
        assert_eq!(query("f=a&o=eq&v=1").changed(), None);
    }
}

//! The audit log of a team or project: its filters, its pages and its export.

use actix_web::HttpRequest;
use askama::Template;
use steward_domain::Steward;
use steward_domain::administration::{AuditEvent, AuditFilter, EventSelection, ItemChanges};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{Caller, PageRequest, PageSize, ResourceScope, TeamId, Time};

use crate::console::frame::download::{Source, download};
use crate::console::frame::{FormState, Shell, Signed, TeamOrProject};
use crate::error::{PageError, PageResult};
use crate::request::form::{Form, with_query};

use super::event::{EventLine, deleted, names, to_json};

/// The query parameters that filter the log.
const FILTERS: [&str; 6] = ["action", "actor", "target", "from", "to", "item_changes"];
/// What starts the actions of items.
const ITEM_ACTIONS: &str = "item.";

/// Returns the team or project in the path if the person may read its audit log.
pub(crate) async fn readable(signed: &Signed) -> Result<TeamOrProject, PageError> {
    let scope = TeamOrProject::of(signed).await?;
    scope.permitted().require(scope.choose(Operation::TeamAudit, Operation::ProjectAudit))?;
    Ok(scope)
}

/// Shows the events that match the filters. If a filter is not valid, shows its error and no events.
pub(crate) async fn show(signed: Signed, request: HttpRequest) -> PageResult {
    let scope = readable(&signed).await?;
    let given = Form::of_query(&request);
    let (filter, form) = match filter(&given, ItemChanges::Exclude) {
        Ok(filter) => (Some(filter), FormState::new(&signed, &given.fields().collect::<Vec<_>>())),
        Err(error) => (None, FormState::refused(&signed, &given, error)?),
    };
    let shell = scope.shell(&signed, "Audit log").await?;

    let filters = FILTERS.map(|name| (name, form.value(name)));
    let (events, next) = match &filter {
        Some(filter) => find(&signed, &scope, filter, &filters).await?,
        None => (Vec::new(), None),
    };
    let shown = filter.as_ref().map_or(ItemChanges::Exclude, |filter| filter.item_changes);
    let view = AuditLog {
        shell,
        address: scope.at("/audit"),
        export: scope.at(&with_query("/audit/export", with_item_changes(filters, shown))),
        with_item_changes: scope.at(&with_query("/audit", with_item_changes(filters, ItemChanges::Include))),
        chain: scope.at("/audit/chain"),
        actions: EventSelection::known_names(),
        has_item_changes: shown != ItemChanges::Exclude,
        is_filtered: filter != Some(AuditFilter { item_changes: ItemChanges::Exclude, ..AuditFilter::default() }),
        is_team: scope.choose(true, false),
        events,
        next,
        form,
    };
    view.form.page(&signed, &view)
}

/// Returns the events on this page of those that match a filter, and the address of the next page. `filters`: the
/// parameters of the query that express the filter.
async fn find(
    signed: &Signed,
    scope: &TeamOrProject,
    filter: &AuditFilter,
    filters: &[(&str, &str)],
) -> Result<(Vec<EventLine>, Option<String>), PageError> {
    let (audit, page) = (&signed.steward().audit, signed.page_request());
    let found = audit.list(&signed.caller, scope.id(), filter, &page).await?;
    let (names, deleted) = (names(signed, scope, &found.items).await?, deleted(&found.items));
    let line = |event| EventLine::of(event, &names, scope.permitted(), &deleted);
    let events = found.items.iter().map(line).collect();
    Ok((events, signed.next_page(found.next.as_ref(), filters)))
}

/// Returns the filters with this one about changes of items.
fn with_item_changes<'v>(filters: [(&'static str, &'v str); 6], shown: ItemChanges) -> [(&'static str, &'v str); 6] {
    filters.map(|(name, value)| (name, if name == "item_changes" { shown.as_str() } else { value }))
}

/// Returns all events that match the filters as NDJSON, newest first.
pub(crate) async fn export(signed: Signed, request: HttpRequest) -> PageResult {
    let scope = readable(&signed).await?;
    let filter = filter(&Form::of_query(&request), ItemChanges::Include)?;
    let page = PageRequest { size: PageSize::CHUNK, ..PageRequest::FIRST };
    let log = LogExport { scope: scope.id(), filter, page };
    let slug = match &scope {
        TeamOrProject::Team(scope) => &scope.team.slug,
        TeamOrProject::Project(scope) => &scope.project.slug,
    };
    Ok(download(signed, &format!("audit-{slug}.ndjson"), "application/x-ndjson", log).await?)
}

/// The part of the log that is not written yet.
#[derive(Clone)]
struct LogExport {
    scope: ResourceScope,
    filter: AuditFilter,
    page: PageRequest,
}

impl Source for LogExport {
    async fn next_chunk(mut self, steward: &Steward, caller: &Caller) -> Result<(Vec<u8>, Option<Self>), Error> {
        let found = steward.audit.list(caller, self.scope, &self.filter, &self.page).await?;
        self.page.size = self.page.size.after_chunk_of(found.items.len());
        let (events, next) = (found.items, found.next);
        let text = steward.compute.call(true, move || lines(&events)).await?;
        let rest = next.map(|next| Self { page: PageRequest { after: Some(next), ..self.page }, ..self });
        Ok((text.into_bytes(), rest))
    }
}

fn lines(events: &[AuditEvent]) -> String {
    events.iter().map(|event| format!("{}\n", to_json(event))).collect()
}

/// Parses the filters of a query. `default`: whether changes of items are selected if the query does not say it, and
/// does not select one of their actions.
fn filter(given: &Form, default: ItemChanges) -> Result<AuditFilter, Error> {
    let mut violations = FieldViolations::default();
    let text = |name: &str| given.given(name).map(str::trim).filter(|text| !text.is_empty());
    let action = violations.check_given("action", text("action"), known_action);
    // The kind of the ID does not matter: all are UUIDs.
    let not_an_id = "must be the ID of an account, an API key, a client or a personal access token";
    let actor = |text: &str| TeamId::parse(text).map(TeamId::uuid).ok_or(not_an_id);
    let actor = violations.check_given("actor", text("actor"), actor);
    let target = violations.check_given("target", text("target"), target_id);
    let from = violations.check_given("from", text("from"), timestamp);
    let end = |text: &str| match (from, timestamp(text)?) {
        (Some(from), to) if from > to => Err("The end of the period must not be before its start."),
        (_, to) => Ok(to),
    };
    let to = violations.check_given("to", text("to"), end);
    let item_changes = |text: &str| ItemChanges::parse(text).ok_or("must be one of the options");
    let item_changes = violations.check_given("item_changes", text("item_changes"), item_changes);
    let is_of_items = action.as_ref().is_some_and(|action| action.starts_with(ITEM_ACTIONS));
    let default = if is_of_items { ItemChanges::Only } else { default };
    let item_changes = item_changes.unwrap_or(default);
    violations.finish(Some(AuditFilter { actor, action, target, from, to, item_changes }))
}

/// Returns the name of an event that can happen. The error is a predicate.
fn known_action(text: &str) -> Result<String, &'static str> {
    let found = EventSelection::known_names().into_iter().find(|name| name == text);
    found.ok_or("must be the name of an event such as team.updated")
}

/// Returns the ID of a target. Databases cannot store all control characters. The error is a predicate.
fn target_id(text: &str) -> Result<String, &'static str> {
    if text.contains(char::is_control) { Err("must not contain control characters") } else { Ok(text.to_owned()) }
}

/// Parses a timestamp as browsers send it, without a time zone, or in RFC 3339. The error is a predicate.
fn timestamp(text: &str) -> Result<Time, &'static str> {
    let text = text.trim();
    let with_zone = ["", "Z", ":00Z"].map(|end| format!("{text}{end}"));
    let mut parsed = with_zone.iter().filter_map(|text| text.parse::<Time>().ok());
    // Not every database sorts years with a sign. The conversion to UTC can result in one.
    let storable = parsed.find(|at| at.to_rfc3339().starts_with(|c: char| c.is_ascii_digit()));
    storable.ok_or("must be a timestamp such as 2030-01-31T12:00")
}

#[derive(Template)]
#[template(path = "console/administration/audit/log.html")]
struct AuditLog {
    shell: Shell,
    form: FormState,
    address: String,
    export: String,
    /// The page with the same filters and with changes of items.
    with_item_changes: String,
    chain: String,
    /// The names of all actions, as suggestions.
    actions: Vec<String>,
    is_filtered: bool,
    /// Whether the list can contain changes of items.
    has_item_changes: bool,
    is_team: bool,
    events: Vec<EventLine>,
    next: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the fields of the filters that are not valid.
    fn invalid(filters: &[(&str, &str)]) -> Vec<String> {
        let fields = filters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        match filter(&Form::of_fields(fields.collect()), ItemChanges::Exclude) {
            Err(Error::Invalid(violations)) => violations.as_slice().iter().map(|one| one.field.clone()).collect(),
            other => other.map(|_| Vec::new()).unwrap(),
        }
    }

    #[test]
    fn each_invalid_filter_is_an_error_of_its_field() {
        let period = |from, to| invalid(&[("from", from), ("to", to)]);
        assert_eq!(invalid(&[("action", "team.exploded")]), ["action"]);
        assert_eq!(invalid(&[("actor", "ann"), ("from", "yesterday")]), ["actor", "from"]);
        assert_eq!(invalid(&[("item_changes", "some")]), ["item_changes"]);
        assert_eq!(invalid(&[("target", "a\0b")]), ["target"]);
        assert_eq!(period("2030-01-02T00:00", "2030-01-01T00:00"), ["to"]);
        assert!(period("2030-01-01T00:00", "2030-01-01T00:00").is_empty());
        assert!(invalid(&[("action", " team.updated "), ("target", " ")]).is_empty());
    }

    #[test]
    fn a_timestamp_without_a_zone_is_in_utc() {
        let noon = timestamp("2030-01-31T12:00:00Z").unwrap();
        for text in ["2030-01-31T12:00", "2030-01-31T12:00:00", " 2030-01-31T13:00:00+01:00 "] {
            assert_eq!(timestamp(text), Ok(noon), "{text}");
        }
        let too_late = "9999-12-31T23:59:59-01:00";
        for invalid in ["", "yesterday", "2030-01-31", "+12030-01-31T12:00", too_late, "2030-02-31T12:00"] {
            assert!(timestamp(invalid).is_err(), "{invalid}");
        }
    }
}

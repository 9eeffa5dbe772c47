//! The audit log of a team or project: its filters, its pages and its export.

use actix_web::{HttpRequest, HttpResponse};
use askama::Template;
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{
    AuditEvent, AuditFilter, Caller, EventSelection, PageRequest, PageSize, ResourceScope, TeamId, Time,
};
use steward_domain::policy::Lane;
use steward_domain::usecases::Steward;
use steward_domain::work::Work;
use url::form_urlencoded;

use crate::error::PageError;
use crate::form::Form;

use super::audit_event::{ActorNames, EventLine, to_json};
use super::download::{Source, download};
use super::form_state::FormState;
use super::log_scope::LogScope;
use super::shell::Shell;
use super::signed::Signed;

/// The query parameters that filter the log.
const FILTERS: [&str; 5] = ["action", "actor", "target", "from", "to"];

/// Shows the events that match the filters. If a filter is not valid, shows its error and no events.
pub(super) async fn show(signed: Signed, request: HttpRequest) -> Result<HttpResponse, PageError> {
    let scope = LogScope::of(&signed).await?;
    let given = Form::of_query(&request);
    let (filter, form) = match filter(&given) {
        Ok(filter) => (Some(filter), FormState::new(&signed, &given.fields().collect::<Vec<_>>())),
        Err(error) => (None, FormState::refused(&signed, &given, error)?),
    };
    let shell = scope.shell(&signed).await?;

    let filters = FILTERS.map(|name| (name, form.value(name)));
    let (events, next) = match &filter {
        Some(filter) => find(&signed, &scope, filter, &filters).await?,
        None => (Vec::new(), None),
    };
    let view = AuditLog {
        shell,
        address: scope.at(""),
        export: exported(&scope, &filters),
        chain: scope.at("/chain"),
        actions: EventSelection::known_names(),
        is_filtered: filter != Some(AuditFilter::default()),
        is_team: scope.is_team(),
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
    scope: &LogScope,
    filter: &AuditFilter,
    filters: &[(&str, &str)],
) -> Result<(Vec<EventLine>, Option<String>), PageError> {
    Work::set_lane(Lane::Heavy);
    let (audit, page) = (&signed.steward().audit, signed.page_request());
    let found = audit.list(&signed.caller, scope.resource(), filter, &page).await?;
    let names = ActorNames::read(signed, scope, &found.items).await?;
    let events = found.items.iter().map(|event| EventLine::of(event, &names)).collect();
    Ok((events, signed.next_page(found.next.as_ref(), filters)))
}

/// Returns the address of the export of the events that match the filters.
fn exported(scope: &LogScope, filters: &[(&str, &str)]) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.extend_pairs(filters.iter().filter(|(_, value)| !value.is_empty()));
    match query.finish() {
        query if query.is_empty() => scope.at("/export"),
        query => scope.at(&format!("/export?{query}")),
    }
}

/// Returns all events that match the filters as NDJSON, newest first.
pub(super) async fn export(signed: Signed, request: HttpRequest) -> Result<HttpResponse, PageError> {
    let scope = LogScope::of(&signed).await?;
    let filter = filter(&Form::of_query(&request))?;
    Work::set_lane(Lane::Heavy);
    let page = PageRequest { size: PageSize::CHUNK, ..PageRequest::FIRST };
    let log = LogExport { scope: scope.resource(), filter, page };
    let name = format!("audit-{}.ndjson", scope.slug());
    Ok(download(signed, &name, "application/x-ndjson", log).await?)
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
        self.page.size = PageSize::after_chunk_of(found.items.len());
        let (events, next) = (found.items, found.next);
        let text = steward.compute.call(true, move || lines(&events)).await?;
        let rest = next.map(|next| Self { page: PageRequest { after: Some(next), ..self.page }, ..self });
        Ok((text.into_bytes(), rest))
    }
}

fn lines(events: &[AuditEvent]) -> String {
    events.iter().map(|event| format!("{}\n", to_json(event))).collect()
}

/// Parses the filters of a query.
fn filter(given: &Form) -> Result<AuditFilter, Error> {
    let mut violations = FieldViolations::default();
    let text = |name: &str| given.given(name).map(str::trim).filter(|text| !text.is_empty());
    let action = violations.note("action", text("action").map(known_action).transpose());
    // The kind of the ID does not matter: all are UUIDs.
    let actor = text("actor").map(|text| TeamId::parse(text).map(TeamId::uuid));
    let not_an_id = "must be the ID of an account, an API key or a personal access token";
    let actor = violations.note("actor", actor.map(|id| id.ok_or(not_an_id)).transpose());
    let target = violations.note("target", text("target").map(target_id).transpose());
    let from = violations.note("from", text("from").map(timestamp).transpose());
    let end = |text: &str| match (from.flatten(), timestamp(text)?) {
        (Some(from), to) if from > to => Err("The end of the period must not be before its start."),
        (_, to) => Ok(to),
    };
    let to = violations.note("to", text("to").map(end).transpose());
    let parsed = action.zip(actor).zip(target).zip(from.zip(to));
    violations.or(parsed.map(|(((action, actor), target), (from, to))| AuditFilter { actor, action, target, from, to }))
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
#[template(path = "console/audit.html")]
struct AuditLog {
    shell: Shell,
    form: FormState,
    address: String,
    export: String,
    chain: String,
    /// The names of all actions, as suggestions.
    actions: Vec<String>,
    is_filtered: bool,
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
        match filter(&Form::of_fields(fields.collect())) {
            Err(Error::Invalid(violations)) => violations.as_slice().iter().map(|one| one.field.clone()).collect(),
            other => other.map(|_| Vec::new()).unwrap(),
        }
    }

    #[test]
    fn each_invalid_filter_is_an_error_of_its_field() {
        let period = |from, to| invalid(&[("from", from), ("to", to)]);
        assert_eq!(invalid(&[("action", "team.exploded")]), ["action"]);
        assert_eq!(invalid(&[("actor", "ann"), ("from", "yesterday")]), ["actor", "from"]);
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

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

/// Shows the events that match the filters. Filters that are not valid are shown again above all events.
pub(super) async fn show(signed: Signed, request: HttpRequest) -> Result<HttpResponse, PageError> {
    let scope = LogScope::of(&signed).await?;
    let given = Form::of_query(&request);
    let (filter, form) = match filter(&given) {
        Ok(filter) => (filter, FormState::new(&signed, &given.fields().collect::<Vec<_>>())),
        Err(error) => (AuditFilter::default(), FormState::refused(&signed, &given, error)?),
    };
    let shell = scope.shell(&signed).await?;

    Work::set_lane(Lane::Heavy);
    let (audit, page) = (&signed.steward().audit, signed.page_request());
    let found = audit.list(&signed.caller, scope.resource(), &filter, &page).await?;
    let names = ActorNames::read(&signed, &scope, &found.items).await?;

    let filters: Vec<(&str, &str)> = FILTERS.iter().map(|name| (*name, form.value(name))).collect();
    let next = signed.next_page(found.next.as_ref().filter(|_| !form.is_refused()), &filters);
    let view = AuditLog {
        shell,
        address: scope.at(""),
        export: exported(&scope, &filters),
        chain: scope.at("/chain"),
        actions: EventSelection::known_names(),
        is_filtered: filter != AuditFilter::default(),
        is_team: scope.is_team(),
        events: found.items.iter().map(|event| EventLine::of(event, &names)).collect(),
        next,
        form,
    };
    view.form.page(&signed, &view)
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
    // The kind of the ID does not matter: all are UUIDs.
    let actor = given.given("actor").map(|text| TeamId::parse(text.trim()).map(TeamId::uuid));
    let not_an_id = "must be the ID of an account, an API key or a personal access token";
    let actor = violations.note("actor", actor.map(|id| id.ok_or(not_an_id)).transpose());
    let from = violations.note("from", given.given("from").map(timestamp).transpose());
    let to = violations.note("to", given.given("to").map(timestamp).transpose());
    let text = |name: &str| given.given(name).map(|text| text.trim().to_owned());
    let parsed = actor.zip(from).zip(to).map(|((actor, from), to)| AuditFilter {
        actor,
        action: text("action"),
        target: text("target"),
        from,
        to,
    });
    violations.or(parsed)
}

/// Parses a timestamp as browsers send it, without a time zone, or in RFC 3339. The error is a predicate.
fn timestamp(text: &str) -> Result<Time, &'static str> {
    let text = text.trim();
    let with_zone = ["", "Z", ":00Z"].map(|end| format!("{text}{end}"));
    // Databases do not support years with a sign.
    let mut parsed = with_zone.iter().filter(|text| text.starts_with(|c: char| c.is_ascii_digit()));
    parsed.find_map(|text| text.parse::<Time>().ok()).ok_or("must be a timestamp such as 2030-01-31T12:00")
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

    #[test]
    fn a_timestamp_without_a_zone_is_in_utc() {
        let noon = timestamp("2030-01-31T12:00:00Z").unwrap();
        for text in ["2030-01-31T12:00", "2030-01-31T12:00:00", " 2030-01-31T13:00:00+01:00 "] {
            assert_eq!(timestamp(text), Ok(noon), "{text}");
        }
        for invalid in ["", "yesterday", "2030-01-31", "+12030-01-31T12:00", "2030-02-31T12:00"] {
            assert!(timestamp(invalid).is_err(), "{invalid}");
        }
    }
}

//! The newest requests of a project: the log that the API returns, newest first.

use actix_web::HttpRequest;
use askama::Template;
use steward_domain::administration::{LoggedRequest, RequestFilter, StatusFilter};
use steward_domain::kernel::error::{Error, FieldViolations};
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::{PageRequest, ProjectId, TeamId};

use crate::console::administration::audit::names::{Names, Someone, name_of_account};
use crate::console::frame::{FormState, Shell, Signed, TeamOrProject, Timestamp};
use crate::error::{PageError, PageResult};
use crate::request::form::{Form, with_query};

/// Number of requests on the page.
const ROWS: u16 = 100;
/// Number of keys, and of members, that the filter offers.
const CALLERS: u16 = 50;
/// How often the page shows new requests by itself: a forgotten one stops. The query parameter `follow` counts down.
const FOLLOWED: u16 = 200;
/// The query parameters that select requests.
const FILTERS: [&str; 3] = ["status", "route", "caller"];

/// Shows the requests that match the filters, and the one that the query names.
pub(crate) async fn show(signed: Signed, request: HttpRequest) -> PageResult {
    let (scope, project) = (TeamOrProject::of(&signed).await?, signed.project_id()?);
    let given = Form::of_query(&request);
    let (filter, form) = match filter(&given) {
        Ok(filter) => (filter, FormState::new(&signed, &given.fields().collect::<Vec<_>>())),
        Err(error) => (RequestFilter::default(), FormState::refused(&signed, &given, error)?),
    };
    let projects = &signed.steward().projects;
    let mut found = projects.requests(&signed.caller, project, None, &filter, ROWS).await?.requests;
    found.reverse();
    let id = form.value("request");
    let one = match id {
        "" => None,
        _ => {
            let all = projects.requests(&signed.caller, project, None, &RequestFilter::default(), u16::MAX).await?;
            all.requests.into_iter().find(|request| *request.request_id == *id)
        }
    };
    let names = Names::read(&signed, &scope, one.iter().chain(&found).filter_map(|one| caller(one, project))).await?;
    let left = form.value("follow").parse::<u16>().unwrap_or(0).min(FOLLOWED);
    let filters = FILTERS.map(|name| (name, form.value(name)));
    let address = |others: &[(&'static str, &str)]| {
        scope.at(&with_query("/requests", filters.into_iter().chain(others.iter().copied())))
    };
    let line = |request: LoggedRequest| Line {
        address: address(&[("request", &*request.request_id)]),
        caller: request.caller_parts().map(|(kind, id)| (names.of(kind, Some(id)), id.to_owned())),
        took: format!("{:.1} ms", request.took.as_secs_f64() * 1_000.0),
        at: request.at.into(),
        request,
    };
    let view = Requests {
        shell: scope.shell(&signed, "Requests").await?,
        callers: callers(&signed, &scope, project, form.value("caller")).await?,
        is_missing: !id.is_empty() && one.is_none(),
        one: one.map(line),
        requests: found.into_iter().map(line).collect(),
        is_filtered: filters.iter().any(|(_, value)| !value.is_empty()),
        left,
        page: scope.at("/requests"),
        paused: address(&[]),
        followed: address(&[("follow", &*left.checked_sub(1).unwrap_or(FOLLOWED).to_string())]),
        form,
    };
    view.form.page(&signed, &view)
}

/// Parses the filters of a query.
fn filter(given: &Form) -> Result<RequestFilter, Error> {
    let mut violations = FieldViolations::default();
    let text = |name: &str| given.given(name).map(str::trim).filter(|text| !text.is_empty());
    let status = violations.check_given("status", text("status"), StatusFilter::parse);
    // The kind of the ID does not matter: all are UUIDs.
    let id = |text: &str| TeamId::parse(text).map(|id| id.to_string()).ok_or("must be one of the options");
    let caller = violations.check_given("caller", text("caller"), id);
    let route = text("route").map(str::to_owned);
    violations.finish(Some(RequestFilter { caller, route, status, ..RequestFilter::default() }))
}

fn caller(request: &LoggedRequest, project: ProjectId) -> Option<Someone<'_>> {
    let (kind, id) = request.caller_parts()?;
    Some((kind, id.to_owned(), Some(project)))
}

/// Returns the callers that the filter offers, by ID: the newest keys, some members, and the one by which it filters.
async fn callers(
    signed: &Signed,
    scope: &TeamOrProject,
    project: ProjectId,
    chosen: &str,
) -> Result<Vec<(String, String)>, PageError> {
    let (steward, page) = (signed.steward(), PageRequest { limit: Some(CALLERS), ..PageRequest::FIRST });
    let mut callers = vec![(String::new(), "Everyone".to_owned())];
    if scope.permitted().may(Operation::KeyList) {
        let keys = steward.api_keys.list(&signed.caller, project, &page).await?;
        callers.extend(keys.items.iter().map(|key| (key.id.to_string(), format!("Key: {}", key.label))));
    }
    if scope.permitted().may(Operation::MemberList) {
        let members = steward.members.list_with_accounts(&signed.caller, scope.team(), &page).await?;
        callers.extend(
            members.items.iter().filter_map(|found| {
                Some((found.member.account_id.to_string(), name_of_account(found.account.as_ref()?)))
            }),
        );
    }
    if callers.iter().all(|(id, _)| id != chosen) {
        callers.push((chosen.to_owned(), chosen.to_owned()));
    }
    Ok(callers)
}

/// A request on the page.
struct Line {
    request: LoggedRequest,
    at: Timestamp,
    took: String,
    /// The name and the ID of the caller.
    caller: Option<(String, String)>,
    /// The page with this request.
    address: String,
}

#[derive(Template)]
#[template(path = "console/administration/project/requests.html")]
struct Requests {
    shell: Shell,
    form: FormState,
    callers: Vec<(String, String)>,
    /// The request that the query names.
    one: Option<Line>,
    /// Whether the query names a request that is not in the log.
    is_missing: bool,
    requests: Vec<Line>,
    is_filtered: bool,
    /// How often the page still shows new requests by itself.
    left: u16,
    /// The page without filters, and with them: once, and with new requests, as the next time.
    page: String,
    paused: String,
    followed: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_are_parsed_and_an_invalid_one_is_an_error_of_its_field() {
        let filter = |text: &str| filter(&Form::of_text(text));
        let found = filter("status=4xx&route=%20/db/%20&caller=018f2a3d-0b6f-7d93-a1c8-5e7f2d4b8061&x=1").unwrap();
        assert_eq!((found.status, found.route.as_deref()), (Some(StatusFilter::Class(4)), Some("/db/")));
        assert_eq!(found.caller.as_deref(), Some("018f2a3d-0b6f-7d93-a1c8-5e7f2d4b8061"));
        assert_eq!(filter("status=&route=&caller=").unwrap(), RequestFilter::default());
        let Err(Error::Invalid(violations)) = filter("status=6xx&caller=ann") else { panic!() };
        let fields: Vec<_> = violations.as_slice().iter().map(|one| one.field.as_str()).collect();
        assert_eq!(fields, ["status", "caller"]);
    }
}

//! Which operation a request asks for: by its method and the pattern of its route, as the document lists them.

use std::collections::HashMap;
use std::sync::LazyLock;

use actix_web::HttpMessage as _;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use serde_json::Value;
use steward_domain::policy::Operation;

use crate::frame::shortened;
use crate::openapi;

/// The operations by route and method.
static OPERATIONS: LazyLock<HashMap<String, Vec<(Method, Operation)>>> = LazyLock::new(|| {
    let document: Value = serde_json::from_str(openapi::document()).unwrap_or_default();
    let items = document.get("paths").and_then(Value::as_object).into_iter().flatten();
    let routes = items.map(|(route, item)| {
        let methods = item.as_object().into_iter().flatten();
        let operations = methods.filter_map(|(method, operation)| {
            let name = operation.get("operationId")?.as_str()?;
            let rule = Operation::RULES.iter().find(|rule| rule.name == name)?;
            Some((method.to_uppercase().parse().ok()?, rule.operation))
        });
        (route.clone(), operations.collect())
    });
    routes.collect()
});

/// What a request asks for, once it has been looked up.
#[derive(Clone, Copy)]
struct Requested(Option<Operation>);

/// The operation that a request asks for. `None`: a page, the service itself, or an address or method that is none.
pub(crate) fn operation_of(request: &ServiceRequest) -> Option<Operation> {
    let known = request.extensions().get::<Requested>().copied();
    known
        .unwrap_or_else(|| {
            let requested = Requested(look_up(request.method(), request.match_pattern().as_deref()));
            request.extensions_mut().insert(requested);
            requested
        })
        .0
}

fn look_up(method: &Method, pattern: Option<&str>) -> Option<Operation> {
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let operations = OPERATIONS.get(&shortened(pattern?))?;
    operations.iter().find(|(other, _)| other == method).map(|(_, operation)| *operation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_public_operation_is_found_by_one_route() {
        for rule in Operation::RULES.iter().filter(|rule| rule.operation.is_public()) {
            let count = OPERATIONS.values().flatten().filter(|(_, operation)| *operation == rule.operation).count();
            assert!(count >= 1, "{} has no route", rule.name);
        }
    }

    #[test]
    fn a_request_is_looked_up_by_method_and_pattern() {
        assert_eq!(look_up(&Method::GET, Some("/team/{team_id}/")), Some(Operation::TeamGet));
        assert_eq!(look_up(&Method::HEAD, Some("/team/{team_id}")), Some(Operation::TeamGet));
        assert_eq!(look_up(&Method::DELETE, Some("/team/{team_id}")), Some(Operation::TeamDelete));
        assert_eq!(look_up(&Method::POST, Some("/health/ready")), None);
        assert_eq!(look_up(&Method::GET, None), None);
    }
}

//! Which endpoint a request is for: found once, before anything is done for it. The rate limit, the lane, the handler and the
//! name of the route in logs, traces and metrics all follow from it.

use std::collections::HashMap;
use std::sync::LazyLock;

use actix_web::HttpMessage;
use actix_web::dev::ServiceRequest;
use actix_web::http::Method;
use serde_json::Value;
use steward_domain::policy::Operation;

use crate::openapi;
use crate::routes::{self, Address};

/// A path of the API and what its methods do.
pub(crate) struct Endpoint {
    /// Its place among [`routes::all`].
    pub index: usize,
    /// The path as it is documented.
    pub path: String,
    /// The methods that it takes, as the header `Allow` lists them.
    pub allowed: String,
    operations: Vec<(Method, Operation)>,
    /// The names of the path's parameters by the number of their segments; the text before the first slash is number 0.
    parameters: Vec<(usize, &'static str)>,
}

/// All endpoints, and the tree of their segments.
struct Endpoints {
    all: Vec<Endpoint>,
    root: Node,
}

/// What follows one segment of a path.
#[derive(Default)]
struct Node {
    /// The endpoint whose path ends here.
    endpoint: Option<usize>,
    texts: HashMap<&'static str, Node>,
    parameter: Option<Box<Node>>,
}

/// One segment of an address: a text, a parameter like `{id}`, or a parameter that can only be one text, like `{id:text}`.
struct Segment {
    parameter: Option<&'static str>,
    text: Option<&'static str>,
}

static ENDPOINTS: LazyLock<Endpoints> = LazyLock::new(|| {
    let document: Value = serde_json::from_str(openapi::document()).unwrap_or_default();
    Endpoints::of(&routes::all(), &document)
});

/// The endpoint at a path. A text comes before a parameter; a trailing slash makes no difference.
pub(crate) fn find(path: &str) -> Option<&'static Endpoint> {
    ENDPOINTS.find(path)
}

/// The endpoint that [`crate::frame`] found for a request. `None`: a page, or nothing.
pub(crate) fn endpoint_of(request: &impl HttpMessage) -> Option<&'static Endpoint> {
    request.extensions().get::<&'static Endpoint>().copied()
}

/// The operation that a request asks for. `None`: a page, the service itself, or a path or method that does not exist.
pub(crate) fn operation_of(request: &ServiceRequest) -> Option<Operation> {
    endpoint_of(request)?.operation(request.method())
}

/// The method whose handler serves a request: HEAD is served as GET (contract 1.12).
pub(crate) fn served_as(method: &Method) -> &Method {
    if *method == Method::HEAD { &Method::GET } else { method }
}

impl Endpoint {
    fn of(index: usize, address: &Address, document: &Value) -> Self {
        let path = address.path.split('/').map(|segment| match Segment::parse(segment) {
            Segment { text: Some(text), .. } => text,
            Segment { text: None, .. } => segment,
        });
        let path = path.collect::<Vec<_>>().join("/");
        let named = address.path.split('/').enumerate();
        let parameters = named.filter_map(|(number, segment)| Some((number, Segment::parse(segment).parameter?)));
        let methods = document.get("paths").and_then(|paths| paths.get(&path)?.as_object());
        let operations = methods.into_iter().flatten().filter_map(|(method, operation)| {
            let name = operation.get("operationId")?.as_str()?;
            let rule = Operation::RULES.iter().find(|rule| rule.name == name)?;
            Some((method.to_uppercase().parse().ok()?, rule.operation))
        });
        let (operations, parameters) = (operations.collect(), parameters.collect());
        Self { index, allowed: address.allowed(), operations, parameters, path }
    }

    fn operation(&self, method: &Method) -> Option<Operation> {
        let method = served_as(method);
        self.operations.iter().find(|(other, _)| other == method).map(|(_, operation)| *operation)
    }

    /// The value of a parameter in the path of a request for this endpoint.
    pub(crate) fn parameter<'a>(&self, path: &'a str, name: &str) -> Option<&'a str> {
        let (number, _) = self.parameters.iter().find(|(_, other)| *other == name)?;
        path.split('/').nth(*number)
    }
}

impl Endpoints {
    fn of(addresses: &[Address], document: &Value) -> Self {
        let mut endpoints = Self { all: Vec::new(), root: Node::default() };
        for (index, address) in addresses.iter().enumerate() {
            let segments = address.path.split('/').filter(|segment| !segment.is_empty());
            let node = segments.fold(&mut endpoints.root, |node, segment| match Segment::parse(segment).text {
                Some(text) => node.texts.entry(text).or_default(),
                None => node.parameter.get_or_insert_default(),
            });
            node.endpoint = Some(index);
            endpoints.all.push(Endpoint::of(index, address, document));
        }
        endpoints
    }

    fn find(&self, path: &str) -> Option<&Endpoint> {
        self.all.get(self.root.find(path.strip_prefix('/')?)?)
    }
}

impl Node {
    fn find(&self, rest: &str) -> Option<usize> {
        if rest.is_empty() {
            return self.endpoint;
        }
        let (segment, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let by_text = self.texts.get(segment).and_then(|node| node.find(rest));
        by_text.or_else(|| self.parameter.as_ref().filter(|_| !segment.is_empty())?.find(rest))
    }
}

impl Segment {
    fn parse(segment: &'static str) -> Self {
        let parameter = segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}'));
        match parameter.map(|parameter| parameter.split_once(':').ok_or(parameter)) {
            None => Self { parameter: None, text: Some(segment) },
            Some(Ok((name, text))) => Self { parameter: Some(name), text: Some(text) },
            Some(Err(name)) => Self { parameter: Some(name), text: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The documented path of what is found.
    fn found(path: &str) -> Option<&str> {
        find(path).map(|endpoint| endpoint.path.as_str())
    }

    #[test]
    fn every_public_operation_is_found_by_one_route() {
        for rule in Operation::RULES.iter().filter(|rule| rule.operation.is_public()) {
            let operations = ENDPOINTS.all.iter().flat_map(|endpoint| &endpoint.operations);
            assert!(operations.filter(|(_, operation)| *operation == rule.operation).count() >= 1, "{}", rule.name);
        }
    }

    #[test]
    fn every_endpoint_is_found_with_and_without_a_trailing_slash() {
        for endpoint in &ENDPOINTS.all {
            let path = endpoint.path.replace(['{', '}'], "");
            assert_eq!(found(&path), Some(endpoint.path.as_str()));
            let with_slash = format!("{}/", path.trim_end_matches('/'));
            assert_eq!(found(&with_slash), Some(endpoint.path.as_str()));
        }
    }

    #[test]
    fn a_text_comes_before_a_parameter_unless_nothing_follows_it() {
        assert_eq!(found("/project/slug"), Some("/project/slug"));
        assert_eq!(found("/project/p1"), Some("/project/{id}"));
        assert_eq!(found("/project/slug/profile"), Some("/project/{id}/profile"));
        assert_eq!(found("/project/p1/user/stats"), Some("/project/{id}/user/stats"));
        assert_eq!(found("/project/p1/user/stats/export"), Some("/project/{id}/user/{user_id}/export"));
        assert_eq!(found("/account/apps/p1"), Some("/account/apps/{project_id}"));
        assert_eq!(found("/account/apps/db/notes"), Some("/account/{project_id}/db/{table_id}"));
        assert_eq!(found("/projects/p1/client-metadata.json"), Some("/projects/{id}/client-metadata.json"));
    }

    #[test]
    fn a_path_that_is_not_mounted_is_not_found() {
        let paths = ["", "*", "//", "//team", "/team//", "/team//member", "/project/p1/", "/project/p1//key", "/teams"];
        let found: Vec<_> = paths.into_iter().filter(|path| found(path).is_some()).collect();
        assert_eq!(found, ["/project/p1/"]);
        assert!(find("/auth/sign-in").is_none(), "it is a page");
        assert!(find("/project/p1/unknown").is_none() && find("/project/p1/key/k1/regenerate/more").is_none());
    }

    #[test]
    fn a_parameter_is_read_from_its_segment() {
        let path = "/project/p1/user/u1/db/notes/batch/";
        let endpoint = find(path).unwrap();
        assert_eq!(endpoint.path, "/project/{id}/user/{user_id}/db/{table_id}/batch");
        let values = ["id", "user_id", "table_id", "item_id"].map(|name| endpoint.parameter(path, name));
        assert_eq!(values, [Some("p1"), Some("u1"), Some("notes"), Some("batch")]);
        assert_eq!(endpoint.parameter(path, "db"), None);
    }

    #[test]
    fn a_method_of_an_endpoint_is_an_operation() {
        let team = find("/team/t1/").unwrap();
        assert_eq!(team.operation(&Method::GET), Some(Operation::TeamGet));
        assert_eq!(team.operation(&Method::HEAD), Some(Operation::TeamGet));
        assert_eq!(team.operation(&Method::DELETE), Some(Operation::TeamDelete));
        assert_eq!(team.operation(&Method::PUT), None);
        assert_eq!(find("/health/ready").unwrap().operation(&Method::GET), None);
        assert_eq!(team.allowed, "GET, HEAD, PATCH, DELETE, OPTIONS");
    }
}

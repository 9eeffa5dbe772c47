//! Finds the endpoint of a request, once and before any other work.

use std::collections::HashMap;

use actix_web::HttpMessage;
use actix_web::http::Method;
use steward_api::Row;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::violations::most_similar;

/// The parameter whose value clients choose freely. It may be equal to a literal segment of another endpoint.
const FREE_PARAMETER: &str = "item_id";

/// A method of a path, from which endpoints are created.
pub(crate) struct EndpointRoute<'a> {
    pub path: &'a str,
    pub method: Method,
    pub operation: Option<Operation>,
    /// `None` if the OpenAPI document does not contain it.
    pub row: Option<&'static Row>,
}

/// The path of sync, whose connections stay open.
pub(crate) const SYNC_PATH: &str = "/ws";

/// A path of the API and its methods.
pub(crate) struct Endpoint {
    /// The path as it is documented, with parameters like `{id}`.
    pub path: String,
    is_documented: bool,
    methods: Vec<EndpointMethod>,
    /// The names of the path's parameters by the index of their segment. The empty string before the first slash is
    /// segment 0.
    parameters: Vec<(usize, String)>,
}

#[derive(Clone)]
struct EndpointMethod {
    method: Method,
    operation: Option<Operation>,
    row: Option<&'static Row>,
    /// The position of the route in the list that the endpoints were created from.
    route: usize,
    /// Whether the method is that of an item whose ID is the last segment of the path.
    is_of_item: bool,
}

/// All endpoints, and the tree of their path segments.
#[derive(Default)]
pub(crate) struct Endpoints {
    pub all: Vec<Endpoint>,
    root: Node,
}

/// A node of the tree of path segments.
#[derive(Default)]
struct Node {
    /// The endpoint whose path ends here.
    endpoint: Option<usize>,
    literals: HashMap<String, Node>,
    parameter: Option<Box<Node>>,
}

/// Returns the endpoint that [`crate::Rest`] found for a request. `None` for a page or an unknown path.
pub(crate) fn endpoint_of(request: &impl HttpMessage) -> Option<&'static Endpoint> {
    request.extensions().get::<&'static Endpoint>().copied()
}

/// Returns the name of a parameter segment like `{id}`, or `None` for a literal segment.
pub(crate) fn parameter_name(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

/// Returns the method whose handler serves a request. HEAD is served as GET (docs/contract.md#paths-and-methods).
fn served_as(method: &Method) -> &Method {
    if *method == Method::HEAD { &Method::GET } else { method }
}

impl Endpoint {
    fn of(route: &EndpointRoute<'_>) -> Self {
        let segments = route.path.split('/').enumerate();
        let parameters = segments.filter_map(|(number, segment)| Some((number, parameter_name(segment)?.to_owned())));
        Self {
            path: route.path.to_owned(),
            is_documented: route.row.is_some(),
            methods: Vec::new(),
            parameters: parameters.collect(),
        }
    }

    fn method(&self, method: &Method) -> Option<&EndpointMethod> {
        let method = served_as(method);
        self.methods.iter().find(|other| other.method == method)
    }

    /// Returns the operation of a method. `None` if there is none.
    pub(crate) fn operation(&self, method: &Method) -> Option<Operation> {
        self.method(method)?.operation
    }

    /// Returns the row of a method. `None` if there is no such operation.
    pub(crate) fn row(&self, method: &Method) -> Option<&'static Row> {
        self.method(method)?.row
    }

    /// Returns the position of the route that serves a method. `None` if no route does.
    pub(crate) fn route(&self, method: &Method) -> Option<usize> {
        Some(self.method(method)?.route)
    }

    /// Returns the methods of the endpoint in the format of the `Allow` header.
    pub(crate) fn allowed(&self) -> String {
        listed(self.methods.iter().filter(|method| !method.is_of_item))
    }

    /// Returns the methods that scripts of other origins may use: also those of an item with the ID `batch`.
    pub(crate) fn allowed_across_origins(&self) -> String {
        listed(self.methods.iter())
    }

    /// Returns the value of a parameter in the path of a request for this endpoint.
    pub(crate) fn parameter<'a>(&self, path: &'a str, name: &str) -> Option<&'a str> {
        let (number, _) = self.parameters.iter().find(|(_, other)| other == name)?;
        path.split('/').nth(*number)
    }
}

/// Returns methods in the format of the `Allow` header.
fn listed<'a>(methods: impl Iterator<Item = &'a EndpointMethod>) -> String {
    let methods = methods.flat_map(|EndpointMethod { method, .. }| match method {
        &Method::GET => vec!["GET", "HEAD"],
        other => vec![other.as_str()],
    });
    methods.chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
}

impl Endpoints {
    /// Creates the tree of these routes.
    pub(crate) fn of<'a>(routes: impl IntoIterator<Item = EndpointRoute<'a>>) -> Self {
        let mut endpoints = Self::default();
        for (position, route) in routes.into_iter().enumerate() {
            let all = &mut endpoints.all;
            let segments = route.path.split('/').filter(|segment| !segment.is_empty());
            let node = segments.fold(&mut endpoints.root, |node, segment| match parameter_name(segment) {
                None => node.literals.entry(segment.to_owned()).or_default(),
                Some(_) => node.parameter.get_or_insert_default(),
            });
            let index = *node.endpoint.get_or_insert_with(|| {
                all.push(Endpoint::of(&route));
                all.len().saturating_sub(1)
            });
            if let Some(endpoint) = all.get_mut(index) {
                let EndpointRoute { method, operation, row, .. } = route;
                endpoint.methods.push(EndpointMethod { method, operation, row, route: position, is_of_item: false });
            }
        }
        endpoints.share_free_parameters();
        endpoints
    }

    /// An item may have the ID `batch`: the methods of an item also work at the path of the batch operation.
    fn share_free_parameters(&mut self) {
        let free = |endpoint: &&Endpoint| endpoint.path.ends_with(&format!("{{{FREE_PARAMETER}}}"));
        let items: Vec<(String, usize, Vec<EndpointMethod>)> = self
            .all
            .iter()
            .filter(free)
            .filter_map(|endpoint| {
                let (parent, _) = endpoint.path.rsplit_once('/')?;
                Some((parent.to_owned(), parent.split('/').count(), endpoint.methods.clone()))
            })
            .collect();
        for (parent, segment, methods) in items {
            let sibling = |endpoint: &&mut Endpoint| {
                endpoint
                    .path
                    .rsplit_once('/')
                    .is_some_and(|(start, last)| start == parent && parameter_name(last).is_none())
            };
            for endpoint in self.all.iter_mut().filter(sibling) {
                endpoint.parameters.push((segment, FREE_PARAMETER.to_owned()));
                endpoint
                    .methods
                    .extend(methods.iter().cloned().map(|method| EndpointMethod { is_of_item: true, ..method }));
            }
        }
    }

    /// Returns the endpoint at a path. A literal segment takes precedence over a parameter; a trailing slash is ignored
    /// (docs/contract.md#paths-and-methods).
    pub(crate) fn find(&self, path: &str) -> Option<&Endpoint> {
        self.all.get(self.root.find(path.strip_prefix('/')?)?)
    }

    /// Returns the documented endpoint that has the method and whose path is most similar to an unknown one.
    pub(crate) fn nearest(&self, path: &str, method: &Method) -> Option<&Endpoint> {
        let is_suitable = |index: usize| {
            self.all.get(index).is_some_and(|endpoint| endpoint.is_documented && endpoint.method(method).is_some())
        };
        let (_, index) = self.root.nearest(path.strip_prefix('/')?, &is_suitable)?;
        self.all.get(index)
    }
}

impl Node {
    fn find(&self, rest: &str) -> Option<usize> {
        if rest.is_empty() {
            return self.endpoint;
        }
        let (segment, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let by_literal = self.literals.get(segment).and_then(|node| node.find(rest));
        by_literal.or_else(|| self.parameter.as_ref().filter(|_| !segment.is_empty())?.find(rest))
    }

    /// Returns the number of corrected segments and the suitable endpoint with the fewest of them. Visits each node of
    /// the tree at most once.
    fn nearest(&self, rest: &str, is_suitable: &impl Fn(usize) -> bool) -> Option<(usize, usize)> {
        if rest.is_empty() {
            return self.endpoint.filter(|index| is_suitable(*index)).map(|index| (0, index));
        }
        let (segment, rest) = rest.split_once('/').unwrap_or((rest, ""));
        let as_sent = [self.literals.get(segment), self.parameter.as_deref().filter(|_| !segment.is_empty())];
        let as_sent = as_sent.into_iter().flatten().filter_map(|node| node.nearest(rest, is_suitable));
        let corrected = self.similar(segment).and_then(|node| {
            let (corrections, index) = node.nearest(rest, is_suitable)?;
            Some((corrections.saturating_add(1), index))
        });
        as_sent.chain(corrected).min_by_key(|(corrections, _)| *corrections)
    }

    /// Returns the literal segment that is most similar to another one.
    fn similar(&self, segment: &str) -> Option<&Self> {
        let mut others: Vec<&str> = self.literals.keys().map(String::as_str).filter(|name| *name != segment).collect();
        // If several are equally similar, the result must not depend on the order of the map.
        others.sort_unstable();
        self.literals.get(most_similar(segment, &others)?)
    }
}

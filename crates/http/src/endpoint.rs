//! Finds the endpoint of a request, once and before any other work.

use std::collections::HashMap;

use actix_web::http::Method;
use steward_api::Row;
use steward_domain::kernel::policy::Operation;
use steward_domain::kernel::violations::most_similar;

/// The parameter whose value clients choose freely. It may be equal to a literal segment of another endpoint.
const FREE_PARAMETER: &str = "item_id";

/// A method of a path, and what it does.
#[derive(Clone)]
pub(crate) struct EndpointRoute {
    pub path: &'static str,
    pub method: Method,
    /// `None` for routes about the service itself.
    pub operation: Option<Operation>,
    /// `None` if the OpenAPI document does not contain it.
    pub row: Option<&'static Row>,
}

/// The path of sync, whose connections stay open.
pub(crate) const SYNC_PATH: &str = "/ws";

/// A path of the API and its methods.
pub(crate) struct Endpoint {
    /// The path as it is documented, with parameters like `{id}`.
    pub path: &'static str,
    methods: Vec<EndpointMethod>,
    /// The names of the path's parameters by the index of their segment. The empty string before the first slash is
    /// segment 0.
    pub parameters: Vec<(usize, &'static str)>,
}

/// A route at a path.
#[derive(Clone)]
pub(crate) struct EndpointMethod {
    pub route: EndpointRoute,
    /// The position of the route in the list that the endpoints were created from.
    pub position: usize,
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

/// Returns the name of a parameter segment like `{id}`, or `None` for a literal segment.
pub(crate) fn parameter_name(segment: &str) -> Option<&str> {
    segment.strip_prefix('{')?.strip_suffix('}')
}

impl Endpoint {
    fn of(route: &EndpointRoute) -> Self {
        let segments = route.path.split('/').enumerate();
        let parameters = segments.filter_map(|(number, segment)| Some((number, parameter_name(segment)?)));
        Self { path: route.path, methods: Vec::new(), parameters: parameters.collect() }
    }

    /// Returns the route that serves a method. `None` if no route does.
    pub(crate) fn method(&self, method: &Method) -> Option<&EndpointMethod> {
        // HEAD is served as GET (docs/contract.md#paths-and-methods).
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        self.methods.iter().find(|other| other.route.method == method)
    }

    /// Returns the methods of the endpoint in the format of the `Allow` header.
    pub(crate) fn allowed(&self) -> String {
        listed(self.methods.iter().filter(|method| !method.is_of_item))
    }

    /// Returns the methods that scripts of other origins may use: also those of an item with the ID `batch`.
    pub(crate) fn allowed_across_origins(&self) -> String {
        listed(self.methods.iter())
    }
}

/// Returns methods in the format of the `Allow` header.
fn listed<'a>(methods: impl Iterator<Item = &'a EndpointMethod>) -> String {
    let methods = methods.flat_map(|method| match &method.route.method {
        &Method::GET => vec!["GET", "HEAD"],
        other => vec![other.as_str()],
    });
    methods.chain(["OPTIONS"]).collect::<Vec<_>>().join(", ")
}

impl Endpoints {
    /// Creates the tree of these routes.
    pub(crate) fn of(routes: impl IntoIterator<Item = EndpointRoute>) -> Self {
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
                endpoint.methods.push(EndpointMethod { route, position, is_of_item: false });
            }
        }
        endpoints.share_free_parameters();
        endpoints
    }

    /// An item may have the ID `batch`: the methods of an item also work at the path of the batch operation.
    fn share_free_parameters(&mut self) {
        let free = format!("/{{{FREE_PARAMETER}}}");
        let methods = |endpoint: &Endpoint| Some((endpoint.path.strip_suffix(&free)?, endpoint.methods.clone()));
        let items: Vec<(&str, Vec<EndpointMethod>)> = self.all.iter().filter_map(methods).collect();
        for (parent, methods) in items {
            let is_sibling = |endpoint: &&mut Endpoint| {
                let last = endpoint.path.strip_prefix(parent).and_then(|rest| rest.strip_prefix('/'));
                last.is_some_and(|last| !last.contains('/') && parameter_name(last).is_none())
            };
            let of_item = methods.into_iter().map(|method| EndpointMethod { is_of_item: true, ..method });
            for endpoint in self.all.iter_mut().filter(is_sibling) {
                endpoint.parameters.push((parent.split('/').count(), FREE_PARAMETER));
                endpoint.methods.extend(of_item.clone());
            }
        }
    }

    /// Returns the endpoint at a path. A literal segment takes precedence over a parameter; a trailing slash is ignored
    /// (docs/contract.md#paths-and-methods).
    pub(crate) fn find(&self, path: &str) -> Option<&Endpoint> {
        self.all.get(self.root.find(path.strip_prefix('/')?)?)
    }

    /// Returns the documented path that has the method and is most similar to an unknown one.
    pub(crate) fn nearest(&self, path: &str, method: &Method) -> Option<&'static str> {
        let route = |index: usize| Some(&self.all.get(index)?.method(method)?.route);
        let is_suitable = |index| route(index).is_some_and(|route| route.row.is_some());
        let (_, index) = self.root.nearest(path.strip_prefix('/')?, &is_suitable)?;
        Some(self.all.get(index)?.path)
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

//! The OpenAPI document. It is generated from the rows of the contract and the domain's table of operations, so it is
//! always up to date.

mod edit;
#[cfg(test)]
mod envelopes;
mod errors;
mod examples;
mod limits;
mod parts;
mod preconditions;
mod requests;
mod rules;
mod values;
mod variants;

use std::sync::LazyLock;

use serde_json::{Map, Value, json};
use steward_api::{ErrorBody, Fact, Idempotency, Method, RateClass, Row};
use steward_domain::administration::{AuditEvent, EventSelection};
use steward_domain::kernel::ResourceKind;
use steward_domain::kernel::policy::{Callers, Permission, Rule};
use utoipa::openapi::content::{Content, ContentBuilder};
use utoipa::openapi::info::{ContactBuilder, Info, InfoBuilder, LicenseBuilder};
use utoipa::openapi::path::{self, HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, Paths};
use utoipa::openapi::request_body::RequestBodyBuilder;
use utoipa::openapi::response::{ResponseBuilder, ResponsesBuilder};
use utoipa::openapi::tag::TagBuilder;
use utoipa::openapi::{Components, Object, OpenApi, OpenApiBuilder, Ref, Required, Type};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::endpoint::parameter_name;
use crate::error::codes;
use edit::{accept_header, operations, reason, show_header};
use rules::{Contract, contracts};

static DOCUMENT: LazyLock<String> = LazyLock::new(|| {
    let document = serde_json::to_value(document()).map(completed);
    document.and_then(|document| serde_json::to_string_pretty(&document)).unwrap_or_default()
});

/// The tags of the operations, in the order of the reference, with their descriptions.
const TAGS: [(&str, &str); 9] = [
    ("auth", "Sign-up, sign-in, OAuth 2.0 and OpenID Connect, personal access tokens."),
    ("teams", "Teams, their members and invites, audit log and webhooks."),
    ("projects", "Projects, their settings, images, audit log and webhooks."),
    ("project-keys", "API keys of a project."),
    ("project-schema", "The versioned schema of a project's tables."),
    ("project-users", "The users of a project and their items."),
    ("account", "The data of the signed-in user in a project."),
    ("utils", "Stateless utilities."),
    ("service", "The service itself: health, discovery, reference."),
];

/// The description of each path parameter.
const PATH_PARAMETERS: [(&str, &str); 16] = [
    ("id", "ID of the project."),
    ("team_id", "ID of the team."),
    ("member_id", "Account ID of the member."),
    ("invite_id", "ID of the invite."),
    ("key_id", "ID of the API key."),
    ("user_id", "ID of the user in the project."),
    ("project_id", "ID or DID of the project."),
    ("table_id", "Name of the table in the project's schema."),
    ("item_id", "ID of the item in its table."),
    ("webhook_id", "ID of the webhook."),
    ("delivery_id", "ID of the delivery."),
    ("provider_id", "ID of the identity provider."),
    ("client_id", "ID of the OAuth client."),
    ("token_id", "ID of the personal access token."),
    ("file", "File name of the image: its ID and its extension."),
    ("hex", "The ID as 32 hexadecimal digits, without hyphens."),
];

/// The description of the header `Idempotency-Key`.
const IDEMPOTENCY_KEY: &str = "Makes the request safe to retry: for 24 hours, a request with the same key returns the \
    response of the first one.";

/// SPDX identifier of the license.
const LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// Returns the OpenAPI 3.1 document as JSON.
pub fn openapi_json() -> &'static str {
    &DOCUMENT
}

/// Builds the document from the rows of all operations.
fn document() -> OpenApi {
    let (mut paths, mut components) = (Paths::new(), Components::new());
    let mut schemas = vec![(ErrorBody::name().into_owned(), ErrorBody::schema())];
    for row in steward_api::rows() {
        for body in row.responses.iter().flat_map(|response| response.content.iter().map(|(_, body)| body)) {
            (body.components)(&mut schemas);
        }
        schemas.extend(row.request.iter().flat_map(requests::components));
        let path = requests::path(row);
        paths.add_path_operation(&path, vec![http_method(row.method)], operation(row, &path));
    }
    components.schemas.extend(schemas);
    let tags = TAGS.map(|(name, description)| TagBuilder::new().name(name).description(Some(description)).build());
    OpenApiBuilder::new().info(info()).paths(paths).components(Some(components)).tags(Some(tags)).build()
}

/// Describes an operation as its row states.
fn operation(row: &Row, path: &str) -> path::Operation {
    let mut lines = row.text.iter().map(|line| line.trim());
    let summary = lines.next();
    let description = lines.collect::<Vec<_>>().join("\n");
    let path_parameters = row.path.split('/').filter_map(parameter_name).map(|name| path_parameter(name, path));
    let parameters: Vec<Parameter> = path_parameters.chain(row.query.iter().flat_map(|list| list())).collect();
    let request = row.request.as_ref().map(|request| {
        let mut body = RequestBodyBuilder::new();
        for media_type in request.media_types {
            let name = requests::components(request).into_iter().next().map(|(name, _)| name);
            body = body.content(*media_type, Content::new(name.map(Ref::from_schema_name)));
        }
        body.required((!request.is_optional).then_some(Required::True)).build()
    });
    let mut responses = ResponsesBuilder::new();
    for response in row.responses {
        let mut described = ResponseBuilder::new();
        for (media_type, body) in response.content {
            let content = ContentBuilder::new().schema(Some((body.schema)()));
            described =
                described.content(*media_type, content.example(response.example.map(|example| example())).build());
        }
        responses = responses.response(response.status.to_string(), described.description(response.description));
    }
    OperationBuilder::new()
        .operation_id(Some(row.name))
        .tag(row.tag)
        .summary(summary)
        .description(Some(description.trim()).filter(|text| !text.is_empty()))
        .parameters(Some(parameters))
        .request_body(request)
        .responses(responses.build())
        .build()
}

fn info() -> Info {
    let description = "Administration of developer projects: teams, API keys, schemas, users and their data.";
    // The identifier of the license, not its URL, is the form of OpenAPI 3.1.
    let license = LicenseBuilder::new().name(LICENSE).identifier(Some(LICENSE)).build();
    let contact = ContactBuilder::new().name(Some("The Steward maintainers")).build();
    InfoBuilder::new()
        .title("Steward")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(description))
        .contact(Some(contact))
        .license(Some(license))
        .build()
}

fn path_parameter(name: &str, path: &str) -> Parameter {
    let description = PATH_PARAMETERS.iter().find(|(other, _)| *other == name).map(|(_, description)| *description);
    ParameterBuilder::new()
        .name(if path.contains(&format!("{{{name}}}")) { name } else { "project_id" })
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(description)
        .schema(Some(Object::with_type(Type::String)))
        .build()
}

fn http_method(method: Method) -> HttpMethod {
    match method {
        Method::Get => HttpMethod::Get,
        Method::Post => HttpMethod::Post,
        Method::Put => HttpMethod::Put,
        Method::Patch => HttpMethod::Patch,
        Method::Delete => HttpMethod::Delete,
    }
}

/// Adds what all operations have in common: credentials, permissions, errors and examples.
#[expect(clippy::indexing_slicing, reason = "sets a member of a document whose structure utoipa defines")]
fn completed(mut document: Value) -> Value {
    values::inline(&mut document);
    parts::inline(&mut document);
    requests::describe(&mut document);
    variants::name(&mut document);
    document["components"]["schemas"]["ErrorBody"]["properties"]["error"]["enum"] = json!(codes());
    let header = |description: &str| json!({"description": description, "schema": {"type": "string"}});
    document["components"]["headers"] = json!({
        "RateLimitPolicy": header(
            "The rate limit that applies, by name: `q` requests at once, which are restored within `w` seconds."
        ),
        "RateLimit": header(
            "The current state of the rate limit: `r` requests remain, and all are restored after `t` seconds."
        ),
        "RetryAfter": header("Number of seconds to wait before the next request."),
        "ETag": header("Entity tag of the resource, for `If-Match` and `If-None-Match`. It changes with every change."),
    });
    let bearer = |description: &str| json!({"type": "http", "scheme": "bearer", "description": description});
    document["components"]["securitySchemes"] = json!({
        "accessToken": bearer("Access token (JWT) of a user who signed in to Steward."),
        "personalAccessToken": bearer("Personal access token of a user: `stw_pat_...`."),
        "apiKey": bearer(
            "API key of a project: `stw_sk_...` (private) or `stw_pk_...` (public). Or an access token of the grant type \
             `client_credentials`, which is like a private key."
        ),
        "userToken": bearer("Access token (JWT) of a user for one project."),
        "client": {"type": "http", "scheme": "basic", "description":
            "The `client_id` as the user name, and the secret of a confidential client as the password."},
    });
    // A relative URL: the server that serves this document.
    document["servers"] = json!([{"url": "/"}]);
    let components = document["components"].clone();
    for operation in operations(&mut document) {
        let Some(contract) = contracts().find(|contract| operation["operationId"] == contract.row.name) else {
            continue;
        };
        complete(operation, contract);
        preconditions::add(operation, contract.row);
        examples::add(operation, &components);
    }
    errors::share(&mut document);
    document["x-webhook-events"] = EventSelection::known().map(described_event).collect::<Map<_, _>>().into();
    allow_any_members(&mut document);
    document
}

/// Returns the name of an event, and when it happens.
fn described_event((kind, verb): (ResourceKind, &'static str)) -> (String, Value) {
    let when = match verb {
        AuditEvent::REFUSED => {
            format!("A request about a {kind} was refused, because the caller was not allowed to send it.")
        }
        AuditEvent::CLIENT_REQUEST_REFUSED => {
            "A request of an OAuth client was refused, because of an error in it.".to_owned()
        }
        AuditEvent::SIGN_IN_FAILED => {
            "A sign-in at an identity provider failed, because of its response or because it did not respond."
                .to_owned()
        }
        verb => {
            let name = kind.to_string();
            let article = if name.starts_with(['A', 'a', 'e', 'i', 'o']) { "An" } else { "A" };
            format!("{article} {name} was {verb}.")
        }
    };
    (format!("{}.{verb}", kind.as_str()), when.into())
}

/// States that objects without described members may have any. This is the default, but generators of clients read such
/// a schema as an empty object.
fn allow_any_members(value: &mut Value) {
    let is_object = examples::type_of(value) == Some("object");
    match value {
        Value::Object(members) => {
            if is_object && !members.contains_key("properties") {
                members.entry("additionalProperties").or_insert(json!(true));
            }
            // Examples may contain a member `type` that is not the type of a schema.
            let schemas = members.iter_mut().filter(|(name, _)| !matches!(name.as_str(), "example" | "examples"));
            schemas.for_each(|(_, member)| allow_any_members(member));
        }
        Value::Array(values) => values.iter_mut().for_each(allow_any_members),
        _ => (),
    }
}

fn complete(operation: &mut Value, contract: Contract) {
    let Contract { row, rule } = contract;
    let body = operation.get("requestBody").map(|body| body["content"].clone());
    if let Some(rule) = rule {
        operation["security"] = security(row, rule);
        operation["x-rate-limit"] = json!(row.rate.as_str());
        operation["x-idempotency"] = json!(row.idempotency.as_str());
        let permissions: Vec<&str> = rule.requirement.permissions().map(Permission::as_str).collect();
        if !permissions.is_empty() {
            operation["x-permission"] = json!(permissions.join(" "));
        }
        if let Some(scope) = rule.requirement.scope() {
            operation["x-scope"] = json!(scope.as_str());
        }
        if let Some(confirmation) = rule.confirmation.as_str() {
            operation["x-confirmation"] = json!(confirmation);
        }
        if row.idempotency == Idempotency::Keyed {
            let schema = json!({"type": "string", "maxLength": 255, "pattern": "^[!-~]([ -~]*[!-~])?$"});
            accept_header(operation, "Idempotency-Key", IDEMPOTENCY_KEY, schema);
        }
    } else {
        operation["security"] = json!([]);
    }
    if let Some(responses) = operation["responses"].as_object_mut() {
        errors::add(responses, contract, body.as_ref());
        for (status, response) in responses {
            describe(status, response);
            if row.rate != RateClass::Unlimited {
                show_header(response, "RateLimit-Policy", "RateLimitPolicy");
                show_header(response, "RateLimit", "RateLimit");
                if status == "429" {
                    show_header(response, "Retry-After", "RetryAfter");
                }
            }
        }
    }
}

/// Adds the required description of a response (OpenAPI 3.1 §4.8.17): the name of its status if the handler has none.
fn describe(status: &str, response: &mut Value) {
    if response.get("description").and_then(Value::as_str).is_none_or(str::is_empty) {
        response["description"] = json!(reason(status).unwrap_or_default());
    }
}

/// Returns the credentials that an operation accepts. A public operation needs none, but a credential that is sent must
/// be valid.
fn security(row: &Row, rule: Rule) -> Value {
    let schemes: &[&str] = match rule.callers {
        Callers::Anyone | Callers::Page | Callers::Operator | Callers::System => &[],
        Callers::Account => &["accessToken", "personalAccessToken"],
        Callers::AccountOrKey => &["accessToken", "personalAccessToken", "apiKey"],
        Callers::AccountOrUser => &["accessToken", "personalAccessToken", "userToken"],
        Callers::Credential => &["accessToken", "personalAccessToken", "apiKey", "userToken"],
        Callers::Key => &["apiKey"],
        Callers::User => &["userToken"],
    };
    let schemes = schemes.iter().map(|scheme| json!({*scheme: []}));
    let has_client = row.is(Fact::ClientCredential);
    let is_optional = row.is(Fact::OptionalCredential) || has_client && rule.callers == Callers::Anyone;
    let client = has_client.then(|| json!({"client": []}));
    is_optional.then(|| json!({})).into_iter().chain(schemes).chain(client).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Map;
    use steward_domain::kernel::policy::Operation;

    use super::*;

    fn document() -> Value {
        serde_json::from_str(openapi_json()).unwrap()
    }

    /// Returns the operations of the document by their IDs.
    fn operations(document: &Value) -> Vec<(&str, &Value)> {
        let items = document["paths"].as_object().unwrap().values();
        let operations = items.flat_map(|item| item.as_object().unwrap().values());
        operations.map(|operation| (operation["operationId"].as_str().unwrap(), operation)).collect()
    }

    fn is_text(value: &Value) -> bool {
        value.as_str().is_some_and(|text| !text.trim().is_empty())
    }

    /// Returns whether a property has a description. That of an optional resource is in `oneOf`, that of a list in its
    /// items. A property with only one valid value needs none.
    fn is_described(property: &Value) -> bool {
        let options = property["oneOf"].as_array().into_iter().flatten();
        let is_constant = property["enum"].as_array().is_some_and(|values| values.len() == 1);
        let mut parts = options.chain(property.get("items"));
        is_text(&property["description"]) || is_constant || parts.any(is_described)
    }

    /// Returns the paths of all properties in a part of the document that have no description.
    fn undescribed(path: &str, part: &Value) -> Vec<String> {
        let Some(members) = part.as_object() else {
            return part.as_array().into_iter().flatten().flat_map(|part| undescribed(path, part)).collect();
        };
        let mut found = Vec::new();
        for (name, member) in members {
            match name.as_str() {
                "example" | "examples" => (),
                "properties" => {
                    for (property, schema) in member.as_object().unwrap() {
                        let path = format!("{path}/{property}");
                        found.extend((!is_described(schema)).then(|| path.clone()));
                        found.extend(undescribed(&path, schema));
                    }
                }
                _ => found.extend(undescribed(&format!("{path}/{name}"), member)),
            }
        }
        found
    }

    #[test]
    fn the_document_describes_exactly_the_public_operations_of_the_table() {
        let document = document();
        assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
        let operations = operations(&document);
        for rule in Operation::RULES.iter().filter(|rule| rule.operation.is_public()) {
            assert!(operations.iter().any(|(id, _)| *id == rule.name), "{} is not described.", rule.name);
        }
        for (id, operation) in operations {
            let known = Operation::RULES.iter().any(|rule| rule.name == id && rule.operation.is_public());
            assert_eq!(known, operation["tags"][0] != "service", "{id}");
        }
    }

    #[test]
    fn every_operation_has_a_summary_and_describes_its_parameters() {
        for (id, operation) in operations(&document()) {
            assert!(is_text(&operation["summary"]), "{id} has no summary.");
            for parameter in operation["parameters"].as_array().into_iter().flatten() {
                assert!(is_text(&parameter["description"]), "{id} does not describe {}.", parameter["name"]);
            }
        }
    }

    #[test]
    fn only_parameters_without_which_a_request_fails_are_required() {
        let document = document();
        let mut required = Vec::new();
        for (id, operation) in operations(&document) {
            let parameters = operation["parameters"].as_array().into_iter().flatten();
            let found = parameters.filter(|parameter| parameter["in"] != "path" && parameter["required"] == true);
            required.extend(found.map(|parameter| (id, parameter["name"].as_str().unwrap())));
        }
        required.sort_unstable();
        let expected = [
            ("authorize", "client_id"),
            ("checkProjectSlug", "slug"),
            ("checkTeamSlug", "slug"),
            ("resetSettings", "key"),
        ];
        assert_eq!(required, expected);
    }

    #[test]
    fn every_property_is_described() {
        let found = undescribed("", &document());
        assert!(found.is_empty(), "{found:#?}");
    }

    #[test]
    fn every_request_body_except_an_uploaded_file_has_an_example() {
        for (id, operation) in operations(&document()) {
            let content = operation["requestBody"]["content"].as_object().into_iter().flatten();
            for (media_type, media) in content.filter(|(media_type, _)| *media_type != "multipart/form-data") {
                let examples = media["examples"].as_object().map_or(0, Map::len);
                assert!(examples > 0, "{id} has no example of {media_type}.");
            }
        }
    }
}

//! Compares what the document says of requests with what their parsers accept.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use steward_domain::administration::{EventSelection, WebhookOrdering, WebhookStatus, WebhookUrl, Website};
use steward_domain::data::ItemId;
use steward_domain::identity::{
    ASSERTION_TYPE, ClientChanges, ClientInput, ClientType, Email, Issuer, Password, ProviderClientId, ProviderKind,
    RedirectUri, Username, parse_client_secret,
};
use steward_domain::kernel::error::FieldViolations;
use steward_domain::kernel::policy::{KeyRoles, RoleSet};
use steward_domain::kernel::{Label, Name, RoleName, Secret, Slug, TeamId};

use super::super::openapi_json;
use super::super::requests::tests::json_bodies;

/// Returns whether a parser accepts a text.
type Accepts = fn(&str) -> bool;

/// How much of what a parser refuses a regular expression can say.
#[derive(Clone, Copy, PartialEq)]
enum Says {
    All,
    Part,
}

/// The parsers of the texts in bodies, by component and member. `[]` stands for the elements of a list.
const PARSERS: &[(&str, Says, Accepts)] = &[
    ("CreateAccountBody.email", Says::Part, |text| Email::parse(text).is_ok()),
    ("CreateAccountBody.name", Says::All, |text| Name::parse(text).is_ok()),
    ("CreateAccountBody.password", Says::All, |text| Password::parse(Secret::new(text.to_owned())).is_ok()),
    ("CreateAccountBody.username", Says::All, |text| Username::parse(text).is_ok()),
    ("CreateIdentityProviderBody.client_id", Says::All, |text| ProviderClientId::parse(text).is_ok()),
    ("CreateIdentityProviderBody.client_secret", Says::All, |text| {
        parse_client_secret(&Secret::new(text.to_owned())).is_ok()
    }),
    ("CreateIdentityProviderBody.issuer", Says::Part, |text| Issuer::parse(text, true, true).is_ok()),
    ("CreateIdentityProviderBody.kind", Says::All, |text| ProviderKind::parse(text).is_ok()),
    ("CreateIdentityProviderBody.name", Says::All, |text| Label::parse(text).is_ok()),
    ("CreateInviteBody.email", Says::Part, |text| Email::parse(text).is_ok()),
    ("CreateInviteBody.role_name", Says::All, |text| RoleName::parse(text).is_ok()),
    ("CreateInviteBody.roles", Says::All, |text| RoleSet::parse(text).is_ok()),
    ("CreateInviteBody.username", Says::All, |text| Username::parse(text).is_ok()),
    ("CreateKeyBody.label", Says::All, |text| Label::parse(text).is_ok()),
    ("CreateKeyBody.roles", Says::All, |text| KeyRoles::parse(text).is_ok()),
    ("CreateOAuthClientBody.grant_types[]", Says::All, |text| {
        client(&ClientInput { grant_types: Some(&[text.to_owned()]), ..ClientInput::default() })
    }),
    ("CreateOAuthClientBody.name", Says::All, |text| Label::parse(text).is_ok()),
    ("CreateOAuthClientBody.redirect_uris[]", Says::Part, |text| RedirectUri::parse_of_client(text).is_ok()),
    ("CreateOAuthClientBody.roles", Says::All, |text| {
        client(&ClientInput { roles: Some(text), ..ClientInput::default() })
    }),
    ("CreateOAuthClientBody.scope", Says::All, |text| {
        client(&ClientInput { scope: Some(text), ..ClientInput::default() })
    }),
    ("CreateOAuthClientBody.type", Says::All, |text| ClientType::parse(text).is_ok()),
    ("CreatePersonalTokenBody.label", Says::All, |text| Label::parse(text).is_ok()),
    ("CreatePersonalTokenBody.projects[]", Says::All, |text| TeamId::parse(text).is_some()),
    ("CreatePersonalTokenBody.roles", Says::All, |text| RoleSet::parse(text).is_ok()),
    ("CreatePersonalTokenBody.teams[]", Says::All, |text| TeamId::parse(text).is_some()),
    ("CreateProjectBody.name", Says::All, |text| Name::parse(text).is_ok()),
    ("CreateProjectBody.slug", Says::All, |text| Slug::parse(text).is_ok()),
    ("CreateTeamBody.name", Says::All, |text| Name::parse(text).is_ok()),
    ("CreateTeamBody.slug", Says::All, |text| Slug::parse(text).is_ok()),
    ("CreateWebhookBody.events[]", Says::All, |text| EventSelection::parse(&[text.to_owned()]).is_ok()),
    ("CreateWebhookBody.ordering", Says::All, |text| WebhookOrdering::parse(text).is_ok()),
    ("CreateWebhookBody.url", Says::Part, |text| WebhookUrl::parse(text, true).is_ok()),
    ("ItemDelete.id", Says::All, |text| ItemId::stored(text).is_ok()),
    ("ItemPatch.id", Says::All, |text| ItemId::stored(text).is_ok()),
    ("ItemPut.id", Says::All, |text| ItemId::stored(text).is_ok()),
    ("ProjectChanges.name", Says::All, |text| Name::parse(text).is_ok()),
    ("ProjectChanges.slug", Says::All, |text| Slug::parse(text).is_ok()),
    ("ProjectChanges.website", Says::Part, |text| Website::parse(text).is_ok()),
    ("UpdateIdentityProviderBody.client_id", Says::All, |text| ProviderClientId::parse(text).is_ok()),
    ("UpdateIdentityProviderBody.client_secret", Says::All, |text| {
        parse_client_secret(&Secret::new(text.to_owned())).is_ok()
    }),
    ("UpdateIdentityProviderBody.name", Says::All, |text| Label::parse(text).is_ok()),
    ("UpdateKeyBody.label", Says::All, |text| Label::parse(text).is_ok()),
    ("UpdateKeyBody.roles", Says::All, |text| KeyRoles::parse(text).is_ok()),
    ("UpdateMemberBody.role_name", Says::All, |text| RoleName::parse(text).is_ok()),
    ("UpdateMemberBody.roles", Says::All, |text| RoleSet::parse(text).is_ok()),
    ("UpdateOAuthClientBody.grant_types[]", Says::All, |text| {
        client(&ClientInput { grant_types: Some(&[text.to_owned()]), ..ClientInput::default() })
    }),
    ("UpdateOAuthClientBody.name", Says::All, |text| Label::parse(text).is_ok()),
    ("UpdateOAuthClientBody.redirect_uris[]", Says::Part, |text| RedirectUri::parse_of_client(text).is_ok()),
    ("UpdateOAuthClientBody.roles", Says::All, |text| {
        client(&ClientInput { roles: Some(text), ..ClientInput::default() })
    }),
    ("UpdateOAuthClientBody.scope", Says::All, |text| {
        client(&ClientInput { scope: Some(text), ..ClientInput::default() })
    }),
    ("UpdateProjectBody.name", Says::All, |text| Name::parse(text).is_ok()),
    ("UpdateProjectBody.slug", Says::All, |text| Slug::parse(text).is_ok()),
    ("UpdateProjectBody.website", Says::Part, |text| Website::parse(text).is_ok()),
    ("UpdateTeamBody.name", Says::All, |text| Name::parse(text).is_ok()),
    ("UpdateTeamBody.slug", Says::All, |text| Slug::parse(text).is_ok()),
    ("UpdateUserBody.status", Says::All, |text| ["connected", "blocked"].contains(&text)),
    ("UpdateWebhookBody.events[]", Says::All, |text| EventSelection::parse(&[text.to_owned()]).is_ok()),
    ("UpdateWebhookBody.ordering", Says::All, |text| WebhookOrdering::parse(text).is_ok()),
    ("UpdateWebhookBody.status", Says::All, |text| WebhookStatus::parse(text).is_ok()),
    ("UpdateWebhookBody.url", Says::Part, |text| WebhookUrl::parse(text, true).is_ok()),
];

/// Texts that any parser reads and refuses only later, or that a member of a schema describes in another way: a time, the
/// tags of a condition, the ID of something that may not be there, or a secret.
const OTHERS: &[&str] = &[
    "CreateInviteBody.expires_at",
    "CreateKeyBody.expires_at",
    "CreatePersonalTokenBody.expires_at",
    "CreateProjectBody.team_id",
    "InviteReference.invite_id",
    "ItemBatch.created_before",
    "ItemDelete.if_match",
    "ItemDelete.if_none_match",
    "ItemDelete.op",
    "ItemPatch.if_match",
    "ItemPatch.if_none_match",
    "ItemPatch.op",
    "ItemPut.if_match",
    "ItemPut.if_none_match",
    "ItemPut.op",
    "KeyToVerify.key",
    "KeyToVerify.key_id",
    "PasswordLogin.email",
    "PasswordLogin.password",
    "PasswordLogin.username",
    "UpdateKeyBody.expires_at",
    "UpdateTeamBody.second_factor_from",
    "UserConnection.token",
];

fn client(input: &ClientInput<'_>) -> bool {
    let mut errors = FieldViolations::default();
    let changes = ClientChanges::parse(input, &mut errors);
    errors.finish(Some(changes)).is_ok()
}

/// Returns the texts in the bodies of requests, with their schemas.
fn texts(document: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for name in json_bodies(document) {
        for (member, schema) in document["components"]["schemas"][&name]["properties"].as_object().into_iter().flatten()
        {
            let is = |schema: &Value, kind: &str| {
                schema["type"] == kind || schema["type"].as_array().is_some_and(|kinds| kinds.contains(&json!(kind)))
            };
            if is(schema, "string") {
                found.push((format!("{name}.{member}"), schema.clone()));
            } else if is(schema, "array") && is(&schema["items"], "string") {
                found.push((format!("{name}.{member}[]"), schema["items"].clone()));
            }
        }
    }
    found
}

/// Texts around the limits of all parsers, and with each character of ASCII. None that parsers trim.
fn samples() -> BTreeSet<String> {
    let lengths = [0, 1, 2, 3, 9, 10, 31, 32, 33, 63, 64, 65, 99, 100, 101, 128, 129, 254, 255, 256, 257];
    let mut samples: BTreeSet<String> =
        lengths.into_iter().chain([499, 500, 501, 2_000, 2_001, 2_048, 2_049]).map(|n| "a".repeat(n)).collect();
    for c in 0..128_u8 {
        samples.extend([char::from(c).to_string(), format!("aaaaa{}aaaaa", char::from(c))]);
    }
    for n in [499, 500, 501, 2_047, 2_048, 2_049] {
        samples.insert(format!("https://example.com/{}", "a".repeat(n - 20)));
    }
    for list in [RoleSet::names(), KeyRoles::names(), EventSelection::known().map(|(kind, _)| kind.as_str()).collect()]
    {
        samples.extend(list.iter().map(|name| (*name).to_owned()));
        samples.extend([list.join(","), list.join(" "), list.join(" , ,"), format!(",{},", list[0])]);
    }
    samples.extend(EventSelection::known_names());
    let others = [
        "Owner",
        "owner;admin",
        "openid profile",
        "openid  admin",
        "openid,profile",
        "authorization_code",
        "implicit",
        "public",
        "confidential",
        "google",
        "none",
        "project",
        "active",
        "paused",
        "connected",
        "disconnected",
        "blocked",
        "ann@example.com",
        "Ann",
        "a-b",
        "a--b",
        "-a",
        "a-",
        "http://localhost/x",
        "com.example.app:/x",
        "https://example.com/?a=b",
        "01940000-0000-7000-8000-00000000abcD",
        "0194000000007000800000000000abcd",
        "Zoë 北京",
        "urn:ietf:params:oauth:grant-type:device_code",
    ];
    samples.extend(others.map(str::to_owned));
    samples.retain(|text| text.trim() == text);
    samples
}

#[test]
fn the_document_says_of_each_text_in_a_body_what_its_parser_accepts() {
    let document = serde_json::from_str(openapi_json()).unwrap();
    let texts = texts(&document);
    let names: BTreeSet<&str> = texts.iter().map(|(name, _)| name.as_str()).collect();
    let listed: BTreeSet<&str> = PARSERS.iter().map(|(name, ..)| *name).chain(OTHERS.iter().copied()).collect();
    assert_eq!(names, listed, "Add the parser of a new member.");
    let samples = samples();
    let mut wrong = Vec::new();
    for (name, says, accepts) in PARSERS {
        let schema = &texts.iter().find(|(other, _)| other == name).unwrap().1;
        let validator = jsonschema::draft202012::new(schema).unwrap();
        for text in &samples {
            let (is_valid, is_accepted) = (validator.is_valid(&json!(text)), accepts(text));
            if is_accepted && !is_valid || is_valid && !is_accepted && *says == Says::All {
                wrong.push(format!("{name}: {text:.60?} of {}: accepted {is_accepted}", text.len()));
            }
        }
        let is_limited = samples.iter().any(|text| !validator.is_valid(&json!(text)));
        assert!(is_limited, "{name} has no limit.");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn numbers_lists_and_parameters_have_the_limits_of_the_domain() {
    let document: Value = serde_json::from_str(openapi_json()).unwrap();
    let of = |component: &str, member: &str| document["components"]["schemas"][component]["properties"][member].clone();
    assert_eq!(of("ItemBatch", "operations")["maxItems"], 100);
    assert_eq!(of("CreateWebhookBody", "events")["minItems"], 1);
    assert_eq!(of("CreateOAuthClientBody", "redirect_uris")["maxItems"], 50);
    assert_eq!(of("CreatePersonalTokenBody", "teams")["maxItems"], 100);
    assert_eq!(of("KeyRegeneration", "grace_seconds")["maximum"], 86_400);
    assert_eq!(of("TokenRequest", "client_assertion_type")["enum"][0].as_str(), Some(ASSERTION_TYPE));
    for (member, valid, invalid) in [
        ("access_token_seconds", vec![0, 60, 86_400], vec![1, 59, 86_401]),
        ("sign_in_seconds", vec![0, 300, 31_536_000], vec![1, 299, 31_536_001]),
    ] {
        let validator = jsonschema::draft202012::new(&of("UpdateOAuthClientBody", member)).unwrap();
        assert!(valid.iter().all(|seconds| validator.is_valid(&json!(seconds))), "{member}");
        assert!(!invalid.iter().any(|seconds| validator.is_valid(&json!(seconds))), "{member}");
    }
    let tags = jsonschema::draft202012::new(&of("ItemPut", "if_match")).unwrap();
    assert!([r#""1""#, "*", r#" W/"1", "2" "#].iter().all(|text| tags.is_valid(&json!(text))));
    assert!(!["", " ", "\t", ",", "1"].iter().any(|text| tags.is_valid(&json!(text))));
    assert_eq!(of("UpdateWebhookBody", "status")["enum"], json!(["active", "paused", null]));
    let parameter = |path: &str, name: &str| {
        let parameters = document["paths"][path]["get"]["parameters"].as_array().unwrap();
        parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"].clone()
    };
    assert_eq!(parameter("/project/{id}/user/stats", "days")["maximum"], 365);
    assert_eq!(parameter("/project/{id}/user", "limit")["maximum"], 1_000);
    assert_eq!(parameter("/project/{id}/user", "status")["enum"], json!(["connected", "disconnected", "blocked"]));
    assert_eq!(parameter("/project/{project_id}/user/{user_id}/db/{table_id}", "offset")["maximum"], 4_294_967_295_u32);
    let id = jsonschema::draft202012::new(&parameter("/project/{id}/audit", "actor")).unwrap();
    assert!(id.is_valid(&json!("01940000-0000-7000-8000-000000000000")) && !id.is_valid(&json!("ann")));
    assert_eq!(parameter("/utils/slugify", "slug"), json!({"type": "string"}));
}

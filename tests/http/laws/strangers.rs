//! Calls every operation of the OpenAPI document as callers without access: without a credential, and as strangers with
//! a token or a key. The expected results come from `Operation::RULES`. `access` has the callers with some access.

use reqwest::Method;
use steward_domain::kernel::policy::{Callers, Operation, Rule};
use steward_tests::{Actor, App, Described, World, on_sqlite};

use crate::laws::operations::{self, rule};

async fn status(actor: &Actor, described: &Described, world: &World) -> u16 {
    let (path, body) = (operations::path(&described.path, world), operations::body(described, world));
    let response = actor.send(described.method.clone(), &path, body, &[]).await;
    response.status.as_u16()
}

/// Operations that need a permission in the team or project of their path.
fn guarded(app: &App) -> Vec<(&Described, Rule)> {
    let with_rule = app.openapi.operations.iter().filter_map(|described| Some((described, rule(described)?)));
    let is_guarded = |rule: &Rule| rule.callers != Callers::Key && rule.requirement.permissions().next().is_some();
    with_rule.filter(|(_, rule)| is_guarded(rule)).collect()
}

on_sqlite! {
    async fn the_document_and_the_rules_contain_the_same_operations(app: &App) {
        let described: Vec<&str> = app.openapi.operations.iter().map(|described| described.id.as_str()).collect();
        for rule in Operation::RULES.iter().filter(|rule| rule.operation.is_public()) {
            assert!(described.contains(&rule.name), "{} is missing in the OpenAPI document.", rule.name);
        }
        for described in &app.openapi.operations {
            let of_service = described.operation["tags"][0] == "service";
            assert!(of_service || rule(described).is_some(), "{} has no rule.", described.id);
            let needed = rule(described).map(|rule| rule.requirement.permissions().map(|p| p.as_str()).collect::<Vec<_>>().join(" "));
            assert_eq!(described.operation["x-permission"].as_str().unwrap_or_default(), needed.unwrap_or_default(), "{}", described.id);
        }
    }

    async fn an_anonymous_caller_gets_401_wherever_a_credential_is_needed(app: &App) {
        let world = World::make(app, "acme").await;
        for described in &app.openapi.operations {
            let needed = rule(described).is_some_and(|rule| rule.callers != Callers::Anyone);
            let status = status(&app.anonymous(), described, &world).await;
            assert_eq!(status == 401, needed, "{}: {status}", described.id);
        }
    }

    async fn a_stranger_gets_404_with_a_token_and_with_a_key(app: &App) {
        let (world, other) = (World::make(app, "acme").await, World::make(app, "other").await);
        for (described, _) in guarded(app) {
            for stranger in [&other.owner, &other.key, &world.visitor] {
                let status = status(stranger, described, &world).await;
                let by_key_alone = stranger.id.is_empty() && status == 403 && described.id == "createProject";
                assert!(status == 404 || by_key_alone, "{}: {status}", described.id);
            }
        }
        let untouched = world.owner.get(&world.item("first")).await.ok();
        assert_eq!(untouched["data"]["title"], "First");
    }

    async fn a_malformed_id_is_not_found(app: &App) {
        let world = World::make(app, "acme").await;
        for (described, _) in guarded(app).into_iter().filter(|(described, _)| described.path.contains('{')) {
            for malformed in ["x", "01940000-0000-7000-8000-00000000ABCD", "%2f", "a%00b"] {
                let world = World { team: malformed.into(), project: malformed.into(), ..copy(&world) };
                let status = status(&world.owner, described, &world).await;
                assert_eq!(status, 404, "{} with ID {malformed}", described.id);
            }
        }
    }

    async fn every_operation_is_available_with_and_without_a_trailing_slash(app: &App) {
        let world = World::make(app, "acme").await;
        for described in app.openapi.operations.iter().filter(|described| described.method == Method::GET) {
            let path = operations::path(&described.path, &world);
            let (with, without) = (format!("{}/", path.trim_end_matches('/')), path.trim_end_matches('/').to_owned());
            let (with, without) = (world.owner.get(&with).await, world.owner.get(&without).await);
            assert_eq!(with.status, without.status, "{}", described.id);
        }
    }
}

pub(crate) fn copy(world: &World) -> World {
    World {
        owner: world.owner.clone(),
        team: world.team.clone(),
        project: world.project.clone(),
        user: world.user.clone(),
        visitor: world.visitor.clone(),
        key_id: world.key_id.clone(),
        key: world.key.clone(),
    }
}

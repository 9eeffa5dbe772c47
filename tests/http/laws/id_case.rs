//! UUIDs in upper case, as the libraries of Swift and .NET write them, are the same IDs (docs/contract.md#ids).

use serde_json::json;
use steward_tests::{Client, World, on_sqlite};

use crate::identity::second_factors::claims;

on_sqlite! {
    async fn an_id_in_upper_case_is_the_same_id(app: &App) {
        let world = World::make(app, "acme").await;
        let (team, project, key) = (&world.team, &world.project, &world.key_id);
        let (upper_team, upper_project, upper_key) = (team.to_uppercase(), project.to_uppercase(), key.to_uppercase());
        let path = format!("/project/{upper_project}");
        assert_eq!(world.owner.get(&path).await.ok()["data"]["id"], json!(project));
        let second = json!({"name": "Second", "team_id": upper_team});
        let second = world.owner.post("/project", second).await.created().id();
        assert_eq!(world.owner.get(&format!("/project/{second}")).await.ok()["data"]["team_id"], json!(team));

        let label = json!({"label": "x", "roles": "read"});
        let other = world.owner.post(&format!("{path}/key"), label).await.ok();
        let id = other["key"]["id"].as_str().unwrap();
        let verify = json!({"key": other["key"]["value"], "key_id": id.to_uppercase()});
        let verified = world.owner.post(&format!("{path}/key/verify"), verify).await.ok();
        assert_eq!((&verified["is_valid"], &verified["key"]["id"]), (&json!(true), &json!(id)));
        for filter in [format!("actor={upper_key}"), format!("target={upper_key}")] {
            world.key.put(&world.item("x"), json!({"value": {"title": "x"}})).await;
            let found = world.owner.get(&format!("{path}/audit?{filter}")).await.ok();
            assert!(!found["data"].as_array().unwrap().is_empty(), "{filter}");
        }
        let did = format!("/projects/{}/did.json", upper_project.replace('-', ""));
        world.owner.get(&did).await.ok();
    }

    async fn the_id_of_an_item_is_the_text_that_its_client_chose(app: &App) {
        let world = World::make(app, "acme").await;
        let id = world.project.as_str();
        let upper = "0194ABCD-0000-7000-8000-00000000ABCD";
        world.key.put(&world.item(upper), json!({"value": {"title": "Upper"}})).await.created();
        world.key.get(&world.item(&upper.to_lowercase())).await.is_not_found();
        let of_user = world.item(upper).replace(id, &id.to_uppercase());
        assert_eq!(world.key.get(&of_user).await.ok()["data"]["id"], upper);
        let log = |target: &str| format!("/project/{id}/audit?target={target}");
        assert_eq!(world.owner.get(&log(upper)).await.ok()["data"].as_array().unwrap().len(), 1);
        assert_eq!(world.owner.get(&log(&upper.to_lowercase())).await.ok()["data"], json!([]));
    }

    async fn a_client_id_in_upper_case_is_the_audience_as_it_was_sent(app: &App) {
        let world = World::make(app, "acme").await;
        let (client, upper) = (Client::of(app, &world), Client::new(app, &world.project.to_uppercase()));
        let tokens = upper.tokens(app, "acme-visitor", &[]).await;
        assert_eq!(claims(&tokens["id_token"])["aud"], json!(upper.id));
        let renewed = client.refresh(tokens["refresh_token"].as_str().unwrap()).await.ok();
        assert_eq!(claims(&renewed["id_token"])["aud"], json!(upper.id));
    }
}

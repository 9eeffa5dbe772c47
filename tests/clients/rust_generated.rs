//! Uses the API with a Rust client that `build.rs` generates from the OpenAPI document.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use steward_tests::{App, PASSWORD, on_both_in_full};

use self::generated::{
    ApiOpError, CreateAccountBody, CreateKeyBody, CreateProjectBody, CreateTeamApiError, CreateTeamBody,
    GetItemApiError, HttpClient, ItemValue, ItemValueValue, PasswordLogin, SchemaDocument, SchemaDocumentSchema,
    UserConnection,
};

#[allow(warnings, clippy::all)]
mod generated {
    pub use client::*;
    pub use types::*;

    pub mod types {
        include!(concat!(env!("OUT_DIR"), "/types.rs"));
    }

    pub mod client {
        include!(concat!(env!("OUT_DIR"), "/client.rs"));
    }
}

const NO_HEADER: Option<&str> = None;

on_both_in_full! {
    async fn a_generated_rust_client_uses_the_api(app: &App) {
        let olga = client(app).with_api_key(sign_up(app, "olga").await);
        let ann = sign_up(app, "ann").await;

        let team = CreateTeamBody::new("Acme".into(), "acme".into());
        let team_id = olga.create_team(NO_HEADER, team.clone()).await.unwrap().data.id;
        let project = CreateProjectBody::new("Rocket".into(), team_id);
        let project = olga.create_project(NO_HEADER, project).await.unwrap().data.id;
        let key = CreateKeyBody::new("Server".into(), "admin".into());
        let key = olga.create_key(&project, NO_HEADER, key).await.unwrap().key;
        let server = client(app).with_api_key(key.value);

        let tables = json!({"notes": {"fields": {"title": {"type": "string", "required": true}}}});
        let schema = SchemaDocumentSchema { additional_properties: members([("tables", tables)]) };
        olga.publish_schema(&project, None, None, NO_HEADER, SchemaDocument::new(schema)).await.unwrap();
        server.connect_user(&project, UserConnection { token: ann }).await.unwrap();
        let users = server.list_users(&project, None, NO_HEADER, None, NO_HEADER).await.unwrap().data;
        let [user] = &users[..] else { panic!("The project must have one user: {users:?}") };

        let value = ItemValueValue { additional_properties: members([("title", json!("Buy milk"))]) };
        let put = server.put_item_json_status_201(&project, &user.id, "notes", "first", NO_HEADER, NO_HEADER, NO_HEADER, ItemValue { value });
        put.await.unwrap();
        let item = server.get_item(&project, &user.id, "notes", "first", NO_HEADER, NO_HEADER).await.unwrap().data;
        assert_eq!(item.additional_properties["title"], "Buy milk");
        let missing = server.get_item(&project, &user.id, "notes", "second", NO_HEADER, NO_HEADER).await.unwrap_err();
        assert!(matches!(typed(&missing), Some(GetItemApiError::Status404(_))), "{missing:?}");
        let taken = olga.create_team(NO_HEADER, team).await.unwrap_err();
        assert!(matches!(typed(&taken), Some(CreateTeamApiError::Status409(_))), "{taken:?}");
    }
}

fn client(app: &App) -> HttpClient {
    HttpClient::with_client(app.client.clone()).with_base_url(&app.base)
}

/// Signs up and logs in a person. Returns their access token.
async fn sign_up(app: &App, username: &str) -> String {
    let mut account = CreateAccountBody::new(format!("{username}@example.com"), PASSWORD.into());
    account.username = Some(Some(username.into()));
    account.name = Some(Some(username.into()));
    client(app).sign_up(account).await.unwrap();
    let mut login = PasswordLogin::new(PASSWORD.into());
    login.username = Some(Some(username.into()));
    client(app).log_in(login).await.unwrap().access_token
}

fn typed<E: std::fmt::Debug>(error: &ApiOpError<E>) -> Option<&E> {
    error.api()?.typed.as_ref()
}

fn members<const N: usize>(members: [(&str, Value); N]) -> BTreeMap<String, Value> {
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

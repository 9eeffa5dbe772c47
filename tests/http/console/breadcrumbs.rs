//! The breadcrumbs of pages on which something is done to a resource.

use serde_json::json;
use steward_tests::{Page, World, on_sqlite};

use super::{project_of, signed_in, team_of};

/// The addresses of the breadcrumb.
fn crumbs(page: &Page) -> Vec<String> {
    let before = page.html.split("</nav>").find(|part| part.contains("aria-label=\"Breadcrumb\""));
    let before = before.and_then(|part| part.split("aria-label=\"Breadcrumb\"").nth(1)).unwrap_or_default();
    before.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
}

on_sqlite! {
    async fn the_page_of_an_action_links_back_to_its_resource(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "viewer").await;
        let (team, project) = (team_of(&world), project_of(&world));
        let hook = json!({"url": "https://example.com/hook", "events": ["schema.created"]});
        let hook = world.owner.post(&format!("/project/{}/webhook", world.project), hook).await.created().id();
        let invite = json!({"email": "new@example.com", "roles": "viewer"});
        let invite = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created().id();
        let client = json!({"name": "Shop", "type": "confidential", "redirect_uris": ["https://shop.example/"]});
        let client = world.owner.post(&format!("/project/{}/client", world.project), client).await.created().id();
        let browser = signed_in(app, "acme-owner").await;
        let table = format!("{project}/users/{}/tables/notes", world.user);
        let of_webhooks: &[&str] = &["edit", "pause", "resume", "rotate", "delete", "deliveries"];
        let resources: [(String, String, &[&str]); 6] = [
            (format!("{project}/webhooks"), format!("/{hook}"), of_webhooks),
            (format!("{project}/keys"), format!("/{}", world.key_id), &["edit", "rotate", "delete"]),
            (format!("{project}/clients"), format!("/{client}"), &["edit", "logo", "rotate", "delete"]),
            (format!("{team}/members"), format!("/{}", bob.id), &["remove", "transfer"]),
            (format!("{team}/invites"), format!("/{invite}"), &["renew", "revoke"]),
            (table, "/items/first".to_owned(), &["delete"]),
        ];
        for (list, path, actions) in resources {
            let resource = format!("{list}{path}");
            for action in actions {
                let page = browser.open(&format!("{resource}/{action}")).await;
                assert!(page.status == 200 && crumbs(&page).ends_with(&[list.clone(), resource.clone()]), "{page}");
            }
        }
    }

    async fn the_breadcrumb_links_to_no_page_that_the_person_may_not_open(app: &App) {
        let world = World::make(app, "acme").await;
        let bob = world.member(app, "bob", "viewer").await;
        let members = format!("{}/members", team_of(&world));
        let page = signed_in(app, "bob").await.open(&format!("{members}/{}/remove", bob.id)).await;
        assert!(page.status == 200 && crumbs(&page).ends_with(&[members]), "{page}");
    }
}

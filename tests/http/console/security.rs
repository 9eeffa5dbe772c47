//! The console against people who use a session that someone left open.

use reqwest::header::SET_COOKIE;
use steward_tests::{PASSWORD, World, on_sqlite};

use super::{signed_in, team_of};

on_sqlite! {
    async fn an_owner_is_invited_only_after_the_password_is_confirmed(app: &App) {
        let world = World::make(app, "acme").await;
        let browser = signed_in(app, "acme-owner").await;
        let list = format!("{}/invites", team_of(&world));
        let new = format!("{list}/new");
        let owner = [("recipient", "new@example.com"), ("roles", "owner")];
        app.age_sessions();

        let page = browser.open(&new).await;
        let viewer = browser.submit(&page, &new, &[("recipient", "viewer@example.com"), ("roles", "viewer")]).await;
        assert_eq!(viewer.heading(), "Invite to viewer@example.com", "{viewer}");
        let page = browser.open(&new).await;
        let asked = browser.submit(&page, &new, &owner).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let listed = browser.open(&list).await.text();
        assert!(listed.contains("viewer@example.com") && !listed.contains("new@example.com"), "{listed}");
        let wrong = browser.submit(&asked, &new, &[("confirm_password", "not the password")]).await;
        assert!(wrong.status == 400 && wrong.heading() == "Confirm that it is you", "{wrong}");
        let shown = browser.submit(&wrong, &new, &[("confirm_password", PASSWORD)]).await;
        assert_eq!(shown.heading(), "Invite to new@example.com", "{shown}");

        let renew = format!("{}/renew", shown.url.path());
        app.age_sessions();
        let page = browser.open(&renew).await;
        let asked = browser.submit(&page, &renew, &[]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
    }

    async fn no_session_cookie_remains_of_a_deleted_account(app: &App) {
        app.person("ann").await;
        let browser = signed_in(app, "ann").await;
        let delete = "/console/account/delete";
        app.age_sessions();
        let page = browser.open(delete).await;
        let asked = browser.submit(&page, delete, &[("confirm", "ann@example.com")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let deleted = browser.submit(&asked, delete, &[("confirm_password", PASSWORD)]).await;
        let cookies = deleted.headers.get_all(SET_COOKIE).iter().map(|cookie| cookie.to_str().unwrap());
        let cookies: Vec<_> = cookies.filter(|cookie| cookie.starts_with("steward=")).collect();
        assert!(matches!(cookies.as_slice(), [cookie] if cookie.contains("Max-Age=0")), "{cookies:?}");
    }
}

//! The pages of operators in the console.

use serde_json::json;
use steward_tests::{App, Backend, Browser, PASSWORD, Page, SECRET, World, eventually, on_sqlite};

use super::{links_to, signed_in};

const OPERATOR: &str = "/console/operator";
const PAGES: [&str; 7] = ["", "/accounts", "/sizes", "/jobs", "/settings", "/mail", "/mail/preview"];

/// A browser in which the operator `root` is signed in.
async fn operator(app: &App) -> Browser {
    app.person("root").await;
    app.make_operator("root").await;
    signed_in(app, "root").await
}

/// Number of accounts that a page lists.
fn count(page: &Page) -> usize {
    page.html.matches("<td class=\"id\"").count()
}

/// The link of the first operator, from the log.
async fn link(app: &App) -> String {
    let start = format!("{}/auth/sign-up?operator=", app.base);
    let token = eventually(async || {
        let log = app.log();
        // The line may be written only in part.
        let (token, _) = log.split(&start).nth(1)?.split_once(|c: char| !c.is_ascii_hexdigit())?;
        Some(token.to_owned())
    });
    format!("{start}{}", token.await)
}

on_sqlite! {
    async fn only_operators_open_their_pages(app: &App) {
        let root = operator(app).await;
        let ann = app.person("ann").await;
        let browser = signed_in(app, "ann").await;
        let home = browser.open("/console/account").await;
        assert!(!home.html.contains(OPERATOR), "{home}");
        assert!(links_to(&root.open("/console/account").await, OPERATOR));
        for path in PAGES {
            let address = format!("{OPERATOR}{path}");
            let page = root.open(&address).await;
            assert!(page.status == 200 && page.is_at(&address), "{page}");
            assert!(!page.html.contains(SECRET), "{page}");
            assert_eq!(browser.open(&address).await.status, 403, "{path}");
        }
        let account = format!("{OPERATOR}/accounts/{}", ann.id);
        for path in ["", "/disable", "/enable", "/sign-out", "/confirm-email", "/delete"] {
            assert_eq!(browser.open(&format!("{account}{path}")).await.status, 403, "{path}");
            assert_eq!(root.open(&format!("{account}{path}")).await.status, 200, "{path}");
        }
        assert_eq!(root.open(&format!("{account}/rename")).await.status, 404);
        let removed = app.run(&["account", "operator", "remove", "--email", "root@example.com"], "").await;
        assert!(removed.status.success());
        assert_eq!(root.open(OPERATOR).await.status, 403, "The change applies to the next request.");
    }

    async fn accounts_are_found_disabled_enabled_and_signed_out(app: &App) {
        let root = operator(app).await;
        let ann = app.person("ann").await;
        let browser = signed_in(app, "ann").await;
        let list = format!("{OPERATOR}/accounts");
        let page = root.open(&list).await;
        let found = root.submit(&page, &list, &[("q", "ANN@")]).await;
        assert!(found.text().contains("ann@example.com") && count(&found) == 1, "{found}");
        let operators = root.open(&format!("{list}?state=operators")).await;
        assert!(!operators.text().contains("ann@example.com") && count(&operators) == 1, "{operators}");

        let account = format!("{list}/{}", ann.id);
        let act = async |action: &str| {
            let address = format!("{account}/{action}");
            let page = root.open(&address).await;
            root.submit(&page, &address, &[]).await
        };
        let disabled = act("disable").await;
        assert!(disabled.is_at(&account) && disabled.text().contains("Disabled since"), "{disabled}");
        ann.get("/team/").await.refused(401, "unauthorized");
        assert!(root.open(&format!("{list}?state=disabled")).await.text().contains("ann@example.com"));
        act("enable").await;
        ann.get("/team/").await.ok();
        let signed_out = act("sign-out").await;
        assert!(signed_out.text().contains("signed out everywhere"), "{signed_out}");
        ann.get("/team/").await.refused(401, "unauthorized");
        assert!(browser.open("/console/account").await.is_at("/auth/sign-in"));
    }

    async fn an_address_is_confirmed_for_its_owner_who_keeps_everything(app: &App) {
        let (root, world) = (operator(app).await, World::make(app, "acme").await);
        let ann = app.person("ann").await;
        let invite = json!({"email": "ann@example.com", "roles": "viewer"});
        let invite = world.owner.post(&format!("/team/{}/invite", world.team), invite).await.created().id();
        let account = format!("{OPERATOR}/accounts/{}", ann.id);
        let address = format!("{account}/confirm-email");
        assert!(links_to(&root.open(&account).await, &address));
        let list = format!("{OPERATOR}/accounts?q=ann@");
        assert!(root.open(&list).await.text().contains("Not confirmed"));
        let page = root.open(&address).await;
        let undecided = root.submit(&page, &address, &[]).await;
        assert!(undecided.status == 400 && undecided.html.contains("choice-error"), "There is no default: {undecided}");
        app.age_sessions();
        let asked = root.submit(&undecided, &address, &[("choice", "keep")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        assert_eq!(ann.get("/auth/userinfo").await.ok()["email_verified"], false);
        let done = root.submit(&asked, &address, &[("confirm_password", PASSWORD)]).await;
        assert!(done.is_at(&account) && done.text().contains("The email address was confirmed."), "{done}");
        assert!(!links_to(&done, &address));
        assert!(!root.open(&list).await.text().contains("Not confirmed"));
        assert_eq!(ann.get("/auth/userinfo").await.ok()["email_verified"], true);
        ann.post("/team/accept-invite", json!({"invite_id": invite})).await.ok();
        let events = "SELECT 1 FROM audit_events WHERE operation = 'confirmAccountEmail' AND action = 'account.updated'";
        assert!(app.holds(&format!("EXISTS ({events})")));
    }

    async fn an_address_is_confirmed_for_its_owner_after_a_stranger_used_it(app: &App) {
        let (root, world) = (operator(app).await, World::make(app, "acme").await);
        let stranger = world.member(app, "ann", "admin").await;
        app.execute_sql("UPDATE accounts SET email_verified = 0 WHERE email_folded = 'ann@example.com'");
        let (browser, invited) = (signed_in(app, "ann").await, json!({"email": "x@example.com", "roles": "viewer"}));
        stranger.post(&format!("/team/{}/invite", world.team), invited).await.created();
        let key = json!({"label": "theirs", "roles": "db:read"});
        stranger.post(&format!("/project/{}/key", world.project), key).await.ok();

        let account = format!("{OPERATOR}/accounts/{}", stranger.id);
        let address = format!("{account}/confirm-email");
        let done = root.submit(&root.open(&address).await, &address, &[("choice", "end")]).await;
        assert!(done.is_at(&account) && done.text().contains("The email address was confirmed."), "{done}");
        for action in ["session.deleted", "invite.updated", "api_key.deleted", "member.deleted"] {
            let by_root = "actor_id = (SELECT id FROM accounts WHERE email_folded = 'root@example.com')";
            let events = format!("SELECT 1 FROM audit_events WHERE action = '{action}' AND {by_root}");
            assert!(app.holds(&format!("EXISTS ({events} AND operation = 'confirmAccountEmail')")), "{action}");
        }
        stranger.get("/team/").await.refused(401, "unauthorized");
        assert!(browser.open("/console/account").await.is_at("/auth/sign-in"));
        let login = json!({"email": "ann@example.com", "password": PASSWORD});
        app.anonymous().post("/auth/login", login).await.refused(401, "invalid_credentials");
        let members = world.owner.get(&format!("/team/{}/member", world.team)).await.ok();
        assert!(!members["data"].as_array().unwrap().iter().any(|member| member["account_id"] == json!(stranger.id)));
        assert_eq!(world.owner.get(&format!("/team/{}/invite", world.team)).await.ok()["data"], json!([]));
        let keys = world.owner.get(&format!("/project/{}/key", world.project)).await.ok();
        assert!(!keys["data"].as_array().unwrap().iter().any(|key| key["label"] == "theirs"), "{keys:?}");

        app.execute_sql("UPDATE accounts SET email_verified = 0 WHERE email_folded = 'acme-owner@example.com'");
        let address = format!("{OPERATOR}/accounts/{}/confirm-email", world.owner.id);
        let refused = root.submit(&root.open(&address).await, &address, &[("choice", "end")]).await;
        assert!(refused.status == 409 && refused.text().contains("acme"), "Teams are not deleted: {refused}");
        world.owner.get(&format!("/project/{}", world.project)).await.ok();
    }

    async fn an_account_that_is_being_deleted_has_no_actions(app: &App) {
        let (root, ann) = (operator(app).await, app.person("ann").await);
        let list = format!("{OPERATOR}/accounts");
        let account = format!("{list}/{}", ann.id);
        let enable = format!("{account}/enable");
        let form = root.open(&enable).await;
        let at = "2100-01-01T00:00:00.000000Z";
        let set = format!("disabled_at = '{at}', deletion_started_at = '{at}'");
        app.execute_sql(&format!("UPDATE accounts SET {set} WHERE email_folded = 'ann@example.com'"));

        assert!(root.open(&list).await.text().contains("Being deleted"));
        let page = root.open(&account).await;
        assert!(page.text().contains("Being deleted since"), "{page}");
        for action in ["disable", "enable", "sign-out", "delete"] {
            assert!(!links_to(&page, &format!("{account}/{action}")), "{action}");
        }
        let refused = root.submit(&form, &enable, &[]).await;
        assert!(refused.status == 409 && refused.text().contains("It cannot be enabled again."), "{refused}");
    }

    async fn an_account_is_disabled_enabled_or_signed_out_after_the_password_is_entered(app: &App) {
        let (root, ann) = (operator(app).await, app.person("ann").await);
        let account = format!("{OPERATOR}/accounts/{}", ann.id);
        let request = async |action: &str| {
            app.age_sessions();
            let address = format!("{account}/{action}");
            let page = root.open(&address).await;
            root.submit(&page, &address, &[]).await
        };
        for action in ["disable", "enable", "sign-out"] {
            let before = ann.get("/team/").await.status;
            let asked = request(action).await;
            assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
            assert_eq!(ann.get("/team/").await.status, before);
            let address = format!("{account}/{action}");
            let wrong = root.submit(&asked, &address, &[("confirm_password", "not the password")]).await;
            assert!(wrong.status == 400 && wrong.heading() == "Confirm that it is you", "{wrong}");
            let done = root.submit(&wrong, &address, &[("confirm_password", PASSWORD)]).await;
            assert!(done.is_at(&account), "{done}");
            assert_eq!(ann.get("/team/").await.status, if action == "enable" { 200 } else { 401 });
        }
    }

    async fn the_list_of_accounts_has_pages_that_keep_the_filter(app: &App) {
        let root = operator(app).await;
        app.execute_sql(
            "INSERT INTO accounts \
             (id, email, email_folded, email_verified, password_hash, password_set_at, created_at, revision) \
             WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < 55) \
             SELECT printf('01940000-0000-7000-8000-%012d', n), 'person-' || n || '@example.com', \
             'person-' || n || '@example.com', 0, '', '2030-01-01T00:00:00.000000Z', '2030-01-01T00:00:00.000000Z', 1 \
             FROM s",
        );
        for (query, on_second_page) in [("", 6), ("q=PERSON-", 5)] {
            let first = root.open(&format!("{OPERATOR}/accounts?{query}")).await;
            assert_eq!(count(&first), 50, "{first}");
            let next = first.next_page().unwrap();
            assert!(next.contains(query), "{next}");
            let second = root.open(&next).await;
            assert_eq!(count(&second), on_second_page, "{second}");
            assert!(second.text().contains("person-55@") && !first.text().contains("person-55@"), "{second}");
            assert_eq!(second.next_page(), None, "{second}");
        }
    }

    async fn a_search_without_result_is_not_an_error(app: &App) {
        let root = operator(app).await;
        let long = "x".repeat(1_000);
        for text in ["nobody", "%25", "_", long.as_str()] {
            let found = root.open(&format!("{OPERATOR}/accounts?q={text}")).await;
            assert!(found.status == 200 && found.text().contains("No account found"), "{found}");
            assert!(!found.html.contains(&"x".repeat(255)), "{found}");
        }
        let unprintable = root.open(&format!("{OPERATOR}/accounts?q=%00root")).await;
        assert!(unprintable.text().contains("root@example.com") && count(&unprintable) == 1, "{unprintable}");
    }

    async fn an_account_is_deleted_after_its_address_and_the_password_are_entered(app: &App) {
        let root = operator(app).await;
        let world = World::make(app, "acme").await;
        let list = format!("{OPERATOR}/accounts");
        let last_owner = format!("{list}/{}/delete", world.owner.id);
        let page = root.open(&last_owner).await;
        let refused = root.submit(&page, &last_owner, &[("confirm", "acme-owner@example.com")]).await;
        assert!(refused.status == 409 && refused.text().contains("acme"), "{refused}");

        let delete = format!("{list}/{}/delete", world.visitor.id);
        let page = root.open(&delete).await;
        let wrong = root.submit(&page, &delete, &[("confirm", "acme")]).await;
        assert!(wrong.status == 400 && wrong.html.contains("confirm-error"), "{wrong}");
        app.age_sessions();
        let asked = root.submit(&wrong, &delete, &[("confirm", "acme-visitor@example.com")]).await;
        assert_eq!(asked.heading(), "Confirm that it is you", "{asked}");
        let deleted = root.submit(&asked, &delete, &[("confirm_password", PASSWORD)]).await;
        assert!(deleted.is_at(&list) && !deleted.text().contains("acme-visitor"), "{deleted}");
        world.visitor.get("/team/").await.refused(401, "unauthorized");
    }

    async fn operators_cannot_change_their_own_account(app: &App) {
        let root = operator(app).await;
        let list = root.open(&format!("{OPERATOR}/accounts?state=operators")).await;
        let own = list.links().into_iter().find(|link| link.contains("/operator/accounts/")).unwrap();
        let page = root.open(&own).await;
        assert!(page.text().contains("This is your own account") && !page.html.contains("/disable"), "{page}");
        for action in ["disable", "enable", "sign-out", "delete"] {
            assert_eq!(root.open(&format!("{own}/{action}")).await.status, 403, "{action}");
        }
    }

    async fn sizes_settings_and_jobs_are_shown(app: &App) {
        let root = operator(app).await;
        World::make(app, "acme").await;
        let projects = root.open(&format!("{OPERATOR}/sizes")).await;
        assert!(projects.text().contains("acme"), "{projects}");
        let teams = root.open(&format!("{OPERATOR}/sizes?of=teams&order=items")).await;
        assert!(teams.text().contains("Teams, largest first") && teams.text().contains("acme"), "{teams}");
        let settings = root.open(&format!("{OPERATOR}/settings")).await;
        assert!(settings.text().contains("STEWARD_DATA_DIR") && settings.text().contains("Default"), "{settings}");
        assert!(settings.html.contains(&format!("<code>{}</code>", app.base)), "The public URL is not set: {settings}");
        eventually(async || {
            let jobs = root.open(&format!("{OPERATOR}/jobs")).await;
            jobs.text().contains("Up to date").then_some(())
        })
        .await;
        let mail = format!("{OPERATOR}/mail");
        let page = root.open(&mail).await;
        assert!(page.text().contains("No mail server is configured"), "{page}");
        let sent = root.submit(&page, &mail, &[]).await;
        let logged = "A test email to root@example.com was written to the log of the service.";
        assert!(sent.is_at(&mail) && sent.text().contains(logged), "{sent}");
        let health = root.open(OPERATOR).await;
        assert!(health.text().contains("emails are written to the log"), "{health}");
        assert!(!health.text().contains("Send a test email"), "{health}");
        let shown = root.open(&format!("{mail}/preview?email=invite&language=fr")).await;
        assert!(shown.heading() == "Vous êtes invité à rejoindre l’équipe acme", "{shown}");
        let policy = shown.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; style-src 'unsafe-inline'") && policy.ends_with("sandbox"));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_first_operator_signs_up_with_the_link_although_sign_up_is_closed() {
    let app = App::start_empty(Backend::Sqlite, &[("STEWARD_SIGNUP", "closed")]).await;
    let (browser, link) = (Browser::new(&app), link(&app).await);
    let page = browser.open(&link).await;
    assert!(page.status == 200 && page.text().contains("It becomes its operator"), "{page}");
    assert_eq!(browser.open(&format!("{link}00")).await.status, 404);
    let invalid = browser.submit(&page, "/auth/sign-up", &[("email", "root"), ("password", PASSWORD)]).await;
    assert_eq!(invalid.status, 400, "{invalid}");
    let values = [("email", "root@example.com"), ("password", PASSWORD)];
    let signed_up = browser.submit(&invalid, "/auth/sign-up", &values).await;
    assert!(signed_up.is_at("/console/start"), "{signed_up}");
    assert_eq!(browser.open(OPERATOR).await.status, 200);

    let used = Browser::new(&app).open(&link).await;
    assert!(used.status == 404 && used.heading() == "This link is no longer valid", "{used}");
    assert_eq!(Browser::new(&app).open("/auth/sign-up").await.status, 403);
}

//! What people entered in the console is kept when a rate limit is exceeded.

use steward_tests::{App, Backend, Page, World};

use super::{project_of, signed_in};

/// Number of further writes that the rate limit permits, as the response reports.
fn remaining(page: &Page) -> u32 {
    let status = page.headers["ratelimit"].to_str().unwrap();
    let number = status.strip_prefix("\"writes\";r=").and_then(|rest| rest.split(';').next());
    number.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{status}"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_that_exceeds_the_rate_limit_keeps_the_selected_items() {
    let settings = [
        ("STEWARD_RATE_LIMITS", "on"),
        ("STEWARD_RATE_READS", "1000/s burst 1000"),
        ("STEWARD_RATE_WRITES", "1/m burst 60"),
        ("STEWARD_RATE_SIGN_INS", "10/s burst 100"),
    ];
    let app = App::start_with(Backend::Sqlite, &settings).await;
    let world = World::make(&app, "acme").await;
    let browser = signed_in(&app, "acme-owner").await;
    let path = format!("{}/users/{}/tables/notes/delete", project_of(&world), world.user);
    // A deletion of an item that does not exist is refused, and counts as one write.
    let form = browser.open(&format!("{path}?item=missing")).await;
    for _ in 0..60 {
        let refused = browser.submit(&form, &path, &[]).await;
        assert_eq!(refused.status, 400, "{refused}");
        if remaining(&refused) <= 3 {
            break;
        }
    }

    let ids: Vec<String> = (0..50).map(|number| format!("item=n{number:02}")).collect();
    let form = browser.open(&format!("{path}?{}", ids.join("&"))).await;
    let refused = browser.submit(&form, &path, &[]).await;
    assert!(refused.status == 429 && refused.headers.contains_key("retry-after"), "{refused}");
    assert!(refused.heading() == "Delete items" && refused.text().contains("Too many attempts."), "{refused}");
    let kept = refused.form(&path).fields.into_iter().filter(|(name, _)| name == "item");
    assert_eq!(kept.map(|(name, id)| format!("{name}={id}")).collect::<Vec<_>>(), ids);
}

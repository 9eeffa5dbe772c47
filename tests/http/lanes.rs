//! What one team asks for does not stop another, and ends when it is left.

use std::time::{Duration, Instant};

use steward_tests::{App, Backend, World, on_both};

/// Many notes that a query looks through for long.
fn fill(app: &App, world: &World, count: u32) {
    let (series, value, at) = match app.backend() {
        Backend::Postgres => {
            (format!("generate_series(1, {count}) AS n"), "jsonb_build_object('title', repeat('x y z ', 40))", "now()")
        }
        Backend::Sqlite => (
            format!(
                "(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {count}) SELECT n FROM s)"
            ),
            "json_object('title', replace(hex(zeroblob(40)), '00', 'x y z '))",
            "'2026-01-01T00:00:00.000000Z'",
        ),
    };
    let (project, user) = (&world.project, &world.user);
    app.tamper(&format!(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
         SELECT '{project}', '{user}', 'notes', 'i' || n, {value}, {at}, {at}, 1, 240 FROM {series}"
    ));
}

/// The longest of some reads of one item.
async fn longest_read(world: &World) -> Duration {
    let mut longest = Duration::ZERO;
    for _ in 0..20 {
        let began = Instant::now();
        world.key.get(&world.item("first")).await.ok();
        longest = longest.max(began.elapsed());
    }
    longest
}

on_both! {
    async fn queries_that_no_index_serves_delay_no_other_team_and_end_when_they_are_left(app: &App) {
        let (hostile, victim) = (World::make(app, "hostile").await, World::make(app, "victim").await);
        fill(app, &hostile, if app.backend() == Backend::Sqlite { 100_000 } else { 200_000 });
        let alone = longest_read(&victim).await;

        let conditions = ["title=like.*x*y*z*"; 9].join("&");
        let address = format!("{}{}?{conditions}&title=eq.none", app.base, hostile.notes());
        let credential = hostile.key.credential.clone().unwrap();
        let queries: Vec<_> = (0..8)
            .map(|_| {
                let request = app.client.get(&address).bearer_auth(&credential);
                tokio::spawn(async move { request.send().await.map(|answer| answer.status().as_u16()) })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(300)).await;
        let beside = longest_read(&victim).await;
        assert!(queries.iter().any(|query| !query.is_finished()), "the queries were too fast to prove anything");
        assert!(beside < (alone * 10).max(Duration::from_millis(500)), "{beside:?}, alone {alone:?}");

        queries.iter().for_each(tokio::task::JoinHandle::abort);
        // The lane is free again: who asks next waits for none of those that were left.
        let began = Instant::now();
        let few = format!("{}?title=eq.none&id=in.(i1,i2)&order=title", victim.notes());
        victim.key.get(&few).await.ok();
        hostile.key.get(&format!("{}?title=like.*x*&limit=1", hostile.notes())).await.ok();
        assert!(began.elapsed() < Duration::from_secs(3), "{:?}", began.elapsed());
    }
}

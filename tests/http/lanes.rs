//! Slow queries of one team do not delay other teams, and are cancelled when the client disconnects.

use std::time::{Duration, Instant};

use steward_tests::{App, Backend, World, on_both};

/// Inserts many notes, so that a query without an index takes long.
fn fill(app: &App, world: &World, count: u32) {
    let (series, value, now) = match app.backend() {
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
    app.execute_sql(&format!(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
         SELECT '{project}', '{user}', 'notes', 'i' || n, {value}, {now}, {now}, 1, 240 FROM {series}"
    ));
}

/// Reads one item several times and returns the median duration: a pause of the machine delays few of the reads, and
/// queries that block the lane delay all of them.
async fn median_read(world: &World) -> Duration {
    let mut durations = Vec::new();
    for _ in 0..20 {
        let started = Instant::now();
        world.key.get(&world.item("first")).await.ok();
        durations.push(started.elapsed());
    }
    durations.sort_unstable();
    durations[10]
}

on_both! {
    async fn unindexed_queries_do_not_delay_other_teams_and_end_when_the_client_disconnects(app: &App) {
        let (hostile, victim) = (World::make(app, "hostile").await, World::make(app, "victim").await);
        fill(app, &hostile, if app.backend() == Backend::Sqlite { 100_000 } else { 200_000 });
        let baseline = median_read(&victim).await;

        let conditions = ["title=like.*x*y*z*"; 9].join("&");
        let address = format!("{}{}?{conditions}&title=eq.none", app.base, hostile.notes());
        let credential = hostile.key.credential.clone().unwrap();
        let began = Instant::now();
        // One after the other, they would occupy the lane until their time limit of 9 s.
        let queries: Vec<_> = (0..24)
            .map(|_| {
                let request = app.client.get(&address).bearer_auth(&credential);
                tokio::spawn(async move { request.send().await.map(|response| response.status().as_u16()) })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(300)).await;
        let concurrent = median_read(&victim).await;
        assert!(queries.iter().any(|query| !query.is_finished()), "The queries finished too early.");
        assert!(concurrent < (baseline * 10).max(Duration::from_millis(500)), "{concurrent:?}, baseline {baseline:?}");

        queries.iter().for_each(tokio::task::JoinHandle::abort);
        // The cancelled queries no longer occupy the lane, so the next requests do not wait for them.
        let query = format!("{}?title=eq.none&id=in.(i1,i2)&order=title", victim.notes());
        victim.key.get(&query).await.ok();
        hostile.key.get(&format!("{}?title=like.*x*&limit=1", hostile.notes())).await.ok();
        assert!(began.elapsed() < Duration::from_secs(8), "{:?}", began.elapsed());
    }
}

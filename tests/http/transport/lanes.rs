//! Slow queries of one team do not delay other teams, and are cancelled when the client disconnects.

use std::time::{Duration, Instant};

use steward_tests::{App, Backend, World, eventually, on_both};

/// Inserts many notes, so that a query without an index takes long.
fn fill(app: &App, world: &World, count: u32) {
    let (value, now) = match app.backend() {
        Backend::Postgres => ("jsonb_build_object('title', repeat('x y z ', 40))", "now()"),
        Backend::Sqlite => {
            ("json_object('title', replace(hex(zeroblob(40)), '00', 'x y z '))", "'2026-01-01T00:00:00.000000Z'")
        }
    };
    let (project, user) = (&world.project, &world.user);
    app.execute_sql(&format!(
        "INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes) \
         SELECT '{project}', '{user}', 'notes', 'i' || n, {value}, {now}, {now}, 1, 240 FROM {}",
        app.numbers(1, count.into())
    ));
}

/// Number of reads of which the longest is measured.
const READS: usize = 10;
/// How long the slow queries may run before their clients disconnect, and how long the lane may be occupied after that.
/// Unless they are cancelled, the queries occupy the lane until their time limit of 9 s.
const MAX_RUN: Duration = Duration::from_secs(5);
const MAX_WAIT: Duration = Duration::from_secs(3);

/// Reads one item several times and returns the durations in ascending order.
async fn read_times(world: &World) -> Vec<Duration> {
    let mut durations = Vec::new();
    for _ in 0..READS {
        let started = Instant::now();
        world.key.get(&world.item("first")).await.ok();
        durations.push(started.elapsed());
    }
    durations.sort_unstable();
    durations
}

/// What happened while clients of a team sent slow queries, and after these clients disconnected.
#[derive(Debug)]
struct Measurement {
    /// The longest read of another team while the queries ran.
    longest_read: Duration,
    /// How long the queries ran, and how many of them had not finished.
    run: Duration,
    unfinished: usize,
    /// How long the next queries took after that.
    wait: Duration,
}

impl Measurement {
    async fn make(app: &App, hostile: &World, victim: &World) -> Self {
        let conditions = ["title=like.*x*y*z*"; 9].join("&");
        let address = format!("{}{}?{conditions}&title=eq.none", app.base, hostile.notes());
        let credential = hostile.key.credential.clone().unwrap();
        let started = Instant::now();
        let queries: Vec<_> = (0..24)
            .map(|_| {
                let request = app.client.get(&address).bearer_auth(&credential);
                tokio::spawn(async move { request.send().await.map(|response| response.status().as_u16()) })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(300)).await;
        let longest_read = read_times(victim).await[READS - 1];
        let unfinished = queries.iter().filter(|query| !query.is_finished()).count();
        let (run, aborted) = (started.elapsed(), Instant::now());
        queries.iter().for_each(tokio::task::JoinHandle::abort);

        // The cancelled queries no longer occupy the lane, so the next requests do not wait for them.
        let of_victim = format!("{}?title=eq.none&id=in.(i1,i2)&order=title", victim.notes());
        let of_hostile = format!("{}?title=like.*x*&limit=1", hostile.notes());
        for (world, query) in [(victim, of_victim), (hostile, of_hostile)] {
            eventually(async || (world.key.get(&query).await.status == 200).then_some(())).await;
        }
        Self { longest_read, run, unfinished, wait: aborted.elapsed() }
    }

    fn is_good(&self, max_read: Duration) -> bool {
        self.longest_read < max_read && self.run < MAX_RUN && self.unfinished > 0 && self.wait < MAX_WAIT
    }
}

on_both! {
    async fn unindexed_queries_do_not_delay_other_teams_and_end_when_the_client_disconnects(app: &App) {
        let (hostile, victim) = (World::make(app, "hostile").await, World::make(app, "victim").await);
        fill(app, &hostile, if app.backend() == Backend::Sqlite { 100_000 } else { 200_000 });
        let usual_read = read_times(&victim).await[READS / 2];
        let max_read = (usual_read * 10).max(Duration::from_millis(500));
        let mut measurement = Measurement::make(app, &hostile, &victim).await;
        // A pause of the machine disturbs one measurement.
        for _ in 1..3 {
            if !measurement.is_good(max_read) {
                measurement = Measurement::make(app, &hostile, &victim).await;
            }
        }
        assert!(measurement.is_good(max_read), "{measurement:?}, limit of a read {max_read:?}");
    }
}

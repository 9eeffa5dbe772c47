//! Inserts rows directly into the database, because creating so many with requests would take too long.

use steward_tests::{App, Backend, World};

/// Number of events that one transaction inserts on PostgreSQL. The position of an event contains its number within the
/// transaction, which has ten bits.
const EVENTS_PER_TRANSACTION: usize = 1_000;

/// Inserts at least `count` changes of items into the audit log of the world's project. They are not sealed yet.
pub fn events(app: &App, world: &World, count: usize) {
    let columns =
        "project_id, team_id, user_id, table_name, item_id, action, actor_kind, operation, request_id, position, at";
    let World { project, team, user, .. } = world;
    let event = |id: &str| {
        format!("'{project}', '{team}', '{user}', 'notes', {id}, 'item.updated', 'system', 'putItem', 'filled', ")
    };
    let statement = match app.backend() {
        Backend::Sqlite => format!(
            "{} INSERT INTO item_changes ({columns}) \
             SELECT {} n + max((SELECT coalesce(max(position), 0) FROM audit_events), \
             (SELECT coalesce(max(position), 0) FROM item_changes), (SELECT position FROM audit_progress)), \
             strftime('%Y-%m-%dT%H:%M:%f000Z', 'now') FROM numbers",
            numbers(count),
            event("'filled-' || n")
        ),
        Backend::Postgres => format!(
            "DO $$ BEGIN FOR part IN 1..{} LOOP INSERT INTO item_changes ({columns}) \
             SELECT {} (SELECT base FROM transaction_position) + n, now() FROM generate_series(1, {}) AS n; COMMIT; END LOOP; END $$",
            count.div_ceil(EVENTS_PER_TRANSACTION),
            event("'filled-' || part || '-' || n"),
            count.min(EVENTS_PER_TRANSACTION)
        ),
    };
    app.execute_sql(&statement);
}

/// Inserts at least `count` changes of items that are spread over the last weeks, oldest first, each week in a
/// partition of its own on PostgreSQL. Their IDs begin with `filled-old`. Deletes what is known of the times of earlier
/// events, because these are later.
pub fn events_of_weeks(app: &App, world: &World, count: usize, weeks: usize) {
    let columns =
        "project_id, team_id, user_id, table_name, item_id, action, actor_kind, operation, request_id, position, at";
    let World { project, team, user, .. } = world;
    let event = |id: &str| {
        format!("'{project}', '{team}', '{user}', 'notes', {id}, 'item.updated', 'system', 'putItem', 'filled', ")
    };
    let days = weeks * 7;
    // A mark is recorded unless there is a recent one. This one is before no event.
    app.execute_sql("DELETE FROM event_marks");
    app.execute_sql(match app.backend() {
        Backend::Sqlite => {
            "INSERT INTO event_marks VALUES (strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'), 9007199254740991)"
        }
        Backend::Postgres => "INSERT INTO event_marks VALUES (now(), 9007199254740991)",
    });
    let statement = match app.backend() {
        Backend::Sqlite => format!(
            "{} INSERT INTO item_changes ({columns}) \
             SELECT {} n + max((SELECT coalesce(max(position), 0) FROM audit_events), \
             (SELECT coalesce(max(position), 0) FROM item_changes), (SELECT position FROM audit_progress)), \
             strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', ((n - {count}) * {days}.0 / {count} - 2) || ' days') FROM numbers",
            numbers(count),
            event("'filled-old-' || n")
        ),
        Backend::Postgres => {
            let parts = count.div_ceil(EVENTS_PER_TRANSACTION);
            format!(
                "DO $$ DECLARE monday date; BEGIN FOR week IN 1..{weeks} + 1 LOOP \
                 monday := date_trunc('week', now())::date - 7 * week; \
                 IF to_regclass('item_changes_' || to_char(monday, 'YYYYMMDD')) IS NULL THEN \
                 EXECUTE format('CREATE TABLE %I PARTITION OF item_changes FOR VALUES FROM (%L) TO (%L)', \
                 'item_changes_' || to_char(monday, 'YYYYMMDD'), monday || ' 00:00Z', monday + 7 || ' 00:00Z'); \
                 END IF; END LOOP; COMMIT; \
                 FOR part IN 1..{parts} LOOP INSERT INTO item_changes ({columns}) \
                 SELECT {} (SELECT base FROM transaction_position) + n, \
                 now() - interval '{days} days' * ({parts} - part) / {parts} FROM generate_series(1, {}) AS n; \
                 COMMIT; END LOOP; END $$",
                event("'filled-old-' || part || '-' || n"),
                count.min(EVENTS_PER_TRANSACTION)
            )
        }
    };
    app.execute_sql(&statement);
}

/// Inserts this many changes of items into the audit log, in turn for each project of the world's team. They are not
/// sealed yet.
pub fn events_of_team(app: &App, world: &World, count: usize) {
    let World { team, user, .. } = world;
    let (first, at) = match app.backend() {
        Backend::Sqlite => (
            "max((SELECT coalesce(max(position), 0) FROM audit_events), \
             (SELECT coalesce(max(position), 0) FROM item_changes), (SELECT position FROM audit_progress))",
            "strftime('%Y-%m-%dT%H:%M:%f000Z', 'now')",
        ),
        Backend::Postgres => ("(SELECT base FROM transaction_position)", "now()"),
    };
    for part in 0..count.div_ceil(EVENTS_PER_TRANSACTION) {
        app.execute_sql(&format!(
            "{} INSERT INTO item_changes (project_id, team_id, user_id, table_name, item_id, action, actor_kind, operation, \
             request_id, position, at) SELECT owner.id, '{team}', '{user}', 'notes', 'filled-{part}-' || n, 'item.updated', \
             'system', 'putItem', 'filled', {first} + n, {at} FROM numbers JOIN \
             (SELECT id, row_number() OVER (ORDER BY id) - 1 AS number, count(*) OVER () AS total FROM projects \
             WHERE team_id = '{team}') AS owner ON n % owner.total = owner.number",
            numbers(EVENTS_PER_TRANSACTION.min(count - part * EVENTS_PER_TRANSACTION))
        ));
    }
}

/// Inserts items without events.
pub fn items(app: &App, world: &World, count: usize) {
    items_of(app, world, &world.user, count);
}

/// Inserts items of a user without events.
pub fn items_of(app: &App, world: &World, user: &str, count: usize) {
    let project = &world.project;
    let (value, now) = match app.backend() {
        Backend::Sqlite => ("json_object('title', 'Note ' || n, 'rank', n)", "'2026-01-01T00:00:00.000000Z'"),
        Backend::Postgres => ("jsonb_build_object('title', 'Note ' || n, 'rank', n)", "now()"),
    };
    app.execute_sql(&format!(
        "{} INSERT INTO items (project_id, user_id, table_name, id, value, created_at, updated_at, revision, bytes, position) \
         SELECT '{project}', '{user}', 'notes', 'filled-' || n, {value}, {now}, {now}, 1, 40, \
         (SELECT position FROM audit_progress) FROM numbers",
        numbers(count)
    ));
}

/// Copies the only webhook of the world's project.
pub fn copies_of_webhook(app: &App, world: &World, count: usize) {
    let columns = "team_id, project_id, url, events, secret, begins_after, created_by, authorized_by, created_at, \
                   revision, position, attempts, next_attempt_at, leased_until, due_position";
    app.execute_sql(&format!(
        "{} INSERT INTO webhooks (id, {columns}) SELECT {}, {columns} FROM webhooks CROSS JOIN numbers \
         WHERE project_id = '{}'",
        numbers(count),
        id_of_copy(app),
        world.project
    ));
    let all = format!("(SELECT count(*) FROM webhooks WHERE project_id = '{}')", world.project);
    assert!(app.holds(&format!("{all} = {count} + 1")), "The webhooks were not copied.");
}

/// Copies a version of the project's schema as later versions.
pub fn copies_of_schema_version(app: &App, world: &World, version: u32, count: usize) {
    app.execute_sql(&format!(
        "{} INSERT INTO schema_versions (id, project_id, number, document, published_at) \
         SELECT {}, project_id, number + n, document, published_at FROM schema_versions CROSS JOIN numbers \
         WHERE project_id = '{}' AND number = {version}",
        numbers(count),
        id_of_copy(app),
        world.project
    ));
}

/// Returns the start of a statement that selects the numbers from 1 to `count` from `numbers`.
fn numbers(count: usize) -> String {
    format!("WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})")
}

/// Returns the SQL expression of an ID for copy `n` of a row: the start of the row's ID and the number.
fn id_of_copy(app: &App) -> &'static str {
    match app.backend() {
        Backend::Sqlite => "substr(id, 1, 24) || printf('%012x', n)",
        Backend::Postgres => "(left(id::text, 24) || lpad(to_hex(n), 12, '0'))::uuid",
    }
}

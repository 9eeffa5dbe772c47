-- Users who are active while earlier versions run afterwards are missing. Not in one transaction with the table, whose creation
-- locks the projects.
INSERT INTO activity_counts (project_id, day, active, latest)
SELECT project_id, day, CAST(sum(active) AS bigint), CAST(sum(latest) AS bigint) FROM (
    SELECT project_id, day, count(*) AS active, 0 AS latest FROM user_activity GROUP BY project_id, day
    UNION ALL
    SELECT project_id, CAST(last_seen_at AT TIME ZONE 'UTC' AS date), 0, count(*) FROM project_users GROUP BY project_id, CAST(last_seen_at AT TIME ZONE 'UTC' AS date)
) AS counted
WHERE EXISTS (SELECT 1 FROM projects p WHERE p.id = counted.project_id AND p.deleted_at IS NULL) GROUP BY project_id, day;

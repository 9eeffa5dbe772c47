//! Metrics of a service that waits for the migration of its PostgreSQL database. The others follow once it is ready.

use actix_web::http::header::ContentType;
use actix_web::{HttpResponse, web};
use steward_store::{MigrationStatus, PostgresStore};

use crate::in_thread::in_thread;

/// Mounts `/metrics`.
pub fn configure(app: &mut web::ServiceConfig, database_url: &str) {
    app.app_data(web::Data::new(database_url.to_owned())).route("/metrics", web::get().to(expose));
}

async fn expose(url: web::Data<String>) -> HttpResponse {
    match in_thread(move || Ok(PostgresStore::migration_status(&url)?)).await {
        Ok(status) => HttpResponse::Ok().content_type(ContentType::plaintext()).body(text(&status)),
        // Without a database there is nothing to measure.
        Err(_) => HttpResponse::Ok().content_type(ContentType::plaintext()).finish(),
    }
}

fn text(status: &MigrationStatus) -> String {
    let mut text = format!(
        "# HELP steward_migrations_pending Migrations of the database that are not applied yet.\n\
         # TYPE steward_migrations_pending gauge\nsteward_migrations_pending {}\n",
        status.pending.len()
    );
    if let Some(running) = &status.running {
        text.push_str(&format!(
            "# HELP steward_migration_changed_rows Rows that the running migration has changed in batches.\n\
             # TYPE steward_migration_changed_rows gauge\nsteward_migration_changed_rows{{migration=\"{}\"}} {}\n",
            running.name, running.rows
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use steward_store::RunningMigration;

    use super::*;

    #[test]
    fn the_metrics_name_the_running_migration() {
        let running = Some(RunningMigration { name: "0002_a".to_owned(), rows: 7, seconds: 1 });
        let status = MigrationStatus { applied: 1, pending: vec!["0002_a".to_owned()], later: Vec::new(), running };
        let text = text(&status);
        assert!(text.contains("\nsteward_migrations_pending 1\n"), "{text}");
        assert!(text.ends_with("\nsteward_migration_changed_rows{migration=\"0002_a\"} 7\n"), "{text}");
    }
}

//! Unit-tests a use case with mocks: only the ports that it reaches have expectations.
//!
//! `cargo run -p steward-domain --features mocks --example mocks`

use steward_domain::administration::Teams;
use steward_domain::kernel::error::{Conflict, Error};
use steward_domain::kernel::{CommitError, Unique};
use steward_domain::mocks::{MockStore, a_caller, a_command_for_a_team, mock_administration};

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    // A store in which the slug and the first suggestion are taken.
    let mut store = MockStore::default();
    store.unit_of_work.expect_commit().returning(|_| Err(CommitError::Taken(Unique::TeamSlug)));
    store.teams.expect_taken_team_slugs().returning(|slugs| Ok(slugs.iter().take(1).cloned().collect()));
    let teams = Teams::new(&mock_administration(store));

    let result = teams.create(&a_caller("ann"), a_command_for_a_team("acme")).await;
    let Err(Error::Conflict(Conflict::SlugTaken { free, .. })) = result else {
        anyhow::bail!("The slug is taken, but the team was created.");
    };
    anyhow::ensure!(free.as_str() == "acme-3", "The service suggested {free}.");
    eprintln!("The slug is taken. The service suggests {free}.");
    Ok(())
}

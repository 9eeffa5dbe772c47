//! What deleted projects leave behind: it goes some rows at a time, so that no statement is long, and goes on after a crash.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::Error;
use crate::jobs::Step;
use crate::model::{DeletedProject, ProjectId};
use crate::ports::{BlobStore, DeletedProjects};

use super::Shares;

/// This many rows go at once, for somebody who waits.
const DELETE_BATCH_SIZE: u16 = 500;
/// This many rows go in one step in the background.
const BATCH_SIZE: u16 = 200;
/// The name of this share of the work.
const SHARE: &str = "project_cleanup";

/// This many times at most before somebody who waits is answered.
const STEPS: usize = 4;

/// Removes what deleted projects leave behind.
#[derive(Clone)]
pub struct DeletedProjectData {
    remains: Arc<dyn DeletedProjects>,
    blobs: Arc<dyn BlobStore>,
}

impl DeletedProjectData {
    /// Over these ports.
    pub fn new(remains: Arc<dyn DeletedProjects>, blobs: Arc<dyn BlobStore>) -> Self {
        Self { remains, blobs }
    }

    /// Removes what the project left behind, as far as it goes in a few steps.
    pub(super) async fn remove_some(&self, project: &DeletedProject) -> Result<(), Error> {
        self.remove_images(project).await;
        for _ in 0..STEPS {
            if !self.remains.remove_remains(project.id, DELETE_BATCH_SIZE).await? {
                break;
            }
        }
        Ok(())
    }

    async fn remove_images(&self, project: &DeletedProject) {
        for key in project.images.keys() {
            self.blobs.delete(&key).await;
        }
    }
}

/// Cleans up after deleted projects in the background, some rows of each in turn, so that a huge one delays no other.
pub struct ProjectCleanup {
    remains: DeletedProjectData,
    shares: Arc<Shares>,
    state: Mutex<CleanupState>,
}

#[derive(Debug, Default)]
struct CleanupState {
    /// The project whose turn was last.
    last: Option<ProjectId>,
    /// Those whose images are gone, of which more is left.
    without_images: HashSet<ProjectId>,
}

impl ProjectCleanup {
    /// Over these ports.
    pub fn new(remains: DeletedProjectData, shares: Arc<Shares>) -> Self {
        Self { remains, shares, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, CleanupState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Removes some of what the next deleted project left behind.
    pub async fn step(&self) -> Result<Step, Error> {
        let (projects, last) = (&self.remains.remains, self.state().last);
        let next = match (projects.deleted_project(last).await?, last) {
            (None, Some(_)) => projects.deleted_project(None).await?,
            (next, _) => next,
        };
        let Some(project) = next else { return Ok(Step::IDLE) };
        if !self.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        let has_images = {
            let mut state = self.state();
            state.last = Some(project.id);
            state.without_images.insert(project.id)
        };
        if has_images {
            self.remains.remove_images(&project).await;
        }
        if !projects.remove_remains(project.id, BATCH_SIZE).await? {
            self.state().without_images.remove(&project.id);
        }
        Ok(Step { done: 1, more: true })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::mocks::{FixedClock, MockBlobStore, MockDeletedProjects, MockWorkLeases, an_image};
    use crate::model::{ImageUse, ProjectImages};

    #[tokio::test]
    async fn deleted_projects_take_turns_and_their_images_go_once() {
        let images = ProjectImages::default().with(ImageUse::Icon, Some(an_image("icon")));
        let icon = an_image("icon").key();
        // A project that takes six steps, and one that takes two.
        let small = ProjectId::from(uuid::Uuid::from_u128(2));
        let left = vec![(ProjectId::from(uuid::Uuid::from_u128(1)), 6), (small, 2)];
        let left = Arc::new(Mutex::new(left));
        let turns = Arc::new(Mutex::new(Vec::new()));

        let (mut remains, mut blobs, mut leases) =
            (MockDeletedProjects::new(), MockBlobStore::new(), MockWorkLeases::new());
        let seen = left.clone();
        remains.expect_deleted_project().returning(move |after| {
            let left = seen.lock().unwrap();
            let next = left.iter().map(|(id, _)| *id).find(|id| after.is_none_or(|after| *id > after));
            Ok(next.map(|id| DeletedProject { id, images: images.clone() }))
        });
        let (seen, turn) = (left.clone(), turns.clone());
        remains.expect_remove_remains().times(8).returning(move |id, most| {
            assert_eq!(most, BATCH_SIZE);
            turn.lock().unwrap().push(id);
            let mut left = seen.lock().unwrap();
            let place = left.iter().position(|(other, _)| *other == id).unwrap();
            left[place].1 -= 1;
            let more = left[place].1 > 0;
            if !more {
                left.remove(place);
            }
            Ok(more)
        });
        blobs.expect_delete().times(2).returning(move |key| assert_eq!(*key, icon));
        leases.expect_take_share().returning(|_, _, _, _| Ok(true));

        let shares = Shares::new(Arc::new(leases), Arc::new(FixedClock::default()), uuid::Uuid::nil());
        let cleanup =
            ProjectCleanup::new(DeletedProjectData::new(Arc::new(remains), Arc::new(blobs)), Arc::new(shares));
        while cleanup.step().await.unwrap().more {}
        let turns = turns.lock().unwrap();
        let end = turns.iter().rposition(|id| *id == small).unwrap();
        assert!(end < 4, "the small one does not wait for the large one: {turns:?}");
    }
}

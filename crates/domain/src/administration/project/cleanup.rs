//! Removal of deleted projects' data. Rows are deleted in batches, so that no statement runs long, and removal
//! continues after a crash.

use std::collections::HashSet;
use std::sync::Mutex;

use crate::administration::image::files::ImageFiles;
use crate::administration::{AdministrationCore, DeletedProject, Image};
use crate::kernel::error::Error;
use crate::kernel::jobs::Step;
use crate::kernel::{ProjectId, lock, use_cases};

/// How many rows are deleted per step while a request waits.
const DELETE_BATCH_SIZE: u16 = 500;
/// How many rows are deleted per step in the background.
const BATCH_SIZE: u16 = 200;
/// Name of the lease for this background job.
const SHARE: &str = "project_cleanup";

/// Maximum number of steps while a request waits.
const MAX_STEPS: usize = 4;

/// Removes a project's data in a limited number of steps. Some data may remain.
pub(crate) async fn remove_batch(core: &AdministrationCore, project: &DeletedProject) -> Result<(), Error> {
    remove_images(core, project).await?;
    for _ in 0..MAX_STEPS {
        if !core.ports.deleted_projects.remove_data(project.id, DELETE_BATCH_SIZE).await? {
            break;
        }
    }
    Ok(())
}

/// Deletes the images of the project and the logos of its clients. Call it before their rows are deleted.
async fn remove_images(core: &AdministrationCore, project: &DeletedProject) -> Result<(), Error> {
    let logos = core.ports.deleted_projects.logos(project.id).await?;
    let keys = project.images.keys().into_iter().chain(logos.iter().map(Image::key));
    ImageFiles(core).discard(keys).await;
    Ok(())
}

use_cases! {
    /// Removes data of deleted projects in the background. Projects take turns, so that a large one does not delay others.
    pub struct ProjectCleanup {
        core: AdministrationCore;
        state: Mutex<CleanupState>,
    }
}

#[derive(Debug, Default)]
struct CleanupState {
    /// The project of the last step.
    last: Option<ProjectId>,
    /// Projects whose images are deleted, but which have other data left.
    without_images: HashSet<ProjectId>,
}

impl ProjectCleanup {
    /// Removes a batch of the next deleted project's data.
    pub async fn step(&self) -> Result<Step, Error> {
        let (projects, last) = (&self.core.ports.deleted_projects, lock(&self.state).last);
        let next = match (projects.deleted_project(last).await?, last) {
            (None, Some(_)) => projects.deleted_project(None).await?,
            (next, _) => next,
        };
        let Some(project) = next else { return Ok(Step::IDLE) };
        if !self.core.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        let has_images = {
            let mut state = lock(&self.state);
            state.last = Some(project.id);
            !state.without_images.contains(&project.id)
        };
        if has_images {
            remove_images(&self.core, &project).await?;
            lock(&self.state).without_images.insert(project.id);
        }
        if !projects.remove_data(project.id, BATCH_SIZE).await? {
            lock(&self.state).without_images.remove(&project.id);
        }
        Ok(Step { done: 1, more: true })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::administration::{ProjectImage, ProjectImages};
    use crate::mocks::{MockBlobStore, MockStore, an_image, mock_administration};
    use crate::{DeliveryPorts, Ports};

    #[tokio::test]
    async fn deleted_projects_take_turns_and_their_images_are_deleted_once() {
        let images = ProjectImages::default().with(ProjectImage::Icon, Some(an_image("icon")));
        let expected = [an_image("icon").key(), an_image("logo").key()];
        // One project requires six steps, the other two.
        let small = ProjectId::from(uuid::Uuid::from_u128(2));
        let remaining = vec![(ProjectId::from(uuid::Uuid::from_u128(1)), 6), (small, 2)];
        let remaining = Arc::new(Mutex::new(remaining));
        let turns = Arc::new(Mutex::new(Vec::new()));

        let (mut store, mut blobs) = (MockStore::default(), MockBlobStore::new());
        let seen = remaining.clone();
        store.deleted_projects.expect_deleted_project().returning(move |after| {
            let remaining = seen.lock().unwrap();
            let next = remaining.iter().map(|(id, _)| *id).find(|id| after.is_none_or(|after| *id > after));
            Ok(next.map(|id| DeletedProject { id, images: images.clone() }))
        });
        let (seen, turn) = (remaining.clone(), turns.clone());
        store.deleted_projects.expect_remove_data().times(8).returning(move |id, limit| {
            assert_eq!(limit, BATCH_SIZE);
            turn.lock().unwrap().push(id);
            let mut remaining = seen.lock().unwrap();
            let index = remaining.iter().position(|(other, _)| *other == id).unwrap();
            remaining[index].1 -= 1;
            let more = remaining[index].1 > 0;
            if !more {
                remaining.remove(index);
            }
            Ok(more)
        });
        store.deleted_projects.expect_logos().times(2).returning(|_| Ok(vec![an_image("logo")]));
        blobs.expect_delete().times(4).returning(move |key| assert!(expected.contains(key)));
        store.leases.expect_acquire_lease().returning(|_, _, _, _| Ok(true));
        let delivery = DeliveryPorts { blobs: Arc::new(blobs), ..DeliveryPorts::default() };
        let cleanup = ProjectCleanup::new(&mock_administration(Ports { delivery, ..store.into() }));
        while cleanup.step().await.unwrap().more {}
        let turns = turns.lock().unwrap();
        let end = turns.iter().rposition(|id| *id == small).unwrap();
        assert!(end < 4, "The small project must not wait for the large one: {turns:?}");
    }
}

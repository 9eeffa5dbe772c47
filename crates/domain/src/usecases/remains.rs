//! What deleted projects leave behind: it goes some rows at a time, so that no statement is long, and goes on after a crash.

use std::sync::Arc;

use crate::error::Error;
use crate::model::DeletedProject;
use crate::ports::{BlobStore, ProjectRemains};

/// So many rows go at once.
const REMOVED_AT_ONCE: u16 = 500;

/// So many times at most before somebody who waits is answered.
const STEPS: usize = 4;

/// Removes what deleted projects leave behind.
#[derive(Clone)]
pub struct Remains {
    remains: Arc<dyn ProjectRemains>,
    blobs: Arc<dyn BlobStore>,
}

impl Remains {
    /// Over these ports.
    pub fn new(remains: Arc<dyn ProjectRemains>, blobs: Arc<dyn BlobStore>) -> Self {
        Self { remains, blobs }
    }

    /// Removes what every deleted project left behind. How many projects that were.
    pub async fn remove_all(&self) -> Result<usize, Error> {
        let mut count = 0;
        while let Some(project) = self.remains.deleted_project().await? {
            self.remove_images(&project).await;
            while self.remains.remove_remains(project.id, REMOVED_AT_ONCE).await? {}
            count += 1;
        }
        Ok(count)
    }

    /// Removes what the project left behind, as far as it goes in a few steps.
    pub(super) async fn remove_some(&self, project: &DeletedProject) -> Result<(), Error> {
        self.remove_images(project).await;
        for _ in 0..STEPS {
            if !self.remains.remove_remains(project.id, REMOVED_AT_ONCE).await? {
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::mocks::{MockBlobStore, MockProjectRemains, a_project, an_image};
    use crate::model::{ImageUse, ProjectImages};

    #[tokio::test]
    async fn every_deleted_project_goes_step_by_step_and_its_images_with_it() {
        let images = ProjectImages::default().with(ImageUse::Icon, Some(an_image("icon")));
        let icon = an_image("icon").key();
        // A project that takes six steps, then one that takes one.
        let left = Arc::new(Mutex::new(vec![(a_project("small").id, 1), (a_project("large").id, 6)]));

        let (mut remains, mut blobs) = (MockProjectRemains::new(), MockBlobStore::new());
        let seen = left.clone();
        remains.expect_deleted_project().returning(move || {
            let first = seen.lock().unwrap().last().map(|(id, _)| *id);
            Ok(first.map(|id| DeletedProject { id, images: images.clone() }))
        });
        let seen = left.clone();
        remains.expect_remove_remains().times(7).returning(move |id, most| {
            assert_eq!(most, REMOVED_AT_ONCE);
            let mut left = seen.lock().unwrap();
            let (first, steps) = left.last_mut().unwrap();
            assert_eq!(*first, id);
            *steps -= 1;
            let more = *steps > 0;
            if !more {
                left.pop();
            }
            Ok(more)
        });
        blobs.expect_delete().times(2).returning(move |key| assert_eq!(*key, icon));

        let remains = Remains::new(Arc::new(remains), Arc::new(blobs));
        assert_eq!(remains.remove_all().await.unwrap(), 2);
    }
}

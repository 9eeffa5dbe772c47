//! Images of projects, and serving those of projects and clients to the public.

use std::future::Future;
use uuid::Uuid;

use crate::administration::image::files::ImageFiles;
use crate::administration::{AdministrationCore, BlobReader, Image, ImageFormat, ImageUse, Project, ProjectImage};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::Operation;
use crate::kernel::{Caller, ImageId, Precondition, ProjectId, RetryError, retry_stale, use_cases};

use_cases! {
    /// Use cases of project images.
    pub struct Images { core: AdministrationCore }
}

/// An image as served to the public.
pub struct PublicImage {
    /// Metadata of the image.
    pub image: Image,
    /// What the image is used for.
    pub used_as: ImageUse,
    /// Reader of the file's bytes.
    pub bytes: Box<dyn BlobReader>,
}

impl Images {
    /// Returns the project with its images.
    pub async fn list(&self, caller: &Caller, id: ProjectId) -> Result<Project, Error> {
        let access = self.core.access.project(caller, id).await?;
        access.permit(Operation::ImageList).await?;
        Ok(access.project().project.clone())
    }

    /// Replaces an image of the project. The file is received only after the caller's permission is checked.
    pub async fn upload<E: From<Error>>(
        &self,
        caller: &Caller,
        id: ProjectId,
        which: ProjectImage,
        received: impl Future<Output = Result<Vec<u8>, E>>,
    ) -> Result<Project, E> {
        let (operation, _) = which.operations();
        self.core.access.project(caller, id).await?.permit(operation).await?;

        let files = ImageFiles(&self.core);
        let image = files.store(which.used_as(), received).await?;
        let any = Precondition::None;
        let change = async || self.change(caller, id, operation, which, Some(image.clone()), &any).await;
        Ok(files.settle(&image, retry_stale(change).await).await?)
    }

    /// Removes an image from the project.
    pub async fn delete(
        &self,
        caller: &Caller,
        id: ProjectId,
        which: ProjectImage,
        when: &Precondition,
    ) -> Result<(), Error> {
        let (_, operation) = which.operations();
        retry_stale(async || self.change(caller, id, operation, which, None, when).await).await.map(drop)
    }

    async fn change(
        &self,
        caller: &Caller,
        id: ProjectId,
        operation: Operation,
        which: ProjectImage,
        image: Option<Image>,
        when: &Precondition,
    ) -> Result<Project, RetryError> {
        let permit = self.core.access.project(caller, id).await?.permit(operation).await?;

        // Read again: the copy that was loaded with an API key would still be stale on a retry.
        let loaded = self.core.ports.projects.project(id).await?.ok_or(Error::NotFound(ResourceKind::Project))?.project;
        let former = loaded.images.get(which).map(Image::key);
        if former.is_none() && image.is_none() {
            return Err(Error::NotFound(ResourceKind::Image).into());
        }
        when.check(ResourceKind::Project, loaded.revision)?;
        let now = self.core.now();
        let images = loaded.images.clone().with(which, image);
        let changed = Project { images, updated_at: now, ..loaded.clone() };

        self.core.commit(Changes::by(permit, now).replace(loaded, changed.clone())).await?;
        ImageFiles(&self.core).discard(former).await;
        Ok(Project { revision: changed.revision.next(), ..changed })
    }

    /// Returns an image by its file name and the ID of the project or the client that uses it. An image that nothing uses is
    /// not found, even if its bytes still exist.
    pub async fn show(&self, owner: Uuid, file_name: &str) -> Result<PublicImage, Error> {
        let not_found = || Error::NotFound(ResourceKind::Image);
        let (used_as, image) = self.used_by(owner, file_name).await?.ok_or_else(not_found)?;
        let bytes = self.core.ports.blobs.get(&image.key()).await?.ok_or_else(not_found)?;
        Ok(PublicImage { image, used_as, bytes })
    }

    async fn used_by(&self, owner: Uuid, file_name: &str) -> Result<Option<(ImageUse, Image)>, Error> {
        if let Some(found) = self.core.ports.projects.project(owner.into()).await? {
            let named = found.project.images.named(file_name);
            return Ok(named.map(|(used_as, image)| (used_as, image.clone())));
        }
        let client = self.core.ports.project_clients.client(owner.into()).await?;
        let logo = client.and_then(|client| client.logo).filter(|logo| logo.file_name() == file_name);
        Ok(logo.map(|logo| (ImageUse::Logo, logo)))
    }

    /// Tests the image storage: writes some bytes, reads them back and deletes them.
    pub async fn self_test(&self) -> Result<(), Error> {
        const BYTES: &[u8] = b"Steward was here";
        let (id, now) = (ImageId::from(self.core.next_id()), self.core.now());
        let key = Image { id, format: ImageFormat::Png, size: 0, uploaded_at: now }.key();
        self.core.ports.blobs.put(&key, BYTES.to_vec()).await?;
        let mut read = Vec::new();
        if let Some(mut bytes) = self.core.ports.blobs.get(&key).await? {
            while let Some(piece) = bytes.next().await? {
                read.extend(piece);
            }
        }
        self.core.ports.blobs.delete(&key).await;
        if read == BYTES {
            Ok(())
        } else {
            Err(Error::Internal(anyhow::anyhow!("The image storage did not return the bytes that were written.")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::administration::{ProjectImages, ProjectInTeam, ProjectMembership};
    use crate::kernel::policy::RoleSet;
    use crate::kernel::{CommitError, Committed};
    use crate::mocks::{
        MockBlobStore, MockStore, a_caller, a_project, a_project_in_team, an_image, mock_administration,
    };
    use crate::{DeliveryPorts, Ports};

    const PNG: &[u8] = include_bytes!("../../../../../tests/images/small.png");

    /// A project with an icon, a caller with this role, and a store with this commit result. Returns the use cases and
    /// a log of commits and blob operations in order.
    fn images(role: &str, commit: fn() -> Result<Committed, CommitError>) -> (Images, Arc<Mutex<Vec<String>>>) {
        let log = Arc::new(Mutex::new(Vec::new()));
        let recorder = |log: &Arc<Mutex<Vec<String>>>| {
            let log = Arc::clone(log);
            move |step: String| log.lock().unwrap().push(step)
        };
        let images = ProjectImages { icon: Some(an_image("old")), background: None };
        let project = Project { images, ..a_project("rocket") };
        let project = ProjectInTeam { project, ..a_project_in_team() };
        let membership = ProjectMembership { project: Arc::new(project.clone()), roles: RoleSet::parse(role).unwrap() };

        let (mut store, mut blobs) = (MockStore::default(), MockBlobStore::new());
        store.access.expect_project_membership().returning(move |_, _| Ok(Some(membership.clone())));
        store.projects.expect_project().returning(move |_| Ok(Some(project.clone())));
        let (put, delete, committed) = (recorder(&log), recorder(&log), recorder(&log));
        blobs.expect_put().returning(move |key, _| {
            put(format!("put {}", key.as_str()));
            Ok(())
        });
        blobs.expect_delete().returning(move |key| delete(format!("delete {}", key.as_str())));
        store.unit_of_work.expect_commit().returning(move |changes| {
            // Refused attempts are recorded, too.
            if changes.writes().next().is_some() {
                committed("commit".to_owned());
            }
            commit()
        });
        let delivery = DeliveryPorts { blobs: Arc::new(blobs), ..DeliveryPorts::default() };
        let images = Images::new(&mock_administration(Ports { delivery, ..store.into() }));
        (images, log)
    }

    async fn upload(images: &Images) -> Result<Project, Error> {
        let received = async { Ok::<_, Error>(PNG.to_vec()) };
        images.upload(&a_caller("ann"), a_project("rocket").id, ProjectImage::Icon, received).await
    }

    fn steps(log: &Arc<Mutex<Vec<String>>>) -> Vec<String> {
        log.lock().unwrap().clone()
    }

    #[tokio::test]
    async fn bytes_are_written_before_the_commit_and_the_former_bytes_are_deleted_after_it() {
        let (images, log) = images("owner", || Ok(Committed::default()));
        let new = upload(&images).await.unwrap().images.icon.unwrap().key();
        let old = an_image("old").key();
        let expected = [format!("put {}", new.as_str()), "commit".into(), format!("delete {}", old.as_str())];
        assert_eq!(steps(&log), expected);
    }

    #[tokio::test]
    async fn a_caller_without_permission_is_refused_before_the_file_is_received() {
        let (images, log) = images("viewer", || Ok(Committed::default()));
        let received = async { panic!("The file was received.") };
        let refused =
            images.upload::<Error>(&a_caller("ann"), a_project("rocket").id, ProjectImage::Icon, received).await;
        assert!(matches!(refused, Err(Error::Forbidden(_))));
        assert!(steps(&log).is_empty());
    }

    #[tokio::test]
    async fn new_bytes_are_deleted_after_a_certain_failure() {
        let (images, log) = images("owner", || Err(CommitError::Stale(ResourceKind::Project)));
        assert!(matches!(upload(&images).await, Err(Error::Conflict(_))));
        let steps = steps(&log);
        let put = steps.first().unwrap().strip_prefix("put ").unwrap();
        assert_eq!(steps.last().unwrap(), &format!("delete {put}"));
        assert_eq!(steps.iter().filter(|step| step.starts_with("delete")).count(), 1, "{steps:?}");
    }

    #[tokio::test]
    async fn new_bytes_are_kept_after_an_uncertain_failure() {
        let (images, log) =
            images("owner", || Err(CommitError::Unavailable(anyhow::anyhow!("The connection was closed."))));
        assert!(matches!(upload(&images).await, Err(Error::Unavailable(_))));
        assert!(!steps(&log).iter().any(|step| step.starts_with("delete")));
    }

    #[tokio::test]
    async fn a_missing_image_cannot_be_deleted() {
        let (images, log) = images("owner", || Ok(Committed::default()));
        let project = a_project("rocket").id;
        let refused = images.delete(&a_caller("ann"), project, ProjectImage::Background, &Precondition::None).await;
        assert!(matches!(refused, Err(Error::NotFound(ResourceKind::Image))));
        images.delete(&a_caller("ann"), project, ProjectImage::Icon, &Precondition::None).await.unwrap();
        assert_eq!(steps(&log), ["commit".to_owned(), format!("delete {}", an_image("old").key().as_str())]);
    }
}

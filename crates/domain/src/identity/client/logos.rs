//! Logos of OAuth clients. They need no confirmation, unlike other changes of a client: a logo widens no authority, and
//! the icon of the project, which the same pages show, needs none either.

use std::future::Future;

use crate::administration::image::files::ImageFiles;
use crate::administration::{Image, ImageUse};
use crate::identity::ProjectClient;
use crate::identity::client::clients::Clients;
use crate::kernel::changes::Changes;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::policy::Operation;
use crate::kernel::{Caller, Precondition, ProjectClientId, ProjectId, RetryError, retry_stale};

impl Clients {
    /// Replaces the logo of a client. The file is received only after the caller's permission is checked.
    pub async fn upload_logo<E: From<Error>>(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectClientId,
        received: impl Future<Output = Result<Vec<u8>, E>>,
    ) -> Result<ProjectClient, E> {
        let operation = Operation::ClientLogoUpload;
        self.core.access.project(caller, project).await?.permit(operation).await?;
        self.one(project, id).await?;

        let files = ImageFiles(&self.core.administration);
        let logo = files.store(ImageUse::Logo, received).await?;
        let any = Precondition::None;
        let change = async || self.change_logo(caller, (project, id), operation, Some(logo.clone()), &any).await;
        Ok(files.settle(&logo, retry_stale(change).await).await?)
    }

    /// Removes the logo of a client.
    pub async fn delete_logo(
        &self,
        caller: &Caller,
        project: ProjectId,
        id: ProjectClientId,
        when: &Precondition,
    ) -> Result<(), Error> {
        let operation = Operation::ClientLogoDelete;
        retry_stale(async || self.change_logo(caller, (project, id), operation, None, when).await).await.map(drop)
    }

    async fn change_logo(
        &self,
        caller: &Caller,
        (project, id): (ProjectId, ProjectClientId),
        operation: Operation,
        logo: Option<Image>,
        when: &Precondition,
    ) -> Result<ProjectClient, RetryError> {
        let permit = self.core.access.project(caller, project).await?.permit(operation).await?;

        let loaded = self.one(project, id).await?;
        let former = loaded.logo.as_ref().map(Image::key);
        if former.is_none() && logo.is_none() {
            return Err(Error::NotFound(ResourceKind::Image).into());
        }
        when.check(ResourceKind::Client, loaded.revision)?;
        let (changed, now) = (ProjectClient { logo, ..loaded.clone() }, self.core.now());

        self.core.commit(Changes::by(permit, now).replace(loaded, changed.clone())).await?;
        ImageFiles(&self.core.administration).discard(former).await;
        Ok(ProjectClient { revision: changed.revision.next(), ..changed }.as_of(now))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::administration::ProjectMembership;
    use crate::identity::IdentityCore;
    use crate::kernel::policy::RoleSet;
    use crate::kernel::{CommitError, Committed};
    use crate::mocks::{
        MockBlobStore, MockStore, a_caller, a_client, a_project_in_team, an_image, instant, mock_identity,
    };
    use crate::{DeliveryPorts, Ports};

    const PNG: &[u8] = include_bytes!("../../../../../tests/images/small.png");

    type Log = Arc<Mutex<Vec<String>>>;

    fn noted(log: &Log, step: String) {
        log.lock().unwrap().push(step);
    }

    /// A client with a logo or without, a caller with this role, and a store with this commit result. Returns the use cases
    /// and a log of commits and blob operations in order.
    fn clients(role: &str, logo: Option<Image>, commit: fn() -> Result<Committed, CommitError>) -> (Clients, Log) {
        let log = Log::default();
        let project = Arc::new(a_project_in_team());
        let client = ProjectClient { logo, project_id: project.project.id, ..a_client() };
        let membership = ProjectMembership { project, roles: RoleSet::parse(role).unwrap() };

        let (mut store, mut blobs) = (MockStore::default(), MockBlobStore::new());
        store.access.expect_project_membership().returning(move |_, _| Ok(Some(membership.clone())));
        store.project_clients.expect_client().returning(move |_| Ok(Some(client.clone())));
        let (put, delete, committed) = (log.clone(), log.clone(), log.clone());
        blobs.expect_put().returning(move |key, _| {
            noted(&put, format!("put {}", key.as_str()));
            Ok(())
        });
        blobs.expect_delete().returning(move |key| noted(&delete, format!("delete {}", key.as_str())));
        store.unit_of_work.expect_commit().returning(move |changes| {
            // Refused attempts are recorded, too.
            if changes.writes().next().is_some() {
                noted(&committed, "commit".to_owned());
            }
            commit()
        });
        let delivery = DeliveryPorts { blobs: Arc::new(blobs), ..DeliveryPorts::default() };
        let core: Arc<IdentityCore> = mock_identity(Ports { delivery, ..store.into() });
        (Clients::new(&core), log)
    }

    fn steps(log: &Log) -> Vec<String> {
        log.lock().unwrap().clone()
    }

    fn ids() -> (ProjectId, ProjectClientId) {
        (a_project_in_team().project.id, a_client().id)
    }

    async fn upload(clients: &Clients) -> Result<ProjectClient, Error> {
        let (project, id) = ids();
        clients.upload_logo(&a_caller("ann"), project, id, async { Ok::<_, Error>(PNG.to_vec()) }).await
    }

    #[tokio::test]
    async fn a_logo_is_received_only_from_a_caller_who_may_change_the_client() {
        for role in ["viewer", "project:write", "key:write"] {
            let (clients, log) = clients(role, None, || Ok(Committed::default()));
            let ((project, id), received) = (ids(), async { panic!("The file was received.") });
            let refused = clients.upload_logo::<Error>(&a_caller("ann"), project, id, received).await;
            assert!(matches!(refused, Err(Error::Forbidden(_))), "{role}: {refused:?}");
            assert!(steps(&log).is_empty());
        }
    }

    #[tokio::test]
    async fn the_bytes_of_a_former_logo_are_deleted_after_the_commit() {
        let (clients, log) = clients("owner", Some(an_image("old")), || Ok(Committed::default()));
        let new = upload(&clients).await.unwrap().logo.unwrap();
        assert_eq!(new.uploaded_at, instant());
        let old = an_image("old").key();
        let expected = [format!("put {}", new.key().as_str()), "commit".into(), format!("delete {}", old.as_str())];
        assert_eq!(steps(&log), expected);
    }

    #[tokio::test]
    async fn the_bytes_of_a_logo_that_was_not_stored_are_deleted() {
        let (clients, log) = clients("owner", Some(an_image("old")), || Err(CommitError::Stale(ResourceKind::Client)));
        assert!(matches!(upload(&clients).await, Err(Error::Conflict(_))));
        let steps = steps(&log);
        let put = steps.first().unwrap().strip_prefix("put ").unwrap();
        let deleted: Vec<_> = steps.iter().filter_map(|step| step.strip_prefix("delete ")).collect();
        assert_eq!(deleted, [put]);
    }

    #[tokio::test]
    async fn a_logo_is_deleted_with_its_client_and_a_missing_one_is_not_found() {
        let ((project, id), ann, any) = (ids(), a_caller("ann"), Precondition::None);
        let deleted = ["commit".to_owned(), format!("delete {}", an_image("old").key().as_str())];
        let (without, log) = clients("owner", None, || Ok(Committed::default()));
        let refused = without.delete_logo(&ann, project, id, &any).await;
        assert!(matches!(refused, Err(Error::NotFound(ResourceKind::Image))), "{refused:?}");
        assert!(steps(&log).is_empty());
        let (with_logo, log) = clients("owner", Some(an_image("old")), || Ok(Committed::default()));
        with_logo.delete_logo(&ann, project, id, &any).await.unwrap();
        assert_eq!(steps(&log), deleted);
        let (with_logo, log) = clients("owner", Some(an_image("old")), || Ok(Committed::default()));
        with_logo.delete(&ann, project, id, &any).await.unwrap();
        assert_eq!(steps(&log), deleted);
    }
}

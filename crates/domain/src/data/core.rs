//! What the use cases of data share.

use std::sync::Arc;

use crate::DataPorts;
use crate::data::{ProjectUser, SchemaCatalog};
use crate::identity::{Authentication, FamilyLifetime};
use crate::kernel::core::on_kernel;
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::{Kernel, ProjectId, ProjectUserId};

/// What the use cases of data share: the kernel, their ports, and who is signed in.
pub struct DataCore {
    kernel: Arc<Kernel>,
    pub(crate) ports: DataPorts,
    pub(crate) catalog: SchemaCatalog,
    pub(crate) authentication: Authentication,
    pub(crate) family_lifetime: FamilyLifetime,
}

impl DataCore {
    /// Connects the ports to the kernel.
    pub fn new(
        kernel: &Arc<Kernel>,
        ports: DataPorts,
        authentication: Authentication,
        family_lifetime: FamilyLifetime,
    ) -> Arc<Self> {
        let catalog = SchemaCatalog::new(ports.schemas.clone());
        Arc::new(Self { kernel: kernel.clone(), ports, catalog, authentication, family_lifetime })
    }
}

on_kernel!(DataCore);

impl DataCore {
    /// Returns a user of a project.
    pub(crate) async fn user(&self, project: ProjectId, id: ProjectUserId) -> Result<ProjectUser, Error> {
        self.ports.project_users.user(project, id).await?.ok_or(Error::NotFound(ResourceKind::ProjectUser))
    }

    /// Returns a user whose data may be read. It may not while it is being deleted, so that nobody sees a part of it.
    pub(crate) async fn readable_user(&self, project: ProjectId, id: ProjectUserId) -> Result<ProjectUser, Error> {
        let user = self.user(project, id).await?;
        if user.is_being_deleted() { Err(Error::NotFound(ResourceKind::ProjectUser)) } else { Ok(user) }
    }
}

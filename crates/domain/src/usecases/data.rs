//! What the use cases of data share.

use std::sync::Arc;

use crate::model::FamilyLifetime;

use super::kernel::on_kernel;
use super::{Authentication, DataPorts, Kernel, SchemaCatalog};

/// What the use cases of data share: the kernel, their ports, and who is signed in.
pub struct DataCore {
    kernel: Arc<Kernel>,
    pub(super) ports: DataPorts,
    pub(super) catalog: SchemaCatalog,
    pub(super) authentication: Authentication,
    pub(super) family_lifetime: FamilyLifetime,
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

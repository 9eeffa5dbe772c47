//! What the use cases of data share.

use std::sync::Arc;

use crate::DataPorts;
use crate::data::SchemaCatalog;
use crate::identity::{Authentication, FamilyLifetime};
use crate::kernel::Kernel;
use crate::kernel::core::on_kernel;

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

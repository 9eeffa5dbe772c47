//! What the use cases of administration share.

use std::sync::Arc;

use crate::AdministrationPorts;
use crate::administration::AuditRetention;
use crate::kernel::Kernel;
use crate::kernel::core::on_kernel;

/// What the use cases of administration share: the kernel and their ports.
pub struct AdministrationCore {
    kernel: Arc<Kernel>,
    pub(crate) ports: AdministrationPorts,
    pub(crate) audit_retention: AuditRetention,
}

impl AdministrationCore {
    /// Connects the ports to the kernel.
    pub fn new(kernel: &Arc<Kernel>, ports: AdministrationPorts, audit_retention: AuditRetention) -> Arc<Self> {
        Arc::new(Self { kernel: kernel.clone(), ports, audit_retention })
    }
}

on_kernel!(AdministrationCore);

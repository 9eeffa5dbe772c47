//! What the use cases of the whole domain share, by area.

use std::sync::Arc;

use crate::administration::AdministrationCore;
use crate::data::DataCore;
use crate::identity::IdentityCore;
use crate::kernel::Kernel;
use crate::{Deployment, Ports};

/// What the use cases of the whole domain share, by area. Programs that embed the domain construct from it only the use
/// cases that they need.
#[derive(Clone)]
#[expect(missing_docs, reason = "each field is named after its area")]
pub struct Cores {
    pub kernel: Arc<Kernel>,
    pub administration: Arc<AdministrationCore>,
    pub data: Arc<DataCore>,
    pub identity: Arc<IdentityCore>,
}

impl Cores {
    /// Connects the shared components to the ports.
    pub fn new(ports: &Ports, deployment: Deployment) -> Self {
        let Deployment { address, identity, action_limiter, audit_retention, quotas, settings: _ } = deployment;
        let kernel = Kernel::new(ports.into(), address, action_limiter, quotas);
        let administration = AdministrationCore::new(&kernel, ports.into(), audit_retention);
        let family_lifetime = identity.family_lifetime;
        let identity = IdentityCore::new(&kernel, &administration, ports.into(), identity);
        let data = DataCore::new(&kernel, ports.into(), identity.authentication.clone(), family_lifetime);
        Self { kernel, administration, data, identity }
    }
}

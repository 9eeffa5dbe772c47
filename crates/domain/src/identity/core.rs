//! What the use cases of identity share.

use std::sync::Arc;

use crate::administration::AdministrationCore;
use crate::identity::token::used_ids::UsedIds;
use crate::identity::{Authentication, CurrentKeys, KnownCredentials, Proofs, SignInStats, TokenVerifier};
use crate::kernel::core::on_kernel;
use crate::kernel::{Kernel, Usage};
use crate::{IdentityPorts, IdentitySettings};

/// What the use cases of identity share: the kernel, their ports and settings, and what checks credentials. An account
/// has teams, invites and projects, so they also share those of administration.
pub struct IdentityCore {
    kernel: Arc<Kernel>,
    pub(crate) administration: Arc<AdministrationCore>,
    pub(crate) ports: IdentityPorts,
    pub(crate) settings: IdentitySettings,
    pub(crate) usage: Arc<Usage>,
    pub(crate) keys: Arc<CurrentKeys>,
    pub(crate) verifier: TokenVerifier,
    pub(crate) proofs: Proofs,
    /// The assertions of clients that this process accepted.
    pub(crate) used_assertions: UsedIds,
    pub(crate) authentication: Authentication,
    pub(crate) sign_ins: Arc<SignInStats>,
}

impl IdentityCore {
    /// Connects the ports to the kernel.
    pub fn new(
        kernel: &Arc<Kernel>,
        administration: &Arc<AdministrationCore>,
        ports: IdentityPorts,
        settings: IdentitySettings,
    ) -> Arc<Self> {
        let (clock, vault) = (&kernel.system.clock, &kernel.system.vault);
        let usage = Arc::new(Usage::new(ports.usage.clone()));
        let keys = Arc::new(CurrentKeys::new(ports.server_keys.clone(), ports.ring.clone(), clock.clone()));
        let known = Arc::new(KnownCredentials::new(vault.clone()));
        let verifier = TokenVerifier::new(ports.tokens.clone(), keys.clone(), known);
        let proofs = Proofs::new(ports.signatures.clone(), vault.clone(), clock.clone(), kernel.address.clone());
        let authentication =
            Authentication::new(kernel, &ports, &settings, verifier.clone(), usage.clone(), proofs.clone());
        Arc::new(Self {
            kernel: kernel.clone(),
            administration: administration.clone(),
            ports,
            settings,
            usage,
            keys,
            verifier,
            proofs,
            used_assertions: UsedIds::default(),
            authentication,
            sign_ins: Arc::default(),
        })
    }
}

on_kernel!(IdentityCore);

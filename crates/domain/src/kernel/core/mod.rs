//! What the use cases of all areas share: time, IDs, access, rate limits and writes.

pub(super) mod attempt;
pub(super) mod use_cases;

use std::sync::Arc;

use uuid::Uuid;

use crate::KernelPorts;
use crate::administration::RequestLog;
use crate::kernel::changes::Changes;
use crate::kernel::jobs::JobRegistry;
use crate::kernel::policy::Quotas;
use crate::kernel::{
    Access, ActionLimiter, CommitError, Committed, OpaqueKind, QuotaGuard, QuotaStats, Secret, ServiceAddress, Shares,
    Time, TokenDigest,
};

/// What the use cases of all areas share.
pub struct Kernel {
    /// The ports, with a unit of work that refuses changes that exceed a quota.
    pub(crate) system: KernelPorts,
    pub(crate) address: ServiceAddress,
    pub(crate) quotas: Quotas,
    pub(crate) quota_stats: Arc<QuotaStats>,
    pub(crate) action_limiter: Arc<ActionLimiter>,
    pub(crate) access: Access,
    pub(crate) request_log: Arc<RequestLog>,
    /// Statistics of the background jobs of this process.
    pub(crate) jobs: Arc<JobRegistry>,
    /// Identifies this process as the holder of leases.
    pub(crate) holder: Uuid,
    pub(crate) shares: Arc<Shares>,
}

impl Kernel {
    /// Connects the shared components to the ports.
    pub fn new(ports: KernelPorts, address: ServiceAddress, limiter: ActionLimiter, quotas: Quotas) -> Arc<Self> {
        let KernelPorts { unit_of_work, access, clock, .. } = &ports;
        let holder = ports.ids.next();
        // The last bits of an ID are random.
        let (_, _, _, random) = holder.as_fields();
        let [.., a, b, c, d] = *random;
        let action_limiter = Arc::new(limiter.sharing(ports.rate_limits.clone(), ports.vault.clone()));
        let quota_stats = Arc::new(QuotaStats::default());
        let guard = QuotaGuard { store: unit_of_work.clone(), quotas: quotas.clone(), stats: quota_stats.clone() };
        Arc::new(Self {
            access: Access::new(access.clone(), unit_of_work.clone(), action_limiter.clone(), clock.clone()),
            shares: Arc::new(Shares::new(ports.leases.clone(), clock.clone(), holder)),
            request_log: Arc::new(RequestLog::new(u32::from_be_bytes([a, b, c, d]))),
            jobs: Arc::default(),
            system: KernelPorts { unit_of_work: Arc::new(guard), ..ports },
            address,
            quotas,
            quota_stats,
            action_limiter,
            holder,
        })
    }

    /// Returns the current time.
    pub(crate) fn now(&self) -> Time {
        self.system.clock.now()
    }

    /// Returns a new ID.
    pub(crate) fn next_id(&self) -> Uuid {
        self.system.ids.next()
    }

    /// Returns a new opaque token.
    pub(crate) fn new_secret(&self, kind: OpaqueKind) -> Secret {
        kind.from_entropy(&self.system.secrets.entropy())
    }

    /// Returns the digest by which an opaque token is found.
    pub(crate) fn digest(&self, secret: &Secret) -> TokenDigest {
        TokenDigest(self.system.vault.sha256(secret.expose()))
    }

    /// Stores a change.
    pub(crate) async fn commit(&self, changes: Changes) -> Result<Committed, CommitError> {
        self.system.unit_of_work.commit(changes).await
    }

    /// Stores a change whose result nobody needs.
    pub(crate) async fn save<E: From<CommitError>>(&self, changes: Changes) -> Result<(), E> {
        Ok(self.commit(changes).await.map(drop)?)
    }
}

/// Lets the use cases of an area call the kernel through what the area shares.
macro_rules! on_kernel {
    ($core:ty) => {
        impl std::ops::Deref for $core {
            type Target = Kernel;

            fn deref(&self) -> &Kernel {
                &self.kernel
            }
        }
    };
}

pub(crate) use on_kernel;

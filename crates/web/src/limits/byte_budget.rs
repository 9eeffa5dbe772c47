//! Limits the bytes that requests or responses hold in memory, per tenant and in total.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use steward_domain::kernel::lock;
use steward_domain::kernel::work::Tenant;

/// Maximum number of bytes of one tenant. It is also limited by the remaining capacity of the budget, so that other
/// tenants still get a share when the budget is nearly exhausted.
pub const MAX_BYTES_PER_TENANT: usize = 32 * 1024 * 1024;
/// Maximum number of bytes of all tenants together.
pub const MAX_BYTES: usize = 96 * 1024 * 1024;

/// Counts the bytes that are held in memory. Clones share the counts.
#[derive(Clone, Default)]
pub struct ByteBudget(Arc<Mutex<Reserved>>);

#[derive(Default)]
struct Reserved {
    total: usize,
    by_tenant: HashMap<Tenant, usize>,
}

/// The limit that a reservation would exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exhausted {
    /// The limit of one tenant.
    Tenant,
    /// The tenant's share of what the other tenants leave.
    Share,
}

impl ByteBudget {
    /// Reserves bytes for a tenant until the reservation is dropped.
    pub fn reserve(&self, tenant: Tenant, bytes: usize) -> Result<Reservation, Exhausted> {
        let mut reservation = Reservation { budget: self.clone(), tenant, bytes: 0 };
        reservation.grow(bytes)?;
        Ok(reservation)
    }

    /// Returns the number of reserved bytes.
    pub fn total(&self) -> usize {
        lock(&self.0).total
    }
}

/// Bytes that are reserved until the reservation is dropped.
pub struct Reservation {
    budget: ByteBudget,
    tenant: Tenant,
    bytes: usize,
}

impl Reservation {
    /// Reserves further bytes. If that fails, the reservation is unchanged.
    pub fn grow(&mut self, bytes: usize) -> Result<(), Exhausted> {
        let mut reserved = lock(&self.budget.0);
        let of_tenant = reserved.by_tenant.get(&self.tenant).copied().unwrap_or_default().saturating_add(bytes);
        if of_tenant > MAX_BYTES_PER_TENANT {
            return Err(Exhausted::Tenant);
        }
        if of_tenant > MAX_BYTES.saturating_sub(reserved.total) {
            return Err(Exhausted::Share);
        }
        reserved.total = reserved.total.saturating_add(bytes);
        reserved.by_tenant.insert(self.tenant, of_tenant);
        self.bytes = self.bytes.saturating_add(bytes);
        Ok(())
    }
}

/// Bytes that are counted as they come, and reserved once they are more than a few.
pub struct Tally {
    budget: ByteBudget,
    tenant: Tenant,
    bytes: usize,
    uncounted: usize,
    reservation: Option<Reservation>,
    is_exhausted: bool,
}

impl Tally {
    /// Counts for a tenant. At most `uncounted` bytes are not reserved.
    pub fn new(budget: ByteBudget, tenant: Tenant, uncounted: usize) -> Self {
        Self { budget, tenant, bytes: 0, uncounted, reservation: None, is_exhausted: false }
    }

    /// Counts for a tenant. The first bytes are reserved now.
    pub fn reserved(budget: ByteBudget, tenant: Tenant, first: usize) -> Result<Self, Exhausted> {
        let reservation = Some(budget.reserve(tenant, first)?);
        Ok(Self { reservation, ..Self::new(budget, tenant, first) })
    }

    /// Counts bytes that arrived, or that are copied.
    pub fn count(&mut self, bytes: usize) -> Result<(), Exhausted> {
        self.bytes = self.bytes.saturating_add(bytes);
        let counted = match &mut self.reservation {
            _ if self.bytes <= self.uncounted => Ok(()),
            Some(reservation) => reservation.grow(bytes),
            None => self.budget.reserve(self.tenant, self.bytes).map(|new| self.reservation = Some(new)),
        };
        counted.inspect_err(|_| self.is_exhausted = true)
    }

    /// Counts for another tenant from now on. Nothing is reserved any more.
    pub fn restart(&mut self, tenant: Tenant, uncounted: usize) {
        *self = Self::new(self.budget.clone(), tenant, uncounted);
    }

    /// Counts from zero again. The reservation stays, or is released.
    pub fn release(&mut self, is_kept: bool) {
        self.bytes = 0;
        if !is_kept {
            self.reservation = None;
        }
    }

    /// Returns the number of bytes that were counted.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns whether bytes could not be reserved.
    pub fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut reserved = lock(&self.budget.0);
        reserved.total = reserved.total.saturating_sub(self.bytes);
        let of_tenant = reserved.by_tenant.get(&self.tenant).copied().unwrap_or_default();
        match of_tenant.saturating_sub(self.bytes) {
            0 => reserved.by_tenant.remove(&self.tenant),
            rest => reserved.by_tenant.insert(self.tenant, rest),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(last: u8) -> Tenant {
        Tenant::at_address([192, 0, 2, last].into())
    }

    #[test]
    fn bytes_are_limited_per_tenant_until_they_are_released() {
        let budget = ByteBudget::default();
        let mut first = budget.reserve(tenant(1), MAX_BYTES_PER_TENANT - 1).ok().unwrap();
        let second = budget.reserve(tenant(2), MAX_BYTES_PER_TENANT).ok().unwrap();
        assert_eq!(budget.reserve(tenant(1), 2).err(), Some(Exhausted::Tenant));
        first.grow(1).unwrap();
        assert_eq!(first.grow(1), Err(Exhausted::Tenant));
        assert_eq!(budget.total(), 2 * MAX_BYTES_PER_TENANT);
        drop(first);
        assert!(budget.reserve(tenant(1), MAX_BYTES_PER_TENANT).is_ok());
        drop(second);
        drop(budget.reserve(tenant(3), 0));
        let reserved = lock(&budget.0);
        assert_eq!((reserved.total, reserved.by_tenant.len()), (0, 0));
    }

    #[test]
    fn tenants_with_many_bytes_leave_a_share_for_a_new_tenant() {
        const MIB: usize = 1024 * 1024;
        let budget = ByteBudget::default();
        let mut reservations = Vec::new();
        for last in 1..=4 {
            let error = loop {
                match budget.reserve(tenant(last), MIB) {
                    Ok(reservation) => reservations.push(reservation),
                    Err(error) => break error,
                }
            };
            assert_eq!(error, if last <= 2 { Exhausted::Tenant } else { Exhausted::Share });
        }
        assert!(budget.reserve(tenant(5), 4 * MIB).is_ok());
        assert!(budget.total() < MAX_BYTES);
    }
}

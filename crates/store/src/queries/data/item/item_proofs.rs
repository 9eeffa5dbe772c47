//! What the writes of a change rely on, proven once for all items of a user.

use steward_domain::kernel::{AccessBasis, ProjectId, ProjectUserId};

use super::{Conn, Layout, prove};
use crate::dialect::Proof;
use crate::error::JobError;

/// The proofs of a change, one for each user whose items follow each other.
pub(crate) struct Proofs<'a> {
    layout: Layout,
    basis: &'a AccessBasis,
    last: Option<((ProjectId, ProjectUserId), Proof)>,
}

impl<'a> Proofs<'a> {
    pub(crate) fn new(layout: Layout, basis: &'a AccessBasis) -> Self {
        Self { layout, basis, last: None }
    }

    /// Returns the proof for writes of the user's items.
    pub(crate) fn of(&mut self, conn: &mut Conn, owner: (ProjectId, ProjectUserId)) -> Result<Proof, JobError> {
        match self.last {
            Some((last, proof)) if last == owner => Ok(proof),
            _ => {
                let proof = prove(conn, self.layout, owner, self.basis)?;
                self.last = Some((owner, proof));
                Ok(proof)
            }
        }
    }
}

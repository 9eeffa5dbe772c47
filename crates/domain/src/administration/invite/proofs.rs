//! Proofs in the emailed links of invites. A person who opens such a link reads the mail of the address, so that it
//! counts as confirmed. The link that the inviter sees has no proof: otherwise the inviter could confirm the address of
//! a stranger.

use crate::administration::{AdministrationCore, Invite, InviteWithTeam};
use crate::identity::{Account, Email};
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::{InviteId, OpaqueKind, Secret, Time, TokenDigest, use_cases};

/// An invite as shown to the person who opened its emailed link, who may not be signed in.
#[derive(Debug, Clone)]
pub struct InviteOffer {
    /// The invite and its team.
    pub found: InviteWithTeam,
    /// The invited address.
    pub email: Email,
    /// The account of the person who invited.
    pub inviter: Account,
    /// Whether the address has an account.
    pub has_account: bool,
}

use_cases! {
    /// Issues and checks proofs.
    #[derive(Clone)]
    pub struct InviteProofs { core: AdministrationCore }
}

impl InviteProofs {
    /// Returns a new proof for an invite, and its digest.
    pub(crate) fn issue(&self, id: InviteId) -> (Secret, TokenDigest) {
        let proof = OpaqueKind::EmailLink.from_entropy(&self.core.system.secrets.entropy());
        let digest = self.digest(id, &proof);
        (proof, digest)
    }

    /// Returns an open invite with this proof, the address that it proves, and the digest.
    pub(crate) async fn find(
        &self,
        id: InviteId,
        proof: &str,
        now: Time,
    ) -> Result<(Invite, Email, TokenDigest), Error> {
        let not_found = || Error::NotFound(ResourceKind::Invite);
        let proof = OpaqueKind::EmailLink.parse(proof).ok_or_else(not_found)?;
        let digest = self.digest(id, &proof);
        let invite = self.core.ports.invites.invite(id).await?.ok_or_else(not_found)?;
        let email = invite.proven_email(&digest, now).cloned().ok_or_else(not_found)?;
        Ok((invite, email, digest))
    }

    /// The digest includes the invite, so that the proof works for no other one.
    fn digest(&self, id: InviteId, proof: &Secret) -> TokenDigest {
        TokenDigest(self.core.system.vault.sha256(&format!("{id} {}", proof.expose())))
    }
}

//! Proofs in the emailed links of invites. A person who opens such a link reads the mail of the address, so that it
//! counts as confirmed. The link that the inviter sees has no proof: otherwise the inviter could confirm the address of
//! a stranger. Without a mail server, that link has a secret with which any one account joins, and which proves nothing.

use crate::administration::{AdministrationCore, Invite, InviteWithTeam, Recipient};
use crate::identity::{Account, Email};
use crate::kernel::error::{Error, ResourceKind};
use crate::kernel::{InviteId, OpaqueKind, Secret, Time, TokenDigest, use_cases};

/// The purpose for which the secrets of links are encrypted that inviters pass on.
const LINK_PURPOSE: &str = "link of an invite";

/// An invite as shown to the person who opened its link with a proof or secret, who may not be signed in.
#[derive(Debug, Clone)]
pub struct InviteOffer {
    /// The invite and its team.
    pub found: InviteWithTeam,
    /// The invited address, which the link proves. `None` if the link has the secret of one that the inviter passed on.
    pub email: Option<Email>,
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

    /// Returns the secret of the link with which any one account joins; `None` for an invite that needs no such
    /// link: the recipient gets an email, or has a username. Nothing is stored, and each call returns another text.
    pub(crate) fn link_secret(&self, invite: &Invite) -> Option<String> {
        let content = self.link_content(invite)?;
        self.core.encrypt_for_browser(LINK_PURPOSE, content.as_bytes()).ok()
    }

    /// Returns whether this is a secret of the invite since it was last renewed.
    pub(crate) fn opens(&self, invite: &Invite, secret: &str) -> bool {
        let Some(content) = self.link_content(invite) else { return false };
        self.core.decrypt_from_browser(LINK_PURPOSE, secret).is_some_and(|plain| *plain == content.as_bytes())
    }

    fn link_content(&self, invite: &Invite) -> Option<String> {
        let is_by_link = !self.core.ports.mailer.is_configured() && matches!(invite.recipient, Recipient::Email(_));
        is_by_link.then(|| format!("{} {}", invite.id, invite.created_at.timestamp_micros()))
    }

    /// The digest includes the invite, so that the proof works for no other one.
    fn digest(&self, id: InviteId, proof: &Secret) -> TokenDigest {
        TokenDigest(self.core.system.vault.sha256(&format!("{id} {}", proof.expose())))
    }
}

//! What ends with an authority: the table of what carries authority or hands it on, and what happens to it when
//! something happens to the person whose authority it is.

use crate::kernel::named;

named! {
    /// Something that happens to a person, or to their authority.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AuthorityEvent: "the event as the documentation names it" {
        /// Someone who is not signed in to the account confirms its address for the first time: until then, it may have
        /// been that of a stranger.
        Confirmation = "first confirmation by someone else",
        /// The password is set or removed.
        NewPassword = "new password",
        /// An operator signs the account out everywhere.
        SignOut = "signed out everywhere",
        /// The person is removed from the team, or leaves it.
        Removal = "removed from the team",
        /// The person loses the permissions that the thing needs.
        Demotion = "demoted",
        /// An operator disables the account.
        Disabling = "disabled",
        /// The account is deleted.
        Deletion = "deleted",
        /// The second factors and passkeys of the account are removed.
        FactorRemoval = "factors removed",
        /// The team, the project or the service begins to require a second factor, and the person has none.
        FactorRule = "second factor required",
    }
}

named! {
    /// What an event does to a thing.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AuthorityEffect: "the effect as the documentation names it" {
        /// It goes on.
        Stays = "stays",
        /// It ends with the commit of the event, for good.
        Ends = "ends",
        /// It is refused until the reason passes: the account is enabled again, or the person uses a second factor.
        Refused = "refused",
        /// It is paused until a member who may resumes it.
        Paused = "paused",
        /// It goes on, because it belongs to the project. The response lists it, and ends it in the same commit if
        /// asked to.
        Listed = "listed",
        /// The person who confirms the address chooses whether it goes on or ends. There is no default.
        Chosen = "chosen",
    }
}

macro_rules! authorities {
    ($($variant:ident $name:literal $($effect:ident)+;)+) => {
        named! {
            /// Something that carries authority of a person, or hands it on.
            #[derive(Debug, Clone, Copy, PartialEq, Eq)]
            #[expect(missing_docs, reason = "the names in the table describe them")]
            pub enum AuthorityKind: "the thing as the documentation names it" { $($variant = $name),+ }
        }

        impl AuthorityKind {
            /// Returns the effects of the events, in the order of [`AuthorityEvent::ALL`].
            pub const fn effects(self) -> [AuthorityEffect; AuthorityEvent::ALL.len()] {
                match self { $(Self::$variant => [$(AuthorityEffect::$effect),+]),+ }
            }
        }
    };
}

authorities! {
    // What a person signs in with.   Confirmation NewPassword SignOut Removal Demotion Disabling Deletion FactorRemoval FactorRule
    Session "browser session"         Ends         Ends        Ends    Stays   Stays    Refused   Ends     Stays         Refused;
    SignInTokens "access and refresh tokens of a sign-in"
                                      Ends         Ends        Ends    Stays   Stays    Refused   Ends     Stays         Refused;
    PersonalToken "personal access token"
                                      Ends         Ends        Ends    Ends    Ends     Refused   Ends     Stays         Refused;
    KnownBrowser "known browser"      Ends         Ends        Ends    Stays   Stays    Stays     Ends     Stays         Stays;
    PendingLink "pending code or link in an email"
                                      Ends         Ends        Ends    Stays   Stays    Refused   Ends     Stays         Stays;
    DeviceRequest "device that the person let in"
                                      Ends         Ends        Ends    Stays   Stays    Refused   Ends     Stays         Refused;
    Passkey "passkey"                 Ends         Stays       Stays   Stays   Stays    Refused   Ends     Ends          Stays;
    OneTimeCode "authenticator app"   Ends         Stays       Stays   Stays   Stays    Refused   Ends     Ends          Stays;
    RecoveryCodes "recovery codes"    Ends         Stays       Stays   Stays   Stays    Refused   Ends     Ends          Stays;
    LinkedIdentity "linked identity"  Ends         Stays       Stays   Stays   Stays    Refused   Ends     Ends          Refused;

    // What a person gave to others, or started.
    Grant "grant to a project"        Ends         Stays       Stays   Stays   Stays    Refused   Ends     Stays         Refused;
    ProjectUser "connection to a project"
                                      Ends         Stays       Stays   Stays   Stays    Stays     Ends     Stays         Stays;
    Invite "invite and its proof"     Ends         Stays       Stays   Ends    Ends     Ends      Ends     Stays         Stays;
    ItemImport "import that runs"     Ends         Ends        Ends    Ends    Ends     Ends      Ends     Stays         Ends;

    // What belongs to a team or a project.
    Membership "membership"           Chosen       Stays       Stays   Ends    Stays    Refused   Ends     Stays         Refused;
    Team "team of the person, with its projects"
                                      Chosen       Stays       Stays   Stays   Stays    Stays     Stays    Stays         Stays;
    ApiKey "API key"                  Chosen       Stays       Stays   Listed  Listed   Stays     Stays    Stays         Stays;
    Client "client with its secrets and keys"
                                      Chosen       Stays       Stays   Listed  Listed   Stays     Stays    Stays         Stays;
    RegisteredClient "client that registered itself"
                                      Stays        Stays       Stays   Stays   Stays    Stays     Stays    Stays         Stays;
    IdentityProvider "identity provider of a project"
                                      Chosen       Stays       Stays   Listed  Listed   Stays     Stays    Stays         Stays;
    Webhook "webhook"                 Chosen       Stays       Stays   Paused  Paused   Paused    Paused   Stays         Stays;
    SchemaDraft "schema draft"        Stays        Stays       Stays   Ends    Stays    Stays     Ends     Stays         Stays;
}

impl AuthorityKind {
    /// Returns what an event does to the thing.
    pub fn effect_of(self, event: AuthorityEvent) -> AuthorityEffect {
        let mut columns = AuthorityEvent::ALL.into_iter().zip(self.effects());
        columns.find(|(one, _)| *one == event).map_or(AuthorityEffect::Stays, |(_, effect)| effect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_outlives_a_deleted_account_but_what_belongs_to_a_team() {
        for kind in AuthorityKind::ALL {
            let is_of_team = !matches!(kind.effect_of(AuthorityEvent::Deletion), AuthorityEffect::Ends);
            let survives_removal = !matches!(kind.effect_of(AuthorityEvent::Removal), AuthorityEffect::Ends);
            assert!(!is_of_team || survives_removal, "{}", kind.as_str());
        }
    }
}

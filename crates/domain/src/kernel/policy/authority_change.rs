//! Confirmation with the password, and with a code if the account has a second factor: changes that widen authority
//! require that the person entered them recently, so that a session that someone left open or stole does not become
//! lasting access (RFC 9470).

use chrono::TimeDelta;

use crate::administration::{EventSelection, Team, Webhook};
use crate::identity::{AssuranceLevel, AuthenticationMethods, SignInSettings};
use crate::kernel::Time;
use crate::kernel::error::AuthenticationError;

use super::{Confirmation, KeyRoles, Operation, Permission, RoleSet};

/// How long after the person entered the password no confirmation is required.
pub const CONFIRMATION_TTL: TimeDelta = TimeDelta::minutes(15);

/// Permissions that give authority to others: through members, invites and keys.
const DELEGATING: [Permission; 3] = [Permission::MemberWrite, Permission::InviteWrite, Permission::KeyWrite];

/// A change by an operation that requires a confirmation only if the change widens authority.
#[derive(Debug, Clone, Copy)]
pub enum AuthorityChange<'a> {
    /// The roles of a key.
    Key {
        /// The roles that the key has.
        before: &'a KeyRoles,
        /// The roles that it gets.
        after: &'a KeyRoles,
    },
    /// The roles of a person in a team.
    Member {
        /// The roles that the person has; `None` for an invite.
        before: Option<&'a RoleSet>,
        /// The roles that the person gets; `None` if they are removed.
        after: Option<&'a RoleSet>,
    },
    /// The sign-in settings of a project.
    Settings {
        /// The current settings.
        before: &'a SignInSettings,
        /// The new settings.
        after: &'a SignInSettings,
    },
    /// A team.
    Team {
        /// The current team.
        before: &'a Team,
        /// The changed team.
        after: &'a Team,
    },
    /// A webhook.
    Webhook {
        /// The current webhook.
        before: &'a Webhook,
        /// The changed webhook.
        after: &'a Webhook,
    },
    /// The end of a session of the own account.
    Session {
        /// Whether it is the session that ends it.
        is_current: bool,
    },
}

impl AuthorityChange<'_> {
    /// Returns whether the change gives someone more authority, or takes away that of owners and of other sessions. One
    /// that only restricts needs no confirmation.
    pub fn widens(self) -> bool {
        match self {
            Self::Key { before, after } => !after.permissions().missing_from(before.permissions()).is_empty(),
            Self::Member { before, after } => {
                let has = |roles: Option<&RoleSet>, one| roles.is_some_and(|roles| roles.permissions().has(one));
                let is_owner = |roles: Option<&RoleSet>| roles.is_some_and(RoleSet::is_owner);
                is_owner(before) != is_owner(after)
                    || DELEGATING.into_iter().any(|one| has(after, one) && !has(before, one))
            }
            Self::Settings { before, after } => widens_settings(before, after),
            Self::Team { before, after } => is_later(before.second_factor_from, after.second_factor_from),
            Self::Webhook { before, after } => before.url != after.url || selects_more(&before.events, &after.events),
            Self::Session { is_current } => !is_current,
        }
    }
}

fn widens_settings(before: &SignInSettings, after: &SignInSettings) -> bool {
    let adds_logout_uri =
        after.backchannel_logout_uri.is_some() && after.backchannel_logout_uri != before.backchannel_logout_uri;
    after.redirect_uris.iter().any(|uri| !before.allow(uri))
        || after.post_logout_redirect_uris.iter().any(|uri| !before.allow_after_logout(uri))
        || adds_logout_uri
        || before.require_pkce && !after.require_pkce
        || !before.legacy_scopes && after.legacy_scopes
        || !before.email_codes && after.email_codes
        || is_later(before.second_factor_from, after.second_factor_from)
}

/// Returns whether a second factor is required later than before, or not at all.
fn is_later(before: Option<Time>, after: Option<Time>) -> bool {
    before.is_some_and(|before| after.is_none_or(|after| after > before))
}

fn selects_more(before: &EventSelection, after: &EventSelection) -> bool {
    match (before, after) {
        (EventSelection::All, _) => false,
        (EventSelection::Names(_), EventSelection::All) => true,
        (EventSelection::Names(before), EventSelection::Names(after)) => {
            after.iter().any(|name| !before.contains(name))
        }
    }
}

/// The sign-in with which a person makes a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastSignIn {
    /// When the person signed in.
    at: Time,
    /// Whether the person used a single factor.
    has_one_factor: bool,
    /// Whether the person did not use the second factor that the account has now.
    lacks_second_factor: bool,
    /// Whether the person proved themselves only to another provider, which may not have asked for anything.
    is_elsewhere: bool,
}

impl LastSignIn {
    /// Returns a sign-in with these methods. `has_second_factor`: whether the account has one now.
    pub fn new(at: Time, methods: &AuthenticationMethods, has_second_factor: bool) -> Self {
        let has_one_factor = methods.level() == AssuranceLevel::OneFactor;
        Self {
            at,
            has_one_factor,
            lacks_second_factor: has_second_factor && has_one_factor,
            is_elsewhere: has_one_factor && methods.contain_provider(),
        }
    }

    /// Returns whether the person did not use the second factor that the account has now, because it was set up later.
    pub fn lacks_second_factor(self) -> bool {
        self.lacks_second_factor
    }

    /// Returns why the sign-in does not suffice where a second factor is required; `None` if it does.
    pub fn missing_factor(self) -> Option<AuthenticationError> {
        match (self.has_one_factor, self.lacks_second_factor) {
            (false, _) => None,
            (true, true) => Some(AuthenticationError::SecondFactorUnused),
            (true, false) => Some(AuthenticationError::SecondFactorMissing),
        }
    }

    /// Returns whether the person proved themselves only to another provider.
    pub fn is_elsewhere(self) -> bool {
        self.is_elsewhere
    }

    /// Returns whether the person has to enter the password again, with a code if the account has a second factor.
    pub fn must_confirm(self, now: Time) -> bool {
        self.lacks_second_factor || self.is_elsewhere || now - self.at >= CONFIRMATION_TTL
    }
}

impl Operation {
    /// Refuses the operation to a person who has to confirm it and did not. `change`: the change that it makes, if that
    /// is decided already.
    pub(crate) fn check_confirmed(
        self,
        must_confirm: bool,
        change: Option<AuthorityChange<'_>>,
    ) -> Result<(), AuthenticationError> {
        let asks = match (self.rule().confirmation, change) {
            (Confirmation::Always, _) => true,
            (Confirmation::IfWidening, Some(change)) => change.widens(),
            (Confirmation::IfWidening, None) | (Confirmation::Never, _) => false,
        };
        if asks && must_confirm { Err(AuthenticationError::ConfirmationRequired) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::WebhookUrl;
    use crate::identity::{AuthenticationMethod, RedirectUri};
    use crate::mocks::{a_team, a_webhook, id_of, instant};

    #[test]
    fn more_permissions_widen_a_key_and_fewer_do_not() {
        let widens = |before, after| {
            let of = |text| KeyRoles::parse(text).unwrap();
            AuthorityChange::Key { before: &of(before), after: &of(after) }.widens()
        };
        for (before, after) in [("db:read", "db:write"), ("read", "read,audit:read"), ("write", "admin")] {
            assert!(widens(before, after) && !widens(after, before), "{before} to {after}");
        }
        assert!(!widens("read", "read") && !widens("write", "db:write,schema:read"));
    }

    #[test]
    fn roles_that_give_authority_to_others_and_changes_of_owners_widen_a_team() {
        let widens = |before: &str, after: &str| {
            let of = |text| RoleSet::parse(text).ok();
            AuthorityChange::Member { before: of(before).as_ref(), after: of(after).as_ref() }.widens()
        };
        for (before, after) in [
            ("", "owner"),
            ("", "admin"),
            ("", "developer"),
            ("", "viewer,invite:write"),
            ("viewer", "key:write"),
            ("developer", "admin"),
            ("admin", "owner"),
            ("owner", "admin"),
            ("owner", ""),
        ] {
            assert!(widens(before, after), "{before:?} to {after:?}");
        }
        for (before, after) in [
            ("", "viewer"),
            ("", "viewer,db:write"),
            ("viewer", "viewer,webhook:write"),
            ("admin", "developer"),
            ("admin", "viewer,member:write"),
            ("admin", ""),
            ("owner", "owner,admin"),
        ] {
            assert!(!widens(before, after), "{before:?} to {after:?}");
        }
    }

    #[test]
    fn a_second_factor_that_is_required_later_widens() {
        let (early, late) = (Some(instant()), Some(instant() + TimeDelta::days(1)));
        let rules = [None, early, late];
        for (before, after) in rules.into_iter().flat_map(|before| rules.map(|after| (before, after))) {
            let is_later = matches!((before, after), (Some(_), None)) || (before, after) == (early, late);
            let team = |second_factor_from| Team { second_factor_from, ..a_team("acme") };
            let change = AuthorityChange::Team { before: &team(before), after: &team(after) };
            assert_eq!(change.widens(), is_later, "{before:?} to {after:?}");
            let settings = |second_factor_from| SignInSettings { second_factor_from, ..SignInSettings::default() };
            let change = AuthorityChange::Settings { before: &settings(before), after: &settings(after) };
            assert_eq!(change.widens(), is_later, "{before:?} to {after:?}");
        }
    }

    #[test]
    fn new_addresses_and_settings_for_older_programs_widen_sign_in() {
        let uris = |texts: &[&str]| texts.iter().map(|text| RedirectUri::parse(text).unwrap()).collect::<Vec<_>>();
        let logout = |text: &str| WebhookUrl::parse(text, false).ok();
        let two = uris(&["https://one.example/", "https://two.example/"]);
        let before = SignInSettings {
            redirect_uris: two.clone(),
            post_logout_redirect_uris: two.clone(),
            backchannel_logout_uri: logout("https://one.example/logout"),
            ..SignInSettings::default()
        };
        let widens = |after: SignInSettings| AuthorityChange::Settings { before: &before, after: &after }.widens();
        let three = uris(&["https://one.example/", "https://three.example/"]);
        for after in [
            SignInSettings { redirect_uris: three.clone(), ..before.clone() },
            SignInSettings { post_logout_redirect_uris: three, ..before.clone() },
            SignInSettings { backchannel_logout_uri: logout("https://two.example/logout"), ..before.clone() },
            SignInSettings { require_pkce: false, ..before.clone() },
            SignInSettings { legacy_scopes: true, ..before.clone() },
        ] {
            assert!(widens(after.clone()), "{after:?}");
        }
        let one = uris(&["https://one.example/"]);
        for after in [
            before.clone(),
            SignInSettings { redirect_uris: one.clone(), ..before.clone() },
            SignInSettings { post_logout_redirect_uris: one, ..before.clone() },
            SignInSettings { backchannel_logout_uri: None, ..before.clone() },
        ] {
            assert!(!widens(after.clone()), "{after:?}");
        }
        let strict = SignInSettings { email_codes: false, ..before.clone() };
        assert!(AuthorityChange::Settings { before: &strict, after: &before }.widens());
        let weak = SignInSettings { require_pkce: false, legacy_scopes: true, ..before.clone() };
        assert!(!AuthorityChange::Settings { before: &weak, after: &before }.widens());
    }

    #[test]
    fn another_address_and_more_events_widen_a_webhook() {
        let names = |names: &[&str]| EventSelection::Names(names.iter().map(|name| (*name).to_owned()).collect());
        let events = names(&["item.created", "item.updated"]);
        let before = Webhook { events, ..a_webhook(id_of("acme").into(), None) };
        let widens = |after: Webhook| AuthorityChange::Webhook { before: &before, after: &after }.widens();
        let url = WebhookUrl::parse("https://elsewhere.example/", false).unwrap();
        assert!(widens(Webhook { url, ..before.clone() }));
        assert!(widens(Webhook { events: EventSelection::All, ..before.clone() }));
        assert!(widens(Webhook { events: names(&["item.created", "item.deleted"]), ..before.clone() }));
        assert!(!widens(Webhook { events: names(&["item.created"]), ..before.clone() }) && !widens(before.clone()));
    }

    #[test]
    fn a_sign_in_is_sufficient_while_it_is_recent_and_includes_all_factors_of_the_account() {
        let password = AuthenticationMethods::from(AuthenticationMethod::Password);
        let both = password.clone().and(AuthenticationMethod::OneTimeCode);
        let elsewhere = AuthenticationMethods::from(AuthenticationMethod::IdentityProvider);
        let with_code = elsewhere.clone().and(AuthenticationMethod::OneTimeCode);
        let recent = CONFIRMATION_TTL - TimeDelta::seconds(1);
        for (methods, has_second_factor, age, is_sufficient) in [
            (&password, false, recent, true),
            (&password, false, CONFIRMATION_TTL, false),
            (&password, true, TimeDelta::zero(), false),
            (&both, true, recent, true),
            (&both, true, CONFIRMATION_TTL, false),
            (&both, false, recent, true),
            (&elsewhere, false, TimeDelta::zero(), false),
            (&with_code, true, recent, true),
        ] {
            let sign_in = LastSignIn::new(instant(), methods, has_second_factor);
            assert_eq!(!sign_in.must_confirm(instant() + age), is_sufficient, "{sign_in:?}, {age}");
        }
    }

    #[test]
    fn the_table_decides_who_is_asked() {
        let other = Some(AuthorityChange::Session { is_current: false });
        for rule in Operation::RULES {
            let refused = |must_confirm, change| rule.operation.check_confirmed(must_confirm, change).is_err();
            assert_eq!(refused(true, None), rule.confirmation == Confirmation::Always, "{}", rule.name);
            assert_eq!(refused(true, other), rule.confirmation != Confirmation::Never, "{}", rule.name);
            assert!(!refused(false, other), "{}", rule.name);
            assert!(!refused(true, Some(AuthorityChange::Session { is_current: true })) || refused(true, None));
        }
    }
}

//! The policy that determines who may sign up.

use crate::identity::{Account, Email};
use crate::kernel::error::Forbidden;
use crate::kernel::text::domain_name::with_letters;
use crate::kernel::{InvalidValue, as_text, named};

named! {
    /// How people can get an account.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum SignUpMode: "the name used in the setting" {
        /// Anyone may sign up.
        #[default]
        Open = "open",
        /// Only people with a pending invite to their email address may sign up.
        Invite = "invite",
        /// Nobody may sign up. The operator creates accounts.
        Closed = "closed",
    }
}

/// The part of an email address after the `@`, in lowercase and with A-labels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailDomain(String);

as_text!(EmailDomain);

impl EmailDomain {
    /// Trims and validates the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let domain = Email::parse(&format!("x@{}", text.trim())).map(|email| email.domain());
        let domain = domain.ok().filter(|domain| domain.contains('.'));
        domain.map(Self).ok_or(InvalidValue("must be a domain, like example.com"))
    }

    /// Returns whether the address has this domain. Subdomains are other domains.
    pub fn contains(&self, email: &Email) -> bool {
        self.0 == email.domain()
    }

    /// Returns the domain as people read it, with the letters of its A-labels.
    pub fn shown(&self) -> String {
        with_letters(&self.0).unwrap_or_else(|| self.0.clone())
    }
}

/// The policy for sign-ups. It does not apply to accounts that the operator creates.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SignUpPolicy {
    /// How people can get an account.
    pub mode: SignUpMode,
    /// The allowed email domains, without their subdomains. If empty, every domain is allowed.
    pub domains: Vec<EmailDomain>,
}

impl SignUpPolicy {
    /// Checks that the address may sign up. The allowed domains apply to invited addresses too.
    pub fn admits(&self, email: &Email, is_invited: bool) -> Result<(), Forbidden> {
        if self.mode == SignUpMode::Closed {
            return Err(Forbidden::SignUpClosed);
        }
        self.allows_domain(email)?;
        let is_uninvited = self.mode == SignUpMode::Invite && !is_invited;
        if is_uninvited { Err(Forbidden::SignUpByInvite) } else { Ok(()) }
    }

    /// Whether an account can do nothing until its address is confirmed, because the address decides who may have one.
    pub fn requires_confirmed_email(&self) -> bool {
        self.mode == SignUpMode::Invite || !self.domains.is_empty()
    }

    /// Checks that an account may change its address to this one. An invite to the present address does not open the
    /// service to another one.
    pub fn allows_change(&self, account: &Account, email: &Email) -> Result<(), Forbidden> {
        if self.mode == SignUpMode::Invite && !account.counts_as_confirmed() {
            return Err(Forbidden::UnconfirmedEmail);
        }
        self.allows_domain(email)
    }

    /// Checks that an account may use the address, which has one of the allowed domains.
    pub fn allows_domain(&self, email: &Email) -> Result<(), Forbidden> {
        if self.domains.is_empty() || self.domains.iter().any(|domain| domain.contains(email)) {
            return Ok(());
        }
        let domains = self.domains.iter().map(EmailDomain::shown).collect::<Vec<_>>().join(", ");
        Err(Forbidden::SignUpDomain(domains))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocks::an_account;

    fn admits(mode: SignUpMode, domains: &[&str], email: &str, is_invited: bool) -> Result<(), Forbidden> {
        let domains = domains.iter().map(|domain| EmailDomain::parse(domain).unwrap()).collect();
        SignUpPolicy { mode, domains }.admits(&Email::parse(email).unwrap(), is_invited)
    }

    #[test]
    fn each_mode_admits_only_the_people_it_allows() {
        assert_eq!(admits(SignUpMode::Open, &[], "a@b.example", false), Ok(()));
        assert_eq!(admits(SignUpMode::Invite, &[], "a@b.example", false), Err(Forbidden::SignUpByInvite));
        assert_eq!(admits(SignUpMode::Invite, &[], "a@b.example", true), Ok(()));
        assert_eq!(admits(SignUpMode::Closed, &["b.example"], "a@b.example", true), Err(Forbidden::SignUpClosed));
    }

    #[test]
    fn the_address_is_confirmed_first_where_it_decides_who_may_have_an_account() {
        let domain = EmailDomain::parse("b.example").unwrap();
        let unconfirmed = Account { email_verified: false, ..an_account("ann") };
        for (mode, domains, is_required) in [
            (SignUpMode::Open, vec![], false),
            (SignUpMode::Closed, vec![], false),
            (SignUpMode::Invite, vec![], true),
            (SignUpMode::Open, vec![domain.clone()], true),
            (SignUpMode::Closed, vec![domain], true),
        ] {
            let policy = SignUpPolicy { mode, domains };
            assert_eq!(policy.requires_confirmed_email(), is_required, "{policy:?}");
            let other = Email::parse("x@b.example").unwrap();
            assert_eq!(policy.allows_change(&unconfirmed, &other).is_err(), mode == SignUpMode::Invite);
            assert_eq!(policy.allows_change(&an_account("ann"), &other), Ok(()));
            let operator = Account { is_operator: true, ..unconfirmed.clone() };
            assert_eq!(policy.allows_change(&operator, &other), Ok(()));
        }
    }

    #[test]
    fn only_the_exact_domains_are_admitted_even_with_an_invite() {
        let domains = ["Acme.example", "other.example"];
        assert_eq!(admits(SignUpMode::Open, &domains, "a@ACME.example", false), Ok(()));
        for other in ["a@sub.acme.example", "a@evilacme.example", "a@acme.example.evil.example"] {
            let rejection = Forbidden::SignUpDomain("acme.example, other.example".to_owned());
            assert_eq!(admits(SignUpMode::Invite, &domains, other, true), Err(rejection), "{other}");
        }
        assert_eq!(admits(SignUpMode::Open, &["Müller.de"], "a@XN--mller-kva.de", false), Ok(()));
        assert_eq!(admits(SignUpMode::Open, &["xn--mller-kva.de"], "a@mu\u{308}ller.de", false), Ok(()));
        let rejection = Err(Forbidden::SignUpDomain("müller.de".to_owned()));
        assert_eq!(admits(SignUpMode::Open, &["müller.de"], "a@muller.de", false), rejection);
        for invalid in ["", "example", "a@b.example", "-a.example", "*.example"] {
            assert!(EmailDomain::parse(invalid).is_err(), "{invalid}");
        }
    }
}

//! Who may make an account of their own.

use crate::error::Forbidden;

use super::{Email, InvalidValue};

/// How people come to an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignUpMode {
    /// Anybody may sign up.
    Open,
    /// Only who has a pending invite addressed to their email.
    Invite,
    /// Nobody: the operator creates accounts.
    Closed,
}

impl SignUpMode {
    /// All of them, the default first.
    pub const ALL: [Self; 3] = [Self::Open, Self::Invite, Self::Closed];

    /// How the setting spells it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Invite => "invite",
            Self::Closed => "closed",
        }
    }

    /// Reads the setting.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == text)
    }
}

/// The part of an email address after the `@`, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailDomain(String);

impl EmailDomain {
    /// Trims and checks the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let domain = text.trim().to_ascii_lowercase();
        let fits = domain.contains('.') && Email::parse(&format!("x@{domain}")).is_ok();
        if fits { Ok(Self(domain)) } else { Err(InvalidValue("must be a domain, like example.com")) }
    }
}

/// Who may sign up. What the operator creates is not held to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignUpPolicy {
    /// How people come to an account.
    pub mode: SignUpMode,
    /// Only addresses of these domains, and not of their subdomains. Empty: of any.
    pub domains: Vec<EmailDomain>,
}

impl Default for SignUpPolicy {
    fn default() -> Self {
        Self { mode: SignUpMode::Open, domains: Vec::new() }
    }
}

impl SignUpPolicy {
    /// Whether the address may sign up. The domains hold for invited addresses too.
    pub fn admits(&self, email: &Email, is_invited: bool) -> Result<(), Forbidden> {
        let allowed = self.domains.is_empty() || self.domains.iter().any(|domain| domain.0 == email.domain());
        match self.mode {
            SignUpMode::Closed => Err(Forbidden::SignUpClosed),
            _ if !allowed => {
                let domains = self.domains.iter().map(|domain| domain.0.as_str()).collect::<Vec<_>>().join(", ");
                Err(Forbidden::SignUpDomain(domains))
            }
            SignUpMode::Invite if !is_invited => Err(Forbidden::SignUpByInvite),
            SignUpMode::Open | SignUpMode::Invite => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(mode: SignUpMode, domains: &[&str], email: &str, is_invited: bool) -> Result<(), Forbidden> {
        let domains = domains.iter().map(|domain| EmailDomain::parse(domain).unwrap()).collect();
        SignUpPolicy { mode, domains }.admits(&Email::parse(email).unwrap(), is_invited)
    }

    #[test]
    fn each_mode_admits_whom_it_names() {
        assert_eq!(admits(SignUpMode::Open, &[], "a@b.example", false), Ok(()));
        assert_eq!(admits(SignUpMode::Invite, &[], "a@b.example", false), Err(Forbidden::SignUpByInvite));
        assert_eq!(admits(SignUpMode::Invite, &[], "a@b.example", true), Ok(()));
        assert_eq!(admits(SignUpMode::Closed, &["b.example"], "a@b.example", true), Err(Forbidden::SignUpClosed));
    }

    #[test]
    fn only_the_domains_themselves_are_admitted_invited_or_not() {
        let domains = ["Acme.example", "other.example"];
        assert_eq!(admits(SignUpMode::Open, &domains, "a@ACME.example", false), Ok(()));
        for other in ["a@sub.acme.example", "a@evilacme.example", "a@acme.example.evil.example"] {
            let refused = Forbidden::SignUpDomain("acme.example, other.example".to_owned());
            assert_eq!(admits(SignUpMode::Invite, &domains, other, true), Err(refused), "{other}");
        }
        for bad in ["", "example", "a@b.example", "-a.example", "*.example"] {
            assert!(EmailDomain::parse(bad).is_err(), "{bad}");
        }
    }
}

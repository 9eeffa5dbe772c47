//! How a person authenticated: the methods of a sign-in, and the assurance that they give.

use std::collections::BTreeSet;
use std::fmt;

use crate::kernel::{Time, named};

named! {
    /// A way in which a person authenticates.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum AuthenticationMethod: "the name used in the database, in the audit log and in exports" {
        /// The password of the account.
        Password = "password",
        /// A link in an email to the address of the account.
        EmailLink = "email_link",
        /// A code in an email to the address of the account.
        EmailCode = "email_code",
        /// A sign-in at another provider, which may have required any factors.
        IdentityProvider = "identity_provider",
        /// The same, where the provider was asked to authenticate the person even if they were signed in there.
        IdentityProviderAgain = "identity_provider_again",
        /// A one-time code of an authenticator app (RFC 6238).
        OneTimeCode = "one_time_code",
        /// A recovery code, which replaces a lost second factor once.
        RecoveryCode = "recovery_code",
        /// A passkey whose authenticator verified the person: two factors in one.
        Passkey = "passkey",
    }
}

impl AuthenticationMethod {
    /// Returns the authentication method reference (RFC 8176 §2). Links and codes in emails, and recovery codes, are
    /// passwords for one use. There is none for a sign-in at another provider.
    const fn reference(self) -> Option<&'static str> {
        match self {
            Self::Password => Some("pwd"),
            Self::EmailLink | Self::EmailCode | Self::OneTimeCode | Self::RecoveryCode => Some("otp"),
            Self::Passkey => Some("pop"),
            Self::IdentityProvider | Self::IdentityProviderAgain => None,
        }
    }

    const fn is_second_factor(self) -> bool {
        matches!(self, Self::OneTimeCode | Self::RecoveryCode | Self::Passkey)
    }
}

/// The methods with which a person signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticationMethods(BTreeSet<AuthenticationMethod>);

impl From<AuthenticationMethod> for AuthenticationMethods {
    fn from(method: AuthenticationMethod) -> Self {
        Self(BTreeSet::from([method]))
    }
}

impl AuthenticationMethods {
    /// Adds a method.
    pub fn and(mut self, method: AuthenticationMethod) -> Self {
        self.0.insert(method);
        self
    }

    /// Returns whether the person signed in with this method.
    pub fn contain(&self, method: AuthenticationMethod) -> bool {
        self.0.contains(&method)
    }

    /// Returns whether the person signed in at another provider.
    pub fn contain_provider(&self) -> bool {
        self.contain(AuthenticationMethod::IdentityProvider)
            || self.contain(AuthenticationMethod::IdentityProviderAgain)
    }

    /// Parses stored names. Ignores unknown ones, which a newer version of the service stored.
    pub fn from_stored(text: &str) -> Self {
        Self(text.split(' ').filter_map(AuthenticationMethod::parse).collect())
    }

    /// Returns the assurance that the methods give together.
    pub fn level(&self) -> AssuranceLevel {
        if self.0.iter().any(|method| method.is_second_factor()) {
            AssuranceLevel::TwoFactors
        } else {
            AssuranceLevel::OneFactor
        }
    }

    /// Returns the authentication method references (`amr`, RFC 8176): those of the methods, and `mfa` for two factors.
    fn references(&self) -> Vec<String> {
        let references: BTreeSet<_> = self.0.iter().filter_map(|method| method.reference()).collect();
        let both = (self.level() == AssuranceLevel::TwoFactors).then_some("mfa");
        references.into_iter().rev().chain(both).map(str::to_owned).collect()
    }
}

impl fmt::Display for AuthenticationMethods {
    /// Writes the names, separated by spaces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.0.iter().map(|method| method.as_str()).collect();
        f.write_str(&names.join(" "))
    }
}

named! {
    /// How certain a sign-in is (`acr`), with the names of the assurance levels of NIST SP 800-63B that it resembles.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum AssuranceLevel: "the value of `acr`" {
        /// One factor, such as the password.
        OneFactor = "aal1",
        /// Two different factors.
        TwoFactors = "aal2",
    }
}

impl AssuranceLevel {
    /// Parses a stored value. An unknown one, stored by a newer version, is higher than those that are known.
    pub fn from_stored(text: &str) -> Self {
        Self::parse(text).unwrap_or(Self::TwoFactors)
    }

    /// Returns the lowest level of `acr_values`, which are alternatives (OpenID Connect Core §3.1.2.1). `None` if all
    /// of them are unknown.
    pub fn lowest_of(acr_values: &str) -> Option<Self> {
        acr_values.split(' ').filter_map(Self::parse).min()
    }
}

/// What a token says about the sign-in that it was issued for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticationClaims {
    /// When the person signed in (`auth_time`), with a precision of one second.
    pub at: Time,
    /// The assurance (`acr`).
    pub level: AssuranceLevel,
    /// The authentication method references (`amr`).
    pub references: Vec<String>,
}

impl AuthenticationClaims {
    /// Returns the claims about a sign-in with these methods.
    pub fn new(at: Time, methods: &AuthenticationMethods) -> Self {
        Self { at: crate::kernel::to_the_second(at), level: methods.level(), references: methods.references() }
    }
}

#[cfg(test)]
mod tests {
    use AuthenticationMethod::{EmailLink, OneTimeCode, Passkey, Password, RecoveryCode};

    use super::*;

    #[test]
    fn two_factors_are_a_first_one_and_a_code() {
        let of = |methods: &[AuthenticationMethod]| AuthenticationMethods(methods.iter().copied().collect());
        for (methods, level, references) in [
            (of(&[Password]), "aal1", "pwd"),
            (of(&[EmailLink]), "aal1", "otp"),
            (of(&[Password, OneTimeCode]), "aal2", "pwd otp mfa"),
            (of(&[Password, RecoveryCode]), "aal2", "pwd otp mfa"),
            (of(&[EmailLink, OneTimeCode]), "aal2", "otp mfa"),
            (of(&[Passkey]), "aal2", "pop mfa"),
        ] {
            assert_eq!((methods.level().as_str(), methods.references().join(" ").as_str()), (level, references));
            assert_eq!(AuthenticationMethods::from_stored(&methods.to_string()), methods);
        }
        assert_eq!(AuthenticationMethods::from_stored("password telepathy"), Password.into());
    }

    #[test]
    fn the_lowest_known_level_is_requested() {
        assert_eq!(AssuranceLevel::lowest_of("urn:other aal2"), Some(AssuranceLevel::TwoFactors));
        assert_eq!(AssuranceLevel::lowest_of("aal2 aal1"), Some(AssuranceLevel::OneFactor));
        assert_eq!(AssuranceLevel::lowest_of("urn:other"), None);
    }
}

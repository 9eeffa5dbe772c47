//! Whether an account meets the conditions of an operation or a page. The only place that decides it: for credentials,
//! for the tokens that are issued, and for pages.

use crate::identity::{Account, SecondFactorPolicy, SignUpPolicy, is_due};
use crate::kernel::Time;
use crate::kernel::error::{AuthenticationError, Error, Forbidden};

use super::Conditions;

/// What the operator requires of accounts.
#[derive(Debug, Clone, Copy, Default)]
pub struct AccountRules {
    /// Whether the address must be confirmed.
    pub confirmed_email: bool,
    /// Who has to use a second factor.
    pub second_factor: SecondFactorPolicy,
    /// The time from which the project that the person signs in to requires a second factor, if it does.
    pub of_project: Option<Time>,
}

/// What is known of an account, and of the sign-in with which it is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccountStanding {
    /// Whether the address counts as confirmed.
    pub is_confirmed: bool,
    /// Whether the account is that of an operator.
    pub is_operator: bool,
    /// Why the sign-in does not suffice where a second factor is required; `None` if it does.
    pub missing_factor: Option<AuthenticationError>,
}

/// A condition that an account does not meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnmetCondition {
    /// The address is not confirmed.
    ConfirmedEmail,
    /// A second factor was not used.
    SecondFactor(AuthenticationError),
}

impl From<UnmetCondition> for Error {
    fn from(unmet: UnmetCondition) -> Self {
        match unmet {
            UnmetCondition::ConfirmedEmail => Forbidden::UnconfirmedEmail.into(),
            UnmetCondition::SecondFactor(missing) => missing.into(),
        }
    }
}

impl AccountStanding {
    /// Returns what is known of an account that is used with such a sign-in.
    pub fn of(account: &Account, missing_factor: Option<AuthenticationError>) -> Self {
        Self { is_confirmed: account.counts_as_confirmed(), is_operator: account.is_operator, missing_factor }
    }
}

impl AccountRules {
    /// Returns the rules of the service.
    pub fn new(sign_up: &SignUpPolicy, second_factor: SecondFactorPolicy) -> Self {
        Self { confirmed_email: sign_up.requires_confirmed_email(), second_factor, of_project: None }
    }

    /// Returns the time from which an account has to use a second factor, that of an operator or of someone else;
    /// `None` if it never has to.
    pub fn second_factor_due(self, is_operator: bool) -> Option<Time> {
        self.second_factor.due_for(is_operator).into_iter().chain(self.of_project).min()
    }

    /// Refuses an account that does not meet the conditions.
    pub fn check(self, conditions: Conditions, standing: AccountStanding, now: Time) -> Result<(), UnmetCondition> {
        if self.confirmed_email && !standing.is_confirmed {
            // Before the address is confirmed, no second factor can be set up.
            return if conditions.include_address() { Err(UnmetCondition::ConfirmedEmail) } else { Ok(()) };
        }
        let is_required = conditions.include_factor() && is_due(self.second_factor_due(standing.is_operator), now);
        match standing.missing_factor {
            Some(missing) if is_required => Err(UnmetCondition::SecondFactor(missing)),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::identity::{SecondFactorMode, SignUpMode};
    use crate::mocks::{an_account, instant};

    const ALL: [Conditions; 5] =
        [Conditions::NoAccount, Conditions::AnyAccount, Conditions::Confirmed, Conditions::WithFactor, Conditions::All];
    const MISSING: AuthenticationError = AuthenticationError::SecondFactorMissing;

    /// Returns the conditions that refuse an account.
    fn refused(rules: AccountRules, standing: AccountStanding) -> Vec<Conditions> {
        let unmet = |conditions: &Conditions| rules.check(*conditions, standing, instant()).is_err();
        ALL.into_iter().filter(unmet).collect()
    }

    #[test]
    fn an_account_is_refused_where_it_lacks_what_the_row_states() {
        use Conditions::{All, Confirmed, WithFactor};
        let invite = SignUpPolicy { mode: SignUpMode::Invite, ..SignUpPolicy::default() };
        let everyone = SecondFactorPolicy { mode: SecondFactorMode::Everyone, ..SecondFactorPolicy::default() };
        let (account, unconfirmed) = (an_account("ann"), Account { email_verified: false, ..an_account("ann") });
        let operator = Account { is_operator: true, ..unconfirmed.clone() };
        let none = AccountRules::default();
        let address = AccountRules::new(&invite, SecondFactorPolicy::default());
        let factor = AccountRules::new(&SignUpPolicy::default(), everyone);
        let both = AccountRules::new(&invite, everyone);
        for (rules, account, missing, expected) in [
            (none, &unconfirmed, Some(MISSING), vec![]),
            (address, &account, Some(MISSING), vec![]),
            (address, &unconfirmed, None, vec![Confirmed, All]),
            (address, &operator, None, vec![]),
            (factor, &unconfirmed, Some(MISSING), vec![WithFactor, All]),
            (factor, &unconfirmed, None, vec![]),
            (both, &unconfirmed, Some(MISSING), vec![Confirmed, All]),
            (both, &account, Some(MISSING), vec![WithFactor, All]),
            (both, &account, None, vec![]),
        ] {
            assert_eq!(refused(rules, AccountStanding::of(account, missing)), expected, "{rules:?}, {missing:?}");
        }
        let error = both.check(All, AccountStanding::of(&account, Some(MISSING)), instant()).unwrap_err();
        assert_eq!(error, UnmetCondition::SecondFactor(MISSING));
    }

    #[test]
    fn the_earlier_rule_of_the_service_and_of_a_project_decides() {
        let (early, late) = (instant(), instant() + TimeDelta::days(1));
        for (mode, of_project, expected) in [
            (SecondFactorMode::Optional, None, None),
            (SecondFactorMode::Optional, Some(late), Some(late)),
            (SecondFactorMode::Everyone, None, Some(early)),
            (SecondFactorMode::Everyone, Some(late), Some(early)),
        ] {
            let second_factor = SecondFactorPolicy { mode, from: early, ..SecondFactorPolicy::default() };
            let rules = AccountRules { second_factor, of_project, ..AccountRules::default() };
            assert_eq!(rules.second_factor_due(false), expected, "{mode:?}");
            let standing = AccountStanding::of(&an_account("ann"), Some(MISSING));
            assert_eq!(refused(rules, standing).is_empty(), expected != Some(early), "{mode:?}");
        }
    }
}

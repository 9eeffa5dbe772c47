//! Who has to use a second factor, and from which time.

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveTime, SecondsFormat, SubsecRound as _, TimeDelta, Utc};

use crate::kernel::{InvalidValue, Time, named};

named! {
    /// The accounts of which the operator requires a second factor.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum SecondFactorMode: "the name of the mode" {
        /// None.
        #[default]
        Optional = "optional",
        /// Those of operators.
        Operators = "operators",
        /// All.
        Everyone = "everyone",
    }
}

/// What the operator requires. Teams and projects have rules of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondFactorPolicy {
    /// The accounts that have to use one.
    pub mode: SecondFactorMode,
    /// The time from which it applies.
    pub from: Time,
    /// How long the holder of an account can object before lost factors are removed.
    pub removal_delay: TimeDelta,
}

impl Default for SecondFactorPolicy {
    fn default() -> Self {
        Self { mode: SecondFactorMode::Optional, from: Time::default(), removal_delay: TimeDelta::days(1) }
    }
}

impl SecondFactorPolicy {
    /// Returns the time from which the account of an operator or of someone else has to use a second factor; `None` if it never
    /// has to.
    pub fn due_for(&self, is_operator: bool) -> Option<Time> {
        let applies = match self.mode {
            SecondFactorMode::Optional => false,
            SecondFactorMode::Operators => is_operator,
            SecondFactorMode::Everyone => true,
        };
        applies.then_some(self.from)
    }
}

/// Parses the time from which a second factor is required: a date, which begins at midnight UTC, or an RFC 3339 timestamp.
pub fn parse_due_time(text: &str) -> Result<Time, InvalidValue> {
    let text = text.trim();
    let date = NaiveDate::parse_from_str(text, "%Y-%m-%d").map(|date| date.and_time(NaiveTime::MIN).and_utc());
    let time = date.or_else(|_| DateTime::parse_from_rfc3339(text).map(|at| at.with_timezone(&Utc).trunc_subsecs(6)));
    time.ok().filter(|time| (2000..2200).contains(&time.year())).ok_or(InvalidValue(
        "must be a date from 2000 to 2199 such as 2026-12-01, or an RFC 3339 timestamp such as 2026-12-01T09:00:00Z",
    ))
}

/// Formats a time that [`parse_due_time`] parses.
pub fn format_due_time(time: Time) -> String {
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// Returns whether a second factor is required now, given the time from which it is.
pub fn is_due(from: Option<Time>, now: Time) -> bool {
    from.is_some_and(|from| from <= now)
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;
    use crate::identity::Account;
    use crate::mocks::{an_account, instant};

    #[test]
    fn a_policy_applies_to_operators_or_to_everyone_from_its_date_on() {
        let person = an_account("ann");
        let operator = Account { is_operator: true, ..person.clone() };
        for (name, applies) in [("optional", [false, false]), ("operators", [false, true]), ("everyone", [true, true])]
        {
            let policy = SecondFactorPolicy {
                mode: SecondFactorMode::parse(name).unwrap(),
                from: instant(),
                ..SecondFactorPolicy::default()
            };
            assert_eq!(
                [&person, &operator].map(|account| policy.due_for(account.is_operator).is_some()),
                applies,
                "{name}"
            );
        }
        let second = TimeDelta::seconds(1);
        assert_eq!([-second, second].map(|after| is_due(Some(instant()), instant() + after)), [false, true]);
        assert!(!is_due(None, instant()) && SecondFactorMode::parse("all").is_none());
    }

    #[test]
    fn a_time_is_a_date_or_a_timestamp() {
        for (text, expected) in [
            ("2026-12-01", Some("2026-12-01T00:00:00Z")),
            (" 2026-12-01T09:00:00+01:00 ", Some("2026-12-01T08:00:00Z")),
            ("2026-13-01", None),
            ("1999-12-31", None),
            ("tomorrow", None),
            ("", None),
        ] {
            assert_eq!(parse_due_time(text).ok().map(format_due_time).as_deref(), expected, "{text}");
        }
    }
}

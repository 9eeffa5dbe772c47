//! Choices about what an account holds, on the pages that confirm its address for the first time.

use steward_domain::identity::{Choice, Choices, Held, HeldKind, HeldThing};
use steward_domain::kernel::error::Error;

use crate::request::form::Form;

/// A choice about one thing. Its template is `held.html`.
pub(crate) struct HeldLine {
    /// The thing and the name of the field.
    pub(crate) thing: HeldThing,
    /// What the thing is: a message with the variables `name` and `team`.
    pub(crate) title: &'static str,
    /// What the choice to end it does: a message.
    pub(crate) end: &'static str,
    /// Whether the person has chosen this before the page was shown again.
    pub(crate) keeps: bool,
    pub(crate) ends: bool,
}

/// Returns the choices of a page. None has a default; `choices` are those of the person so far.
pub(crate) fn lines(held: &Held, choices: &Choices) -> Vec<HeldLine> {
    let line = |thing: HeldThing| {
        let ((title, end), choice) = (texts(thing.kind), choices.of(&thing.field));
        HeldLine { title, end, keeps: choice == Some(Choice::Keep), ends: choice == Some(Choice::End), thing }
    };
    held.things(choices).into_iter().map(line).collect()
}

/// Returns the choices of a form.
pub(crate) fn choices(form: &Form) -> Result<Choices, Error> {
    Choices::parse(form.fields())
}

fn texts(kind: HeldKind) -> (&'static str, &'static str) {
    match kind {
        HeldKind::Membership => ("held-membership", "held-leave"),
        HeldKind::Team => ("held-team", "held-delete-team"),
        HeldKind::Key => ("held-key", "held-delete"),
        HeldKind::Client => ("held-client", "held-delete"),
        HeldKind::IdentityProvider => ("held-provider", "held-delete"),
        HeldKind::Webhook => ("held-webhook", "held-delete"),
        HeldKind::AllOfTeam => ("held-all-of-team", "held-end-all"),
        HeldKind::All => ("held-all", "held-end-all"),
    }
}

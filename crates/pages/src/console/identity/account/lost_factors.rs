//! Requesting that lost second factors and passkeys are removed, and keeping them.

use askama::Template;
use steward_domain::identity::FactorRemoval;

use crate::console::frame::{FormState, Shell, Signed, Submission, Timestamp};
use crate::error::PageResult;
use crate::response::see_other;

pub(crate) const ADDRESS: &str = "/console/account/lost-factors";

/// Requests the removal.
pub(crate) async fn submit(mut submission: Submission) -> PageResult {
    submission.describe("Remove lost second factors and passkeys");
    let signed = &submission.signed;
    let removals = &signed.steward().factor_removals;
    match removals.request_own(signed.caller.request.clone(), &signed.signed_in).await {
        Ok(FactorRemoval::Scheduled(_)) => signed.next(ADDRESS, "The removal was scheduled."),
        Ok(FactorRemoval::Removed) => signed.next(ADDRESS, "The second factors and passkeys were removed."),
        Ok(FactorRemoval::Nothing) => Ok(see_other(ADDRESS)),
        Err(error) => submission.refuse(error).await?.or_show(|form| lost_page(signed, form)).await,
    }
}

/// Cancels the removal.
pub(crate) async fn keep(submission: Submission) -> PageResult {
    let signed = &submission.signed;
    let request = signed.caller.request.clone();
    match signed.steward().factor_removals.keep_own(request, &signed.signed_in).await? {
        true => signed.next(ADDRESS, "The second factors and passkeys are kept."),
        // They were kept or removed in another window.
        false => Ok(see_other(ADDRESS)),
    }
}

/// Shows whether a removal is scheduled.
pub(crate) async fn lost_page(signed: &Signed, form: FormState) -> PageResult {
    let (steward, signed_in) = (signed.steward(), &signed.signed_in);
    let has_passkeys = !steward.passkeys.list(signed_in).await?.is_empty();
    let view = LostPage {
        shell: signed.account_shell("Passkeys").await?.below("/console/account/passkeys".to_owned(), "Lost"),
        form,
        removal_at: signed_in.account.factors_removal_at.map(Timestamp::from),
        has_any: has_passkeys || signed_in.has_second_factor,
        hours: steward.factor_removals.delay().num_hours(),
    };
    view.form.page(signed, &view)
}

#[derive(Template)]
#[template(path = "console/identity/account/lost_factors.html")]
struct LostPage {
    shell: Shell,
    form: FormState,
    /// When they are removed, if that was requested.
    removal_at: Option<Timestamp>,
    /// Whether the account has any.
    has_any: bool,
    /// The time between the request and the removal.
    hours: i64,
}

//! Publishing a reviewed schema document, and publishing an earlier version again.

use serde_json::Value;
use steward_domain::data::schema::{SchemaVersion, filled};
use steward_domain::data::{PublishOptions, SchemaSelection};
use steward_domain::kernel::Revision;
use steward_domain::kernel::error::{Error, ResourceKind};
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{FormState, Outcome, ProjectScope, Signed, Submission};
use crate::error::{PageError, PageResult};
use crate::response::see_other;

use super::draft as drafts;
use super::json;
use super::review::{self, Review, ReviewedPublication};
use super::violations::readable;

/// Opens the editor, in which a publication begins.
pub(crate) async fn show(signed: Signed) -> PageResult {
    Ok(see_other(&signed.project().await?.at("/schema/edit")))
}

/// Publishes the document.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let (signed, form) = (&submission.signed, &submission.form);
    let scope = signed.project().await?;
    let (id, address, based_on) = (scope.project.id, scope.at("/schema"), review::based_on(form));
    let submitted = submission.run_once(Operation::SchemaPublish, async |caller| {
        let document = review::renumbered(review::document(signed, form).await?, based_on);
        let document = filled(Value::Object(document), id, based_on.saturating_add(1));
        let options = PublishOptions { discards_draft: true, ..review::options(form) };
        let published = signed.steward().schemas.publish(caller, id, document, options).await;
        let number = published.map_err(|error| readable(error, json::input_of))?.version.number;
        Ok(Outcome::next(address, format!("Version {number} of the schema was published.")))
    });
    submitted.await?.or_show(|refused| show_refused(&submission, scope, refused)).await
}

/// Shows the changes again, which may be others if the schema was changed in the meantime; or the document, if it is no
/// longer valid.
async fn show_refused(submission: &Submission, scope: ProjectScope, refused: FormState) -> PageResult {
    let signed = &submission.signed;
    let newest = signed.steward().schemas.count(scope.project.id).await?;
    let refused = refused.with_revision(Revision(newest.into()));
    let based_on = refused.value("revision").parse::<u32>().unwrap_or_default();
    let reviewed = async {
        let document = review::document(signed, &submission.form).await?;
        Review::of(signed, &scope, document, based_on).await
    };
    match reviewed.await {
        Ok(reviewed) => {
            let publication = ReviewedPublication::of_document(&scope, refused.value("document").to_owned());
            review::page(signed, &scope, reviewed, publication, refused).await
        }
        Err(error) => {
            let refused = submission.refused(readable(error, json::input_of))?;
            let notice = drafts::notice(signed, &scope).await?;
            json::page(signed, scope, refused.with_revision(Revision(newest.into())), notice).await
        }
    }
}

/// Publishes an earlier version again.
pub(crate) async fn submit_rollback(submission: Submission) -> PageResult {
    let (signed, form) = (&submission.signed, &submission.form);
    let scope = signed.project().await?;
    let (id, address) = (scope.project.id, scope.at("/schema"));
    let earlier = version_in_path(signed, &scope).await?.number;
    let submitted = submission.run_once(Operation::SchemaRollback, async |caller| {
        review::require_newest(signed, id, review::based_on(form)).await?;
        let (schemas, options) = (&signed.steward().schemas, review::options(form));
        let published = schemas.roll_back(caller, id, earlier, options).await;
        let number = published.map_err(|error| readable(error, json::input_of))?.version.number;
        let message = format!("Version {earlier} of the schema was published again as version {number}.");
        Ok(Outcome::next(address, message))
    });
    submitted.await?.or_show(|refused| rollback_page(signed, refused)).await
}

/// Shows what publishing an earlier version again would change.
pub(crate) async fn rollback_page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.project().await?;
    scope.permitted.require(Operation::SchemaRollback)?;
    let earlier = version_in_path(signed, &scope).await?;
    let newest = signed.steward().schemas.count(scope.project.id).await?;
    let reviewed = match Review::of(signed, &scope, earlier.document.members().clone(), newest).await {
        Ok(reviewed) => reviewed,
        Err(error) => match readable(error, json::input_of) {
            Error::Invalid(violations) => {
                let why = violations.as_slice().first().map(|violation| violation.message.as_str()).unwrap_or_default();
                let message = format!("Version {} cannot be published again. {why}.", earlier.number);
                return signed.next(&scope.at("/schema"), &message);
            }
            error => return Err(error.into()),
        },
    };
    let publication = ReviewedPublication {
        title: format!("Roll back to version {}", earlier.number),
        address: scope.at(&format!("/schema/versions/{}/rollback", earlier.number)),
        button: "Roll back",
        document: String::new(),
        editors: Vec::new(),
    };
    review::page(signed, &scope, reviewed, publication, form.with_revision(Revision(newest.into()))).await
}

/// Returns the version in the path.
pub(crate) async fn version_in_path(signed: &Signed, scope: &ProjectScope) -> Result<SchemaVersion, PageError> {
    version(signed, scope, signed.parameter("version")).await
}

/// Returns the version with a number.
pub(crate) async fn version(signed: &Signed, scope: &ProjectScope, number: &str) -> Result<SchemaVersion, PageError> {
    let missing = || Error::NotFound(ResourceKind::Schema);
    let number = number.parse::<u32>().map_err(|_| missing())?;
    let found = signed.steward().schemas.get(scope.project.id, SchemaSelection::Number(number)).await?;
    Ok(found.items.into_iter().next().ok_or_else(missing)?)
}

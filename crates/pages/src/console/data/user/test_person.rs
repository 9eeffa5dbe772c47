//! A test person: the developer, connected to the project with sample items.

use serde_json::{Value, json};
use steward_domain::data::Accessor;
use steward_domain::data::schema::FieldType;
use steward_domain::kernel::policy::Operation;

use crate::console::frame::{Confirmation, FormState, Outcome, Signed, Submission};
use crate::error::PageResult;

use super::scope::{fields, tables};

/// Maximum number of tables with sample items, and the number of items in each.
const MAX_TABLES: usize = 10;
const ITEMS: u8 = 2;

/// Connects the developer and stores the items.
pub(crate) async fn submit(submission: Submission) -> PageResult {
    let scope = submission.signed.project().await?;
    let (steward, project) = (submission.signed.steward(), scope.project.id);
    let document = submission.signed.document(&scope).await?;
    let submitted = submission.run_once(Operation::UserUpdate, async |caller| {
        let Some(user) = steward.project_users.connect_test_person(caller, project).await? else {
            return Ok(Outcome::next(scope.at("/users"), "You are already a user of this project."));
        };
        let document = document.as_deref();
        let names = document.map(tables).unwrap_or_default().into_iter().take(MAX_TABLES);
        for (table, number) in names.flat_map(|table| (1..=ITEMS).map(move |number| (table.clone(), number))) {
            let fields = document.map(|document| fields(document, &table)).unwrap_or_default();
            let value = fields.into_iter().map(|field| (field.name, sample(field.kind, number))).collect();
            // A sample may be refused, by a quota for example. The person is connected all the same.
            drop(steward.items.create(caller, Accessor::Project, project, user.id, table, value).await);
        }
        Ok(Outcome::next(scope.at(&format!("/users/{}", user.id)), "You are connected as a test person."))
    });
    submitted.await?.or_show(|form| page(&submission.signed, form)).await
}

/// Asks before the developer is connected.
pub(crate) async fn page(signed: &Signed, form: FormState) -> PageResult {
    let scope = signed.project().await?;
    form.require(scope.permitted, Operation::UserUpdate)?;
    form.require(scope.permitted, Operation::ItemCreate)?;
    let shell = scope.shell(signed, "Overview").await?.below(scope.at(""), "Test person");
    let page = Confirmation {
        consequences: vec![
            "Your own account becomes a user of the project, marked as a test person.",
            "Each table gets two sample items, unless a quota prevents it.",
            "To remove both in one step, erase the user.",
        ],
        is_danger: false,
        ..Confirmation::of_danger(shell, form, "Add a test person", scope.project.name.as_str())
    };
    page.page(signed)
}

fn sample(kind: FieldType, number: u8) -> Value {
    match kind {
        FieldType::String => json!(format!("Sample {number}")),
        FieldType::Boolean => json!(number == 1),
        FieldType::Number => json!(number),
        FieldType::Json => json!({"sample": number}),
    }
}

//! Bodies of batches: several writes of items in one request, identified by their index.

use serde::Deserialize;
use serde_json::{Map, Value};
use steward_api as wire;
use steward_domain::data::{BatchOperation, BatchStep, ItemId};
use steward_domain::kernel::Time;
use steward_domain::kernel::error::{Error, FieldViolations};

use crate::error::ApiError;
use crate::extract::body::parse_timestamp;
use crate::extract::{members, precondition};

/// One operation as received.
#[derive(Deserialize)]
struct BatchOperationBody {
    op: String,
    id: String,
    value: Option<Map<String, Value>>,
    if_match: Option<String>,
    if_none_match: Option<String>,
}

/// Parses the operations. The error contains the index of the first operation that is not valid.
pub(crate) fn parse_item_batch(
    body: wire::ItemBatch,
    mut errors: FieldViolations,
) -> Result<(Vec<BatchOperation>, Option<Time>), ApiError> {
    let created_before = body.created_before.and_then(|text| errors.check("created_before", parse_timestamp(&text)));
    let operations = errors.finish(Some(body.operations))?.into_iter().enumerate();
    let operations = operations
        .map(|(index, operation)| parse_operation(&operation).map_err(|error| error.in_batch(index)))
        .collect::<Result<_, _>>()?;
    Ok((operations, created_before))
}

fn parse_operation(operation: &Value) -> Result<BatchOperation, ApiError> {
    let Value::Object(object) = operation else {
        return Err(Error::invalid("body", "must be a JSON object").into());
    };
    members::command(members::read(object, Vec::new)?, BatchOperationBody::parse)
}

impl BatchOperationBody {
    fn parse(self, mut errors: FieldViolations) -> Result<BatchOperation, Error> {
        let step = match (self.op.as_str(), self.value) {
            ("put", Some(value)) => Some(BatchStep::Put(value)),
            ("patch", Some(value)) => Some(BatchStep::Patch(value)),
            ("delete", None) => Some(BatchStep::Delete),
            ("put" | "patch", None) => errors.check("value", Err("is required")),
            ("delete", Some(_)) => errors.check("value", Err("must be absent if `op` is `delete`")),
            _ => errors.check("op", Err("must be `put`, `patch` or `delete`")),
        };
        let is_new = matches!(step, Some(BatchStep::Put(_)));
        let id = errors.check("id", if is_new { ItemId::parse(&self.id) } else { ItemId::stored(&self.id) });
        let when = precondition::of_members(self.if_match.as_deref(), self.if_none_match.as_deref(), &mut errors);
        errors.finish(id.zip(step).map(|(id, step)| BatchOperation { id, step, when }))
    }
}

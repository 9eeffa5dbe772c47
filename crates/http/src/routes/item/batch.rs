//! Bodies of batches: several writes of items in one request, identified by their index.

use serde::Deserialize;
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::{ItemId, Time};
use steward_domain::usecases::{BatchOperation, BatchStep};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::body::parse_timestamp;
use crate::extract::members;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchBody {
    /// Operations, each on a different item. Either all of them take effect, or none; the error contains the `index` of
    /// the first operation that failed.
    #[schema(value_type = Vec<OperationBody>, min_items = 1, max_items = 100, example = json!([
        {"op": "put", "id": "018f2a3c-7d1e-7cc4-9b3a-2f6d1c0e8a55", "value": {"title": "Buy milk", "done": false}},
        {"op": "patch", "id": "018f2a3c-9b40-7a12-8c5d-6e7f80912a3b", "value": {"done": true}},
        {"op": "delete", "id": "018f2a3d-0a1b-7c2d-8e3f-405162738495"}
    ]))]
    operations: Vec<Value>,
    /// New items that are put count as created before this time, at most seven days ago, each one a microsecond before
    /// the item of the operation before it: a list of the newest items has the order of the operations. A time in the
    /// future counts as now. By default, all of them count as created now.
    #[schema(value_type = Option<String>, format = DateTime, example = "2026-01-31T12:00:00.000Z")]
    created_before: Option<String>,
}

/// One operation of a batch.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
#[expect(dead_code, reason = "only describes the body that `BatchOperationBody` parses")]
enum OperationBody {
    /// Creates or replaces an item.
    Put {
        /// ID of the item: 1 to 128 characters of `[A-Za-z0-9._~-]`.
        id: String,
        /// All fields of the item.
        #[schema(value_type = Object)]
        value: Map<String, Value>,
    },
    /// Updates fields of an item.
    Patch {
        /// ID of the item.
        id: String,
        /// Fields to change; null removes a field.
        #[schema(value_type = Object)]
        value: Map<String, Value>,
    },
    /// Deletes an item.
    Delete {
        /// ID of the item.
        id: String,
    },
}

/// One operation as received.
#[derive(Deserialize)]
struct BatchOperationBody {
    op: String,
    id: String,
    value: Option<Map<String, Value>>,
}

impl BatchBody {
    /// Parses the operations. The error contains the index of the first operation that is not valid.
    pub(crate) fn parse(self, mut errors: FieldViolations) -> Result<(Vec<BatchOperation>, Option<Time>), ApiError> {
        let created_before =
            self.created_before.and_then(|text| errors.check("created_before", parse_timestamp(&text)));
        let operations = errors.finish(Some(self.operations))?.into_iter().enumerate();
        let operations = operations
            .map(|(index, operation)| parse_operation(&operation).map_err(|error| error.in_batch(index)))
            .collect::<Result<_, _>>()?;
        Ok((operations, created_before))
    }
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
        let id = errors.check("id", ItemId::parse(&self.id));
        errors.finish(id.zip(step).map(|(id, step)| BatchOperation { id, step }))
    }
}

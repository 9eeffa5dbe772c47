//! Several writes of items in one body, told apart by their index.

use serde::Deserialize;
use serde_json::{Map, Value};
use steward_domain::error::{Error, FieldViolations};
use steward_domain::model::ItemId;
use steward_domain::usecases::{BatchOperation, BatchStep};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::members;

#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchBody {
    /// Each of another item. All are done, or none; the first that cannot be is named by its `index`.
    #[schema(value_type = Vec<OperationBody>, min_items = 1, max_items = 100)]
    operations: Vec<Value>,
}

/// One write.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "op", rename_all = "lowercase")]
#[expect(dead_code, reason = "only describes what `BatchOperationBody` takes")]
enum OperationBody {
    /// Store an item whole.
    Put {
        id: String,
        #[schema(value_type = Object)]
        value: Map<String, Value>,
    },
    /// Change fields of an item; null removes one.
    Patch {
        id: String,
        #[schema(value_type = Object)]
        value: Map<String, Value>,
    },
    /// Remove an item.
    Delete { id: String },
}

/// One write as it is sent.
#[derive(Deserialize)]
struct BatchOperationBody {
    op: String,
    id: String,
    value: Option<Map<String, Value>>,
}

impl BatchBody {
    /// The operations, or what is wrong with the first that is none.
    pub(crate) fn parse(self, errors: FieldViolations) -> Result<Vec<BatchOperation>, ApiError> {
        let operations = errors.or(Some(self.operations))?.into_iter().enumerate();
        operations.map(|(index, operation)| parsed(&operation).map_err(|error| error.in_batch(index))).collect()
    }
}

fn parsed(operation: &Value) -> Result<BatchOperation, ApiError> {
    let Value::Object(sent) = operation else {
        return Err(Error::invalid("body", "must be a JSON object").into());
    };
    members::command(members::read(sent, Vec::new)?, BatchOperationBody::parse)
}

impl BatchOperationBody {
    fn parse(self, mut errors: FieldViolations) -> Result<BatchOperation, Error> {
        let step = match (self.op.as_str(), self.value) {
            ("put", Some(value)) => Some(BatchStep::Put(value)),
            ("patch", Some(value)) => Some(BatchStep::Patch(value)),
            ("delete", None) => Some(BatchStep::Delete),
            ("put" | "patch", None) => errors.note("value", Err("is required")),
            ("delete", Some(_)) => errors.note("value", Err("must not be sent with delete")),
            _ => errors.note("op", Err("must be put, patch or delete")),
        };
        let id = errors.note("id", ItemId::parse(&self.id));
        errors.or(id.zip(step).map(|(id, step)| BatchOperation { id, step }))
    }
}

//! What responses of several concepts say about a project.

use crate::openapi::ToSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::values::ProjectId;

/// What identifies a project, in all responses.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = part::ProjectSummary)]
pub struct ProjectSummary {
    /// Unique ID of the project.
    pub id: ProjectId,
    /// Display name of the project.
    pub name: String,
    /// URL-friendly name of the project, unique in the service.
    pub slug: String,
}

/// How a project presents itself to people.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = part::ProjectPresentation)]
pub struct ProjectPresentation {
    /// Website of the project; null if it has none.
    pub website: Option<String>,
    /// Public profile of the project, with the URLs of its images.
    #[schema(value_type = Object, example = json!({"icon_url": "https://example.com/icon.png"}))]
    pub profile: Map<String, Value>,
}

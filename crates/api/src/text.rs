//! Text utilities (docs/contract.md#slugs).

use crate::openapi::{IntoParams, ToSchema};
use serde::{Deserialize, Serialize};

use crate::operation::operations;

operations! {
    ROWS, "utils";

    /// Convert text to a slug
    ///
    /// Removes special characters, transliterates letters of other scripts, and replaces white space, `_` and `-` with
    /// single hyphens. Requires no credential.
    Slugify Get "/utils/slugify", Reads Safe, query(SlugifyParameters), 200(SlugText),
        deviates("docs/contract.md#slugs");
}

/// A slug that was generated from text.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct SlugText {
    /// Lowercase letters and digits, with single hyphens between words.
    #[schema(example = "rock-roll")]
    pub slug: String,
}

/// The text to convert.
#[derive(Debug, Clone, Default, Serialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct SlugifyParameters {
    /// Text to convert.
    #[param(example = "Rock & Roll")]
    pub slug: Option<String>,
    /// Alias of `slug`, used if `slug` is absent.
    pub text: Option<String>,
}

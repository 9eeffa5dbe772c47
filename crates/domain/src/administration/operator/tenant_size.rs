//! Teams and projects by size, for operators.

use crate::kernel::{Name, ProjectId, Slug, TeamId, named};

named! {
    /// What teams and projects are ordered by, largest first.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum SizeOrder: "the name used in queries" {
        /// The total size of their items.
        #[default]
        Bytes = "bytes",
        /// The number of their items.
        Items = "items",
    }
}

/// A part of a list by size. Sizes change while a list is read, so the list has no cursor but an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SizePage {
    /// The order of the list.
    pub order: SizeOrder,
    /// Number of entries before the part.
    pub offset: u16,
    /// Maximum number of entries.
    pub limit: u16,
}

impl SizePage {
    /// The maximum number of entries in a part.
    pub const MAX_LIMIT: u16 = 200;
}

/// The size of a team with all its projects.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct TeamSize {
    pub id: TeamId,
    pub name: Name,
    pub slug: Slug,
    pub projects: u64,
    pub items: u64,
    pub bytes: u64,
}

/// The size of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is named after its value")]
pub struct ProjectSize {
    pub id: ProjectId,
    pub name: Name,
    pub slug: Slug,
    pub team_slug: Slug,
    pub items: u64,
    pub bytes: u64,
}

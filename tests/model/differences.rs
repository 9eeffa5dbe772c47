//! Where the service is not yet what the decisions say. Each is to be turned when the service is mended, and then to go.

/// Decisions, Teams and invites: renamed slugs stay reserved for their team.
pub const FORMER_SLUGS_STAY_RESERVED: bool = false;

/// Decisions, Teams and invites: whoever is removed leaves the keys they created or regenerated to be told. So far only
/// those they created are.
pub const REGENERATED_KEYS_ARE_TOLD: bool = false;

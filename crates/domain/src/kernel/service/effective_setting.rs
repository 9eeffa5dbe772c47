//! Settings that are in effect, for operators.

/// A setting that is in effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveSetting {
    /// The name of the setting.
    pub name: &'static str,
    /// The value, without secrets. Empty if the setting has none.
    pub value: String,
    /// Whether the value is the default.
    pub is_default: bool,
}

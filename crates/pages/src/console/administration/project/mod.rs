//! Projects: creating one, its overview and its settings.

pub(crate) mod bar_chart;
pub(crate) mod connect;
pub(crate) mod images;
pub(crate) mod new;
pub(crate) mod number;
pub(crate) mod overview;
pub(crate) mod requests;
pub(crate) mod settings;
pub(crate) mod sign_in;

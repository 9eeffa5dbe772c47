//! What all pages of the console are made of: the person who is signed in, the layout, the team or project of the
//! page, its form, lists and downloads.

pub(crate) mod download;
pub(crate) mod error_page;
pub(crate) mod export_document;
pub(crate) mod form;
mod paging;
mod permitted;
pub(crate) mod rotation;
mod scope;
mod sections;
mod shell;
mod signed;
mod team_or_project;
pub(crate) mod timestamps;

pub(crate) use self::form::confirmation::Confirmation;
pub(crate) use self::form::image::{ImagePage, ImageSubject, ImageSubmission};
pub(crate) use self::form::outcome::{Outcome, Submitted};
pub(crate) use self::form::state::{FormState, back_to, opened};
pub(crate) use self::form::submission::{Submission, is_of_confirmation, unless_deleted};
pub(crate) use self::permitted::Permitted;
pub(crate) use self::scope::{ProjectScope, TeamScope};
pub(crate) use self::sections::{Searchable, Tabs, address_in};
pub(crate) use self::shell::{Crumb, Shell};
pub(crate) use self::signed::{RenewedSession, Signed};
pub(crate) use self::team_or_project::TeamOrProject;
pub(crate) use self::timestamps::Timestamp;

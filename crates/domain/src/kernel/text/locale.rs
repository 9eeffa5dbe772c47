//! The languages in which the service speaks to people.

use crate::kernel::named;

named! {
    /// A language of the pages on which people sign in, and of emails.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    #[expect(missing_docs, reason = "each is named after its language")]
    pub enum Locale: "its tag (BCP 47)" {
        /// The source of all texts, and the fallback.
        #[default]
        English = "en",
        German = "de",
        French = "fr",
        Spanish = "es",
        Portuguese = "pt",
        Japanese = "ja",
    }
}

//! Query parameters. Most must not be repeated.

use std::fmt;
use std::marker::PhantomData;

use actix_web::HttpRequest;
use steward_api as wire;
use steward_domain::administration::Period;
use steward_domain::data::RawItemQuery;
use steward_domain::identity::Parameters;
use steward_domain::kernel::error::Error;
use steward_domain::kernel::policy::EndableKinds;
use steward_domain::kernel::{PageSize, Slug, slugify};
use url::form_urlencoded;

use super::item_cursor;
use crate::error::ApiError;

/// The query parameters that `Q` describes. Each is validated only when a handler reads it.
pub(crate) struct Query<Q>(Vec<(String, String)>, PhantomData<fn() -> Q>);

impl<Q> Query<Q> {
    /// Returns the parameters of a request.
    pub(crate) fn of(request: &HttpRequest) -> Self {
        Self(form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect(), PhantomData)
    }

    /// Returns the value of a parameter, or `None` if it is absent. A repeated parameter is an error.
    pub(crate) fn get(&self, name: &'static str) -> Result<Option<&str>, ApiError> {
        let mut values = self.0.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            (_, Some(_)) => Err(Error::invalid(name, "must not be repeated").into()),
        }
    }

    /// Returns the parsed value of a parameter, or `None` if it is absent.
    pub(crate) fn parsed<T, E: fmt::Display>(
        &self,
        name: &'static str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, ApiError> {
        Ok(self.get(name)?.map(parse).transpose().map_err(|error| Error::invalid(name, error))?)
    }

    /// Returns a Boolean parameter; `false` if it is absent.
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool, ApiError> {
        Ok(self.parsed(name, |text| text.parse::<bool>().map_err(|_| "must be true or false"))?.unwrap_or_default())
    }

    /// Returns all values of a parameter that may be repeated.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        self.0.iter().filter(|(other, _)| other == name).map(|(_, value)| value.clone()).collect()
    }

    /// Rejects unknown parameters. Ignoring a filter would return more than the client requested.
    pub(crate) fn reject_unknown(&self, known: &[&str]) -> Result<(), ApiError> {
        match self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => {
                let error =
                    format_args!("\"{name}\" is not a known parameter (known parameters: {})", known.join(", "));
                Err(Error::invalid("query", error).into())
            }
        }
    }
}

impl Query<wire::SlugParameter> {
    /// Returns the slug in the `slug` parameter. The error contains a valid slug that is derived from the text.
    pub(crate) fn slug(&self) -> Result<Slug, ApiError> {
        let text = self.get("slug")?.unwrap_or_default();
        Slug::parse(text).map_err(|error| {
            ApiError::from(Error::invalid("slug", error)).with_slugified(slugify(text).unwrap_or_default())
        })
    }
}

impl Query<wire::DaysParameter> {
    /// Returns the number of days in the `days` parameter; the default if it is absent.
    pub(crate) fn period(&self) -> Result<Period, ApiError> {
        Ok(self.parsed("days", Period::parse)?.unwrap_or_default())
    }
}

impl Query<wire::EndParameter> {
    /// Returns what the `end` parameter ends; nothing if it is absent.
    pub(crate) fn ended_kinds(&self) -> Result<EndableKinds, ApiError> {
        let kinds = EndableKinds::parse(self.get("end")?.unwrap_or_default());
        Ok(kinds.map_err(|error| Error::invalid("end", error))?)
    }
}

impl Query<wire::AuthorizeParameters> {
    /// Returns all parameters unchanged, for OAuth requests.
    pub(crate) fn into_parameters(self) -> Parameters {
        Parameters::new(self.0)
    }
}

impl Query<wire::ItemQueryParameters> {
    /// Returns the query of a list of items, which is later parsed with the fields of its table.
    pub(crate) fn item_query(&self) -> Result<RawItemQuery, ApiError> {
        // Without a limit the list is complete and streamed in chunks.
        let size = if self.get("limit")?.is_some() { PageSize::MAX } else { PageSize::ITEMS };
        self.raw_item_query(size)
    }
}

impl Query<wire::ProjectItemParameters> {
    /// Returns the query of a list of the items of all users, which is later parsed with the fields of its table.
    pub(crate) fn item_query(&self) -> Result<RawItemQuery, ApiError> {
        self.raw_item_query(PageSize::MAX)
    }
}

impl<Q> Query<Q> {
    fn raw_item_query(&self, size: PageSize) -> Result<RawItemQuery, ApiError> {
        let cursor = self.get("cursor")?.map(item_cursor::decode);
        let parameters = self.0.iter().filter(|(name, _)| name != "cursor").cloned().collect();
        Ok(RawItemQuery { parameters, cursor, size })
    }
}

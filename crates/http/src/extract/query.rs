//! Query parameters, each at most once.

use std::future::{Ready, ready};

use actix_web::dev::Payload;
use actix_web::{FromRequest, HttpRequest};
use steward_domain::error::Error;
use steward_domain::model::{PageSize, Parameters, RawItemQuery, Slug, slugify};
use url::form_urlencoded;

use super::page::decode_of_items;
use crate::error::ApiError;

/// The query parameters. They are judged when they are asked for.
pub(crate) struct Query(Vec<(String, String)>);

impl FromRequest for Query {
    type Error = ApiError;
    type Future = Ready<Result<Self, ApiError>>;

    fn from_request(request: &HttpRequest, _: &mut Payload) -> Self::Future {
        ready(Ok(Self(form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect())))
    }
}

impl Query {
    /// The one value of a parameter, if it is there.
    pub(crate) fn get(&self, name: &'static str) -> Result<Option<&str>, ApiError> {
        let mut values = self.0.iter().filter(|(other, _)| other == name).map(|(_, value)| value.as_str());
        match (values.next(), values.next()) {
            (value, None) => Ok(value),
            (_, Some(_)) => Err(Error::invalid(name, "must not be repeated").into()),
        }
    }

    /// The slug that is asked about; a error tells the one that the text would give.
    pub(crate) fn slug(&self) -> Result<Slug, ApiError> {
        let text = self.get("slug")?.unwrap_or_default();
        Slug::parse(text).map_err(|error| {
            ApiError::from(Error::invalid("slug", error)).with_slugified(slugify(text).unwrap_or_default())
        })
    }

    /// Whether a parameter says `true`; without it, `false`.
    pub(crate) fn flag(&self, name: &'static str) -> Result<bool, ApiError> {
        match self.get(name)? {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(Error::invalid(name, "must be true or false").into()),
        }
    }

    /// Every value of a parameter that may be repeated.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        self.0.iter().filter(|(other, _)| other == name).map(|(_, value)| value.clone()).collect()
    }

    /// All parameters as they came, for OAuth to judge.
    pub(crate) fn into_parameters(self) -> Parameters {
        Parameters::new(self.0)
    }

    /// What a list of items is asked for, to be parsed against the fields of its table.
    pub(crate) fn of_items(&self) -> Result<RawItemQuery, ApiError> {
        let cursor = self.get("cursor")?.map(decode_of_items);
        let parameters = self.0.iter().filter(|(name, _)| name != "cursor").cloned().collect();
        // Without a limit all are returned, piece by piece.
        let size = if self.get("limit")?.is_some() { PageSize::MAX } else { PageSize::PIECE };
        Ok(RawItemQuery { parameters, cursor, size })
    }

    /// Refuses parameters that the operation does not know: what they would narrow must not be ignored.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), ApiError> {
        match self.0.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, _)) => {
                let error = format_args!("\"{name}\" is not known here; known are {}", known.join(", "));
                Err(Error::invalid("query", error).into())
            }
        }
    }
}

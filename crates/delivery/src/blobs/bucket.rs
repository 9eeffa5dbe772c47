//! The settings of a bucket in an S3-compatible service.

use steward_domain::kernel::Secret;
use url::Url;

/// The bucket, its service and the access key.
#[derive(Debug, Clone)]
pub struct S3Settings {
    /// Name of the bucket.
    pub bucket: String,
    /// Folders with which all object names start; may be empty.
    pub prefix: String,
    /// URL of the service; `None` for Amazon S3. The bucket is the first segment of the path.
    pub endpoint: Option<String>,
    /// Region of the bucket.
    pub region: String,
    /// ID of the access key.
    pub access_key_id: String,
    /// Secret access key.
    pub secret_access_key: Secret,
}

/// Why the settings of a bucket are not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidBucket {
    /// The bucket name is not valid.
    #[error("must name a bucket of 3 to 63 lowercase letters, digits, dots and hyphens, such as s3://bucket/prefix")]
    Name,
    /// The prefix is not valid.
    #[error("must have a prefix of folders that contain only letters, digits and . _ -, separated by single slashes")]
    Prefix,
    /// The endpoint is not a valid URL.
    #[error("must be an http or https URL without a path or query, such as https://s3.example.com")]
    Endpoint,
}

impl S3Settings {
    /// Parses `s3://bucket/prefix` and returns the bucket and the prefix.
    pub fn parse_address(text: &str) -> Result<(String, String), InvalidBucket> {
        let (bucket, prefix) = text
            .strip_prefix("s3://")
            .map(|rest| rest.split_once('/').unwrap_or((rest, "")))
            .ok_or(InvalidBucket::Name)?;
        let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
        let is_valid = (3..=63).contains(&bucket.len())
            && bucket.chars().all(|c| alphanumeric(c) || c == '.' || c == '-')
            && bucket.starts_with(alphanumeric)
            && bucket.ends_with(alphanumeric);
        if !is_valid {
            return Err(InvalidBucket::Name);
        }
        let prefix = prefix.trim_end_matches('/');
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
        let is_folder = |part: &str| !part.is_empty() && !part.starts_with('.') && part.chars().all(plain);
        if !prefix.is_empty() && !prefix.split('/').all(is_folder) {
            return Err(InvalidBucket::Prefix);
        }
        Ok((bucket.to_owned(), prefix.to_owned()))
    }

    /// Parses the URL of a service.
    pub fn parse_endpoint(text: &str) -> Result<String, InvalidBucket> {
        let url = Url::parse(text).map_err(|_| InvalidBucket::Endpoint)?;
        let is_origin = matches!(url.scheme(), "http" | "https")
            && url.has_host()
            && url.path() == "/"
            && url.query().is_none()
            && url.fragment().is_none()
            && url.username().is_empty()
            && url.password().is_none();
        if is_origin { Ok(text.trim_end_matches('/').to_owned()) } else { Err(InvalidBucket::Endpoint) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_contains_a_bucket_and_a_prefix() {
        let parsed = |text| S3Settings::parse_address(text).map(|(bucket, prefix)| format!("{bucket} {prefix}"));
        assert_eq!(parsed("s3://images").as_deref(), Ok("images "));
        assert_eq!(parsed("s3://images/").as_deref(), Ok("images "));
        assert_eq!(parsed("s3://my.images-1/steward/prod/").as_deref(), Ok("my.images-1 steward/prod"));
        for invalid in ["s3://", "s3://a", "s3://Images", "s3://-images", "s3://user@host", "images", "s3://a b c"] {
            assert_eq!(parsed(invalid), Err(InvalidBucket::Name), "{invalid}");
        }
        for invalid in ["s3://images/a//b", "s3://images/../b", "s3://images/a?b", "s3://images/ü"] {
            assert_eq!(parsed(invalid), Err(InvalidBucket::Prefix), "{invalid}");
        }
    }

    #[test]
    fn an_endpoint_is_an_origin() {
        assert_eq!(S3Settings::parse_endpoint("http://localhost:9000/").as_deref(), Ok("http://localhost:9000"));
        for invalid in ["", "localhost:9000", "ftp://x", "https://x/path", "https://u:p@x", "https://x?y"] {
            assert_eq!(S3Settings::parse_endpoint(invalid), Err(InvalidBucket::Endpoint), "{invalid}");
        }
    }
}

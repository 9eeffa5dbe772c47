//! The storage of uploaded images.

use std::path::PathBuf;

use steward_delivery::S3Settings;
use steward_domain::kernel::Secret;

use super::database::Database;
use super::parts::missing;
use super::settings::{Reader, Values};

/// Where the bytes of uploaded images are stored.
#[derive(Debug)]
pub enum Blobs {
    Directory(PathBuf),
    S3(S3Settings),
}

impl Blobs {
    pub fn read(reader: &mut Reader<'_>, values: &Values, database: Option<&Database>) -> Option<Self> {
        let location = values.blobs.as_deref()?;
        if location.contains("://") {
            if !cfg!(feature = "s3") {
                return reader.record("STEWARD_BLOBS", Err(missing("S3")));
            }
            return bucket(reader, values, location).map(Self::S3);
        }
        let directory = database.and_then(Database::directory).or(values.data_directory.as_deref())?;
        Some(Self::Directory(directory.join(location)))
    }
}

fn bucket(reader: &mut Reader<'_>, values: &Values, location: &str) -> Option<S3Settings> {
    let address = reader.record("STEWARD_BLOBS", S3Settings::parse_address(location));
    let mut required =
        |name: &str, value: Option<String>| reader.record(name, value.ok_or("is required with STEWARD_BLOBS=s3://..."));
    let access_key_id = required("STEWARD_S3_ACCESS_KEY_ID", values.s3_access_key_id.clone()?);
    let secret_access_key = required("STEWARD_S3_SECRET_ACCESS_KEY", values.s3_secret_access_key.clone()?);
    let (bucket, prefix) = address?;
    Some(S3Settings {
        bucket,
        prefix,
        endpoint: values.s3_endpoint.clone()?,
        region: values.s3_region.clone()?,
        access_key_id: access_key_id?,
        secret_access_key: Secret::new(secret_access_key?),
    })
}

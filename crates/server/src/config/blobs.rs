//! The storage of uploaded images.

use std::path::PathBuf;

use steward_delivery::S3Settings;

use super::database::Database;
use super::parts;
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
                return reader.record("STEWARD_BLOBS", Err(parts::missing("S3")));
            }
            return bucket(reader, values, location).map(Self::S3);
        }
        let directory = database.and_then(Database::directory).or(values.data_directory.as_deref())?;
        Some(Self::Directory(directory.join(location)))
    }
}

fn bucket(reader: &mut Reader<'_>, values: &Values, location: &str) -> Option<S3Settings> {
    let address = reader.record("STEWARD_BLOBS", S3Settings::parse_address(location));
    let missing = "is required with STEWARD_BLOBS=s3://...";
    let id = values.s3_access_key_id.clone()?.ok_or(missing);
    let access_key_id = reader.record("STEWARD_S3_ACCESS_KEY_ID", id);
    let secret = values.s3_secret_access_key.clone()?.ok_or(missing);
    let secret_access_key = reader.record("STEWARD_S3_SECRET_ACCESS_KEY", secret);
    let (bucket, prefix) = address?;
    Some(S3Settings {
        bucket,
        prefix,
        endpoint: values.s3_endpoint.clone()?,
        region: values.s3_region.clone()?,
        access_key_id: access_key_id?,
        secret_access_key: secret_access_key?,
    })
}

//! How the value of a column represents a value of the domain: once for each pair of types.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::IpAddr;

use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, SqlType, Text, is_nullable::NotNull};
use serde_json::{Value, json};
use steward_domain::administration::{
    EmailDelivery, EventSelection, Image, ImageFormat, WebhookOrdering, WebhookUrl, Website,
};
use steward_domain::data::schema::Document;
use steward_domain::data::{DraftEditor, ImportState, ItemId, ItemValue, UserStatus};
use steward_domain::identity::{
    AssuranceLevel, AuthenticationMethods, ClientKeys, ClientScopes, CodeChallenge, Email, EmailDomain, GrantTypes,
    Issuer, KeyThumbprint, LinkPurpose, PasswordHash, Prompt, ProviderClientId, ProviderKind, RedirectUri,
    ResponseMode, ScopeSet, UserCode, Username,
};
use steward_domain::kernel::policy::{KeyRoles, RoleSet};
use steward_domain::kernel::{
    Color, DocumentUrl, ImageId, JsonObject, Label, Locale, Name, ProjectClientId, ProjectId, Revision, RoleName, Slug,
    TeamId, Time, TokenDigest,
};
use uuid::Uuid;

use crate::error::JobError;
use crate::sql_types::{At, Id, Instant, Json, JsonDoc, JsonText, Uid};

/// The Rust type of the values of a column with the SQL type `S`.
pub(crate) type ValueOf<S> = <S as ColumnType>::Value;

/// An SQL type that a column of a row can have.
pub(crate) trait ColumnType {
    type Value;
}

/// A value of a column that represents a `T`.
pub(crate) trait ColumnValue<T>: Sized {
    /// Fails if the value does not represent a `T`.
    fn load(self) -> Result<T, JobError>;

    /// Fails if the column cannot represent the `T`.
    fn store(value: &T) -> Result<Self, JobError>;
}

macro_rules! column_types {
    ($($sql:ty => $value:ty,)+) => {$(
        impl ColumnType for $sql {
            type Value = $value;
        }
    )+};
}

column_types! {
    Uid => Id,
    Instant => At,
    Text => String,
    JsonText => Json,
    JsonDoc => Json,
    Binary => Vec<u8>,
    Bool => bool,
    Integer => i32,
    BigInt => i64,
}

impl<S: ColumnType + SqlType<IsNull = NotNull>> ColumnType for Nullable<S> {
    type Value = Option<S::Value>;
}

/// A key of two columns.
impl<A: ColumnType, B: ColumnType> ColumnType for (A, B) {
    type Value = (A::Value, B::Value);
}

impl<C: ColumnValue<T>, T> ColumnValue<Option<T>> for Option<C> {
    fn load(self) -> Result<Option<T>, JobError> {
        self.map(C::load).transpose()
    }

    fn store(value: &Option<T>) -> Result<Self, JobError> {
        value.as_ref().map(C::store).transpose()
    }
}

impl<T: Copy + From<Uuid> + Into<Uuid>> ColumnValue<T> for Id {
    fn load(self) -> Result<T, JobError> {
        Ok(self.0.into())
    }

    fn store(value: &T) -> Result<Self, JobError> {
        Ok(Self((*value).into()))
    }
}

/// Implements [`ColumnValue`] for pairs of types: how the column is loaded, and how the value is stored.
macro_rules! column_values {
    ($($column:ty => $value:ty: |$loaded:ident| $load:expr, |$stored:ident| $store:expr;)+) => {$(
        impl ColumnValue<$value> for $column {
            fn load(self) -> Result<$value, JobError> {
                let $loaded = self;
                $load
            }

            fn store($stored: &$value) -> Result<Self, JobError> {
                $store
            }
        }
    )+};
}

column_values! {
    bool => bool: |flag| Ok(flag), |flag| Ok(*flag);
    i64 => i64: |number| Ok(number), |number| Ok(*number);
    i64 => u64: |number| valid(number.try_into()), |number| valid((*number).try_into());
    i64 => u32: |number| valid(number.try_into()), |number| Ok((*number).into());
    i64 => u16: |number| valid(number.try_into()), |number| Ok((*number).into());
    i32 => u32: |number| valid(number.try_into()), |number| valid((*number).try_into());
    i64 => Revision: |number| Ok(Revision(number)), |revision| Ok(revision.0);
    At => Time: |at| Ok(at.0), |time| Ok(At(*time));
    Vec<u8> => Vec<u8>: |bytes| Ok(bytes), |bytes| Ok(bytes.clone());
    String => String: |text| Ok(text), |text| Ok(text.clone());
    String => IpAddr: |text| valid(text.parse()), |address| Ok(address.to_string());
    String => Name: |text| valid(Name::stored(&text)), |name| Ok(name.to_string());
    String => Label: |text| valid(Label::stored(&text)), |label| Ok(label.to_string());
    String => RoleName: |text| valid(RoleName::stored(&text)), |name| Ok(name.to_string());
    String => Slug: |text| valid(Slug::parse(&text)), |slug| Ok(slug.to_string());
    String => Email: |text| valid(Email::parse(&text)), |email| Ok(email.to_string());
    String => Username: |text| valid(Username::parse(&text)), |name| Ok(name.to_string());
    // Empty without a password.
    String => Option<PasswordHash>: |text| Ok((!text.is_empty()).then(|| PasswordHash::new(text))), |hash| Ok(hash.as_ref().map_or("", PasswordHash::as_str).to_owned());
    String => AuthenticationMethods: |text| Ok(AuthenticationMethods::from_stored(&text)),
        |methods| Ok(methods.to_string());
    String => AssuranceLevel: |text| Ok(AssuranceLevel::from_stored(&text)), |level| Ok(level.as_str().to_owned());
    String => Vec<TokenDigest>: |text| digests(&text),
        |digests| valid(serde_json::to_string(&digests.iter().map(|digest| &digest.0).collect::<Vec<_>>()));
    String => TokenDigest: |text| Ok(TokenDigest(text)), |digest| Ok(digest.0.clone());
    String => Website: |text| valid(Website::stored(&text)), |website| Ok(website.as_str().to_owned());
    // A stored URL was allowed when it was stored. Whether its address may be reached is checked on delivery.
    String => Color: |text| valid(Color::parse(&text)), |color| Ok(color.to_string());
    String => DocumentUrl: |text| valid(DocumentUrl::stored(&text)), |url| Ok(url.as_str().to_owned());
    String => WebhookUrl: |text| valid(WebhookUrl::stored(&text, true)), |url| Ok(url.as_str().to_owned());
    String => WebhookOrdering: |text| valid(WebhookOrdering::parse(&text)), |ordering| Ok(ordering.as_str().to_owned());
    String => Issuer: |text| valid(Issuer::stored(&text)), |issuer| Ok(issuer.as_str().to_owned());
    String => ProviderKind: |text| valid(ProviderKind::parse(&text)), |kind| Ok(kind.as_str().to_owned());
    String => ProviderClientId: |text| valid(ProviderClientId::parse(&text)), |id| Ok(id.as_str().to_owned());
    String => Vec<EmailDomain>: |text| domains(&text),
        |domains| valid(serde_json::to_string(&domains.iter().map(EmailDomain::as_str).collect::<Vec<_>>()));
    String => RedirectUri: |text| valid(RedirectUri::stored(&text)), |uri| Ok(uri.to_string());
    // Empty if a device waits for the response.
    String => Option<RedirectUri>:
        |text| match text.as_str() { "" => Ok(None), uri => valid(RedirectUri::stored(uri)).map(Some) },
        |uri| Ok(uri.as_ref().map(RedirectUri::to_string).unwrap_or_default());
    String => ItemId: |text| valid(ItemId::stored(&text)), |id| Ok(id.as_str().to_owned());
    String => RoleSet: |text| Ok(RoleSet::from_stored(&text)), |roles| Ok(roles.to_string());
    // Of a client, which only a server uses.
    String => KeyRoles: |text| Ok(KeyRoles::from_stored(&text, true)), |roles| Ok(roles.to_string());
    String => GrantTypes: |text| Ok(GrantTypes::from_stored(&text)), |types| Ok(types.to_string());
    String => ClientScopes: |text| client_scopes(&text), |scopes| Ok(client_scopes_json(scopes));
    String => ScopeSet: |text| Ok(ScopeSet::parse(&text)), |scopes| Ok(scopes.to_string());
    String => UserStatus: |text| Ok(UserStatus::from_stored(&text)), |status| Ok(status.as_str().to_owned());
    String => EmailDelivery: |text| Ok(EmailDelivery::from_stored(&text)), |delivery| Ok(delivery.as_str().to_owned());
    String => DraftEditor: |text| known(DraftEditor::parse(&text), "a draft with an unknown editor"),
        |editor| Ok(editor.as_str().to_owned());
    String => ImportState: |text| known(ImportState::parse(&text), "an import with an unknown state"),
        |state| Ok(state.as_str().to_owned());
    String => Locale: |tag| Ok(Locale::parse(&tag).unwrap_or_default()), |language| Ok(language.as_str().to_owned());
    String => LinkPurpose: |text| known(LinkPurpose::parse(&text), "an email link with an unknown purpose"),
        |purpose| Ok(purpose.as_str().to_owned());
    String => CodeChallenge: |text| known(CodeChallenge::parse(&text), "an invalid code challenge"),
        |challenge| Ok(challenge.as_str().to_owned());
    String => KeyThumbprint: |text| known(KeyThumbprint::parse(&text), "an invalid thumbprint of a key"),
        |key| Ok(key.as_str().to_owned());
    String => UserCode: |text| Ok(UserCode::from_stored(text)), |code| Ok(code.to_string());
    String => ResponseMode: |text| Ok(ResponseMode::parse(&text).unwrap_or_default()), |mode| Ok(mode.as_str().to_owned());
    String => Prompt: |text| known(Prompt::parse(&text), "an unknown `prompt` value"), |prompt| Ok(prompt.words());
    // JSON.
    String => Vec<String>: |text| valid(serde_json::from_str(&text)), |texts| valid(serde_json::to_string(texts));
    Json => ItemValue: |json| Ok(ItemValue::stored(json.0)), |value| Ok(Json(value.as_str().to_owned()));
    Json => Value: |json| valid(serde_json::from_str(&json.0)), |value| Ok(Json(value.to_string()));
    Json => JsonObject: |json| object(&json), |object| Ok(Json(object.to_json()));
    Json => ClientKeys: |json| valid(ClientKeys::stored(&json.0)), |keys| Ok(Json(keys.to_json()));
    Json => Image: |json| image(&json), |image| Ok(image_json(image));
    Json => Document: |json| document(&json), |document| Ok(Json(document.to_json()));
    Json => EventSelection: |json| Ok(EventSelection::from_stored(texts(&json)?)), |events| Ok(array(events.texts()));
    Json => Vec<RedirectUri>: |json| texts(&json)?.iter().map(|uri| valid(RedirectUri::stored(uri))).collect(),
        |uris| Ok(array(uris));
    Json => Vec<TeamId>: |json| ids(&json, TeamId::parse), |ids| Ok(array(ids));
    Json => Vec<ProjectId>: |json| ids(&json, ProjectId::parse), |ids| Ok(array(ids));
}

fn valid<T>(parsed: Result<T, impl Display>) -> Result<T, JobError> {
    parsed.map_err(JobError::corrupt)
}

fn known<T>(parsed: Option<T>, problem: &str) -> Result<T, JobError> {
    parsed.ok_or_else(|| JobError::corrupt(problem))
}

fn digests(json: &str) -> Result<Vec<TokenDigest>, JobError> {
    let texts: Vec<String> = valid(serde_json::from_str(json))?;
    Ok(texts.into_iter().map(TokenDigest).collect())
}

fn domains(json: &str) -> Result<Vec<EmailDomain>, JobError> {
    let texts: Vec<String> = valid(serde_json::from_str(json))?;
    texts.iter().map(|text| valid(EmailDomain::parse(text))).collect()
}

/// Parses the scopes of clients: a JSON object from the ID of each to its scopes.
fn client_scopes(json: &str) -> Result<ClientScopes, JobError> {
    let texts: BTreeMap<String, String> = valid(serde_json::from_str(json))?;
    let parsed = |(id, scopes): (String, String)| Some((ProjectClientId::parse(&id)?, ScopeSet::parse(&scopes)));
    let scopes: Option<BTreeMap<_, _>> = texts.into_iter().map(parsed).collect();
    known(scopes.map(ClientScopes), "the scopes of a client with an invalid ID")
}

fn client_scopes_json(scopes: &ClientScopes) -> String {
    let texts = scopes.0.iter().map(|(id, scopes)| (id.to_string(), Value::from(scopes.to_string())));
    Value::Object(texts.collect()).to_string()
}

/// Encodes texts as a JSON array.
fn array<T: ToString>(texts: impl IntoIterator<Item = T>) -> Json {
    Json(Value::from_iter(texts.into_iter().map(|text| text.to_string())).to_string())
}

fn texts(json: &Json) -> Result<Vec<String>, JobError> {
    valid(serde_json::from_str(&json.0))
}

fn ids<T>(json: &Json, parse: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, JobError> {
    let parsed = |text: &String| parse(text).ok_or_else(|| JobError::corrupt(format_args!("the invalid ID `{text}`")));
    texts(json)?.iter().map(parsed).collect()
}

/// Parses a free-form JSON object.
fn object(json: &Json) -> Result<JsonObject, JobError> {
    match serde_json::from_str(&json.0) {
        Ok(Value::Object(members)) => valid(JsonObject::parse(members)),
        _ => Err(JobError::corrupt("a value that is not a JSON object")),
    }
}

fn document(json: &Json) -> Result<Document, JobError> {
    let document = valid(serde_json::from_str(&json.0))?;
    Document::parse(&document).map_err(|_| JobError::corrupt("an invalid schema document"))
}

/// Encodes the metadata of an image as JSON.
fn image_json(image: &Image) -> Json {
    let metadata = json!({
        "id": image.id.to_string(), "format": image.format.as_str(), "size": image.size,
        "uploaded_at": image.uploaded_at.to_rfc3339(),
    });
    Json(metadata.to_string())
}

fn image(json: &Json) -> Result<Image, JobError> {
    let metadata: Value = valid(serde_json::from_str(&json.0))?;
    let text = |name: &str| metadata.get(name).and_then(Value::as_str);
    let image = || {
        Some(Image {
            id: ImageId::parse(text("id")?)?,
            format: ImageFormat::parse(text("format")?)?,
            size: metadata.get("size")?.as_i64()?,
            uploaded_at: text("uploaded_at")?.parse().ok()?,
        })
    };
    known(image(), "invalid image metadata")
}

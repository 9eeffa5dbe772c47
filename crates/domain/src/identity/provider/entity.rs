//! Identity providers: other services at which people sign in, and the identities that they have there (OpenID Connect
//! Core; GitHub, whose OAuth is not OpenID Connect).

use chrono::TimeDelta;

use crate::administration::WebhookUrl;
use crate::identity::{Email, EmailDomain};
use crate::kernel::text::characters::check_text;
use crate::kernel::{
    AccountId, IdentityProviderId, InvalidText, InvalidValue, Label, LinkedIdentityId, ProjectId, Revision, Secret,
    Time, as_text, audited, debug_only, named,
};

/// Maximum number of providers whose buttons a page shows. Further ones of the service cannot be added.
pub const MAX_SERVICE_PROVIDERS: usize = 20;
/// How long a person has to sign in at a provider, and then to prove the account that has the address.
pub const PROVIDER_SIGN_IN_TTL: TimeDelta = TimeDelta::minutes(10);
/// Maximum number of identities that are linked to an account.
pub const MAX_LINKED_IDENTITIES: usize = 50;
/// Maximum number of email domains that a provider is required for.
const MAX_DOMAINS: usize = 100;

named! {
    /// What a provider is. It decides about the protocol, and about the issuer if all customers of the provider share
    /// one. The variants have the order of forms.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ProviderKind: "the name used in the API and in the database",
        else "must be `openid_connect`, `google`, `microsoft`, `apple`, `github` or `gitlab`"
    {
        /// Any provider of OpenID Connect.
        OpenIdConnect = "openid_connect",
        /// Google.
        Google = "google",
        /// Microsoft Entra ID. Each tenant is an issuer of its own.
        Microsoft = "microsoft",
        /// Sign in with Apple.
        Apple = "apple",
        /// GitHub, or a GitHub Enterprise Server.
        GitHub = "github",
        /// GitLab, or a self-managed one.
        GitLab = "gitlab",
    }
}

impl ProviderKind {
    /// Returns the name that people know.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OpenIdConnect => "OpenID Connect",
            Self::Google => "Google",
            Self::Microsoft => "Microsoft",
            Self::Apple => "Apple",
            Self::GitHub => "GitHub",
            Self::GitLab => "GitLab",
        }
    }

    /// Returns the issuer that all customers of the provider share.
    pub const fn shared_issuer(self) -> Option<&'static str> {
        match self {
            Self::Google => Some("https://accounts.google.com"),
            Self::Apple => Some("https://appleid.apple.com"),
            Self::GitHub => Some("https://github.com"),
            Self::GitLab => Some("https://gitlab.com"),
            Self::OpenIdConnect | Self::Microsoft => None,
        }
    }
}

/// The URL that identifies a provider (`issuer`, OpenID Connect Discovery §3). For GitHub, the URL of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuer(String);

as_text!(Issuer);

impl Issuer {
    /// The maximum length, in bytes.
    pub const MAX_LENGTH: usize = 500;
    /// The permitted schemes and characters, as a regular expression (ECMA-262).
    pub const PATTERN: &str = r"^https?://[^\s?]+$";

    /// Validates the URL: https, without a query and at most 500 characters. `allow_http` also allows http, and
    /// `allow_private` IP addresses of private networks.
    pub fn parse(text: &str, allow_http: bool, allow_private: bool) -> Result<Self, InvalidText> {
        let issuer = Self::checked(text, allow_http, allow_private)?;
        check_text(&issuer.0)?;
        Ok(issuer)
    }

    /// Parses a stored text. Earlier versions accepted characters that people cannot see. Whether its address may be
    /// reached is checked when it is used.
    pub fn stored(text: &str) -> Result<Self, InvalidValue> {
        Self::checked(text, true, true)
    }

    fn checked(text: &str, allow_http: bool, allow_private: bool) -> Result<Self, InvalidValue> {
        const ERROR: InvalidValue =
            InvalidValue("must be an https URL without a query, like https://accounts.example.com");
        let text = text.trim();
        let has_scheme = allow_http || text.starts_with("https://");
        if !has_scheme || text.len() > Self::MAX_LENGTH || text.contains('?') || WebhookUrl::stored(text, true).is_err()
        {
            return Err(ERROR);
        }
        if !allow_private {
            WebhookUrl::stored(text, false)?;
        }
        Ok(Self(text.to_owned()))
    }

    /// Returns the issuer as the metadata of its provider names it, which may differ by a slash at the end: tokens have that one
    /// (OpenID Connect Discovery §4.3). Another issuer is refused, with the reason.
    pub fn as_named(&self, named: &str) -> Result<Self, String> {
        let without_slash = |text: &str| text.strip_suffix('/').unwrap_or(text).to_owned();
        if named.contains('{') {
            return Err("The provider names a different issuer for each of its tenants. Enter that of one tenant: for Microsoft, \
                        https://login.microsoftonline.com/TENANT/v2.0 with the ID of the tenant."
                .to_owned());
        }
        match Self::parse(named, true, true) {
            Ok(found) if without_slash(named) == without_slash(&self.0) => Ok(found),
            Ok(found) => Err(format!("The provider names another issuer. Enter that one: {}", found.0)),
            Err(_) => Err("The provider names an issuer that is not a valid URL.".to_owned()),
        }
    }
}

/// The client ID that a provider has assigned: at most 255 printable ASCII characters (RFC 6749 Appendix A.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderClientId(String);

as_text!(ProviderClientId);

impl ProviderClientId {
    /// The permitted numbers of characters.
    pub const LENGTH: std::ops::RangeInclusive<usize> = 1..=255;
    /// The permitted characters, as a regular expression (ECMA-262): also those of secrets.
    pub const PATTERN: &str = "^[ -~]*[!-~][ -~]*$";

    /// Trims and validates the text.
    pub fn parse(text: &str) -> Result<Self, InvalidValue> {
        let text = text.trim();
        let is_valid = Self::LENGTH.contains(&text.len()) && text.bytes().all(|b| (0x20..=0x7e).contains(&b));
        is_valid.then(|| Self(text.to_owned())).ok_or(InvalidValue("must be 1 to 255 printable ASCII characters"))
    }
}

/// The permitted numbers of characters of a client secret.
pub const CLIENT_SECRET_LENGTH: std::ops::RangeInclusive<usize> = 1..=2_000;

/// Validates the secret that a provider has assigned: at most 2,000 printable ASCII characters (RFC 6749 Appendix A.2).
pub fn parse_client_secret(secret: &Secret) -> Result<Secret, InvalidValue> {
    let text = secret.expose().trim();
    let is_valid = CLIENT_SECRET_LENGTH.contains(&text.len()) && text.bytes().all(|b| (0x20..=0x7e).contains(&b));
    is_valid.then(|| Secret::new(text.to_owned())).ok_or(InvalidValue("must be 1 to 2,000 printable ASCII characters"))
}

/// Parses the email domains of people who must use a provider.
pub fn parse_email_domains<T: AsRef<str>>(texts: &[T]) -> Result<Vec<EmailDomain>, InvalidValue> {
    if texts.len() > MAX_DOMAINS {
        return Err(InvalidValue("must contain at most 100 domains"));
    }
    let mut domains: Vec<EmailDomain> = Vec::new();
    for text in texts {
        let domain = EmailDomain::parse(text.as_ref())?;
        if !domains.contains(&domain) {
            domains.push(domain);
        }
    }
    Ok(domains)
}

/// A service at which people sign in, instead of with a password.
#[derive(Clone, PartialEq, Eq)]
pub struct IdentityProvider {
    /// Unique ID of the provider. It is part of the redirect URI, so that responses of providers cannot be mixed up
    /// (RFC 9700 §4.4).
    pub id: IdentityProviderId,
    /// The project whose people sign in there; `None` for a provider of the whole service.
    pub project_id: Option<ProjectId>,
    /// What it is.
    pub kind: ProviderKind,
    /// The name on the button.
    pub name: Label,
    /// The URL that identifies it. It does not change, because the identities are those of this issuer.
    pub issuer: Issuer,
    /// The ID of this service there.
    pub client_id: ProviderClientId,
    /// The secret of this service there, encrypted for this provider; `None` for a public client.
    pub client_secret: Option<Vec<u8>>,
    /// The domains whose addresses have to sign in there. Only for providers of the whole service.
    pub email_domains: Vec<EmailDomain>,
    /// Whether people can sign in there.
    pub is_enabled: bool,
    /// The account that added the provider; `None` if an older version of the service did.
    pub created_by: Option<AccountId>,
    /// The account that last set its client ID or secret, or enabled it; `None` if nobody has since.
    pub configured_by: Option<AccountId>,
    /// When the provider was added.
    pub created_at: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

impl IdentityProvider {
    /// Returns whether an address that it calls verified is one of the person. Only the operator of the service can
    /// decide to trust a provider: an admin of a project could add one that claims the address of anyone.
    pub fn proves_emails(&self) -> bool {
        // An administrator of a customer of Microsoft can set the addresses of people to those of others, although the
        // provider says that they are verified.
        self.project_id.is_none() && self.kind != ProviderKind::Microsoft
    }

    /// Returns whether the address of an identity is one of the person: if the provider says that it verified it. One
    /// that says nothing about that proves the addresses of the domains for which it is required, unless anyone can
    /// have an identity there.
    pub(crate) fn proves(&self, identity: &ProviderIdentity, email: &Email) -> bool {
        match identity.email_verified {
            Some(true) => self.proves_emails() || self.is_required_for(email),
            None => self.is_required_for(email) && self.kind.shared_issuer() != Some(self.issuer.as_str()),
            Some(false) => false,
        }
    }

    /// Returns whether only the provider knows how its issuer is written. The shared ones are known, and GitHub has no
    /// metadata.
    pub(crate) fn has_own_issuer(&self) -> bool {
        self.kind != ProviderKind::GitHub && self.kind.shared_issuer() != Some(self.issuer.as_str())
    }

    /// Returns whether a person with this address has to sign in there.
    pub fn is_required_for(&self, email: &Email) -> bool {
        self.is_enabled && self.project_id.is_none() && self.email_domains.iter().any(|domain| domain.contains(email))
    }
}

audited!(IdentityProvider as IdentityProvider of |provider| (None, provider.project_id), |provider| {
    "kind": provider.kind.as_str(), "name": provider.name.as_str(), "issuer": provider.issuer.as_str(),
    "client_id": provider.client_id.as_str(), "has_client_secret": provider.client_secret.is_some(),
    "email_domains": provider.email_domains.iter().map(EmailDomain::as_str).collect::<Vec<_>>(),
    "is_enabled": provider.is_enabled,
});

debug_only!(IdentityProvider: id, issuer);

/// The identity of a person at a provider, with which they sign in to an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedIdentity {
    /// Unique ID of the link.
    pub id: LinkedIdentityId,
    /// The account.
    pub account_id: AccountId,
    /// The provider.
    pub provider_id: IdentityProviderId,
    /// The ID of the person at the provider (`sub`), which is never assigned to another one (OpenID Connect Core §2).
    pub subject: String,
    /// The address that the provider knew at the last sign-in. It identifies nobody.
    pub email: Option<Email>,
    /// When the identity was linked.
    pub created_at: Time,
    /// When the person last signed in with it.
    pub last_used: Time,
    /// The revision, for compare-and-set.
    pub revision: Revision,
}

audited!(LinkedIdentity as LinkedIdentity of nobody, |identity| {
    "account_id": identity.account_id.to_string(), "provider_id": identity.provider_id.to_string(),
    "last_used": identity.last_used.to_rfc3339(),
});

/// What a provider says about a person who has just signed in there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderIdentity {
    /// The ID of the person there.
    pub subject: String,
    /// The email address, if the person shares one that is valid here.
    pub email: Option<Email>,
    /// Whether the provider says that the address is one of the person. `None` if it says nothing about that.
    pub email_verified: Option<bool>,
    /// The name of the person, if it is valid here.
    pub name: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_issuer_is_an_https_url_without_a_query() {
        for valid in ["https://accounts.google.com", "https://login.example.com/tenant/v2.0", "https://id.example.com/"]
        {
            assert_eq!(Issuer::parse(valid, false, false).unwrap().as_str(), valid);
        }
        let long = format!("https://example.com/{}", "a".repeat(500));
        for invalid in ["", "http://id.example.com", "https://id.example.com/?a=b", "https://a@id.example.com", &long] {
            assert!(Issuer::parse(invalid, false, false).is_err(), "{invalid}");
        }
        let private = Issuer::parse("https://10.1.2.3/", false, false).unwrap_err();
        assert_eq!(private.to_string(), "must not be a private network address");
        assert!(Issuer::parse("https://10.1.2.3/", false, true).is_ok());
        assert!(Issuer::parse("http://127.0.0.1:9000", true, true).is_ok());
    }

    #[test]
    fn a_provider_names_its_issuer_with_or_without_a_slash() {
        let typed = |text: &str| Issuer::parse(text, false, false).unwrap();
        for (text, named) in [
            ("https://acme.eu.auth0.com", "https://acme.eu.auth0.com/"),
            ("https://acme.eu.auth0.com/", "https://acme.eu.auth0.com"),
            ("https://id.example.com/realms/acme", "https://id.example.com/realms/acme"),
        ] {
            assert_eq!(typed(text).as_named(named).unwrap().as_str(), named);
        }
        let long = format!("https://id.example.com/{}", "/".repeat(500));
        for (named, reason) in [
            ("https://id.example.com//", "Enter that one: https://id.example.com//"),
            ("https://ID.example.com", "Enter that one: https://ID.example.com"),
            ("http://id.example.com", "Enter that one: http://id.example.com"),
            ("https://attacker.example", "Enter that one: https://attacker.example"),
            ("https://login.microsoftonline.com/{tenantid}/v2.0", "Enter that of one tenant"),
            ("id.example.com", "not a valid URL"),
            ("", "not a valid URL"),
            (long.as_str(), "not a valid URL"),
        ] {
            let refused = typed("https://id.example.com").as_named(named).unwrap_err();
            assert!(refused.contains(reason), "{named}: {refused}");
        }
    }

    #[test]
    fn the_kinds_with_a_shared_issuer_have_a_valid_one() {
        for kind in ProviderKind::ALL {
            assert_eq!(ProviderKind::parse(kind.as_str()), Ok(kind));
            assert!(kind.shared_issuer().is_none_or(|issuer| Issuer::parse(issuer, false, false).is_ok()));
        }
    }

    #[test]
    fn client_ids_and_secrets_are_printable_ascii() {
        assert_eq!(ProviderClientId::parse(" abc.apps ").unwrap().as_str(), "abc.apps");
        let secret = |text: &str| parse_client_secret(&Secret::new(text.to_owned()));
        assert_eq!(secret(" s3cret\n").unwrap().expose(), "s3cret");
        for invalid in ["", " ", "a\tb", "ü"] {
            assert!(ProviderClientId::parse(invalid).is_err() && secret(invalid).is_err(), "{invalid:?}");
        }
    }
}

//! Quotas of teams and projects: the table of their names, defaults and settings.

use std::fmt;

macro_rules! quotas {
    ($($variant:ident $name:literal $setting:literal $default:literal, $about:literal;)+) => {
        $crate::kernel::named! {
            /// A resource whose number or size is limited per team or project.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum Quota: "the name used in errors, metrics and docs" { $(#[doc = $about] $variant = $name),+ }
        }

        impl Quota {
            /// Returns the name of the setting that changes the limit.
            pub const fn setting(self) -> &'static str {
                match self { $(Self::$variant => $setting),+ }
            }

            /// Returns the limit that applies unless the setting changes it.
            pub const fn default_limit(self) -> u64 {
                match self { $(Self::$variant => $default),+ }
            }

            /// Returns the default limit as text.
            pub const fn default_text(self) -> &'static str {
                match self { $(Self::$variant => stringify!($default)),+ }
            }

            /// Returns what the quota counts, such as `API keys per project`, for help texts and error messages.
            pub const fn description(self) -> &'static str {
                match self { $(Self::$variant => $about),+ }
            }
        }
    };
}

quotas! {
    ItemsPerProject "items_per_project" "STEWARD_MAX_ITEMS_PER_PROJECT" 10000000, "items per project (all users)";
    BytesPerProject "bytes_per_project" "STEWARD_MAX_BYTES_PER_PROJECT" 10737418240, "bytes of item JSON per project";
    ProjectsPerTeam "projects_per_team" "STEWARD_MAX_PROJECTS_PER_TEAM" 200, "projects per team";
    MembersPerTeam "members_per_team" "STEWARD_MAX_MEMBERS_PER_TEAM" 1000, "members per team";
    PendingInvitesPerTeam "pending_invites_per_team" "STEWARD_MAX_PENDING_INVITES_PER_TEAM" 1000,
        "pending invites per team";
    KeysPerProject "keys_per_project" "STEWARD_MAX_KEYS_PER_PROJECT" 200, "API keys per project";
    WebhooksPerProject "webhooks_per_project" "STEWARD_MAX_WEBHOOKS_PER_PROJECT" 50, "webhooks per project or team";
    IdentityProvidersPerProject "identity_providers_per_project" "STEWARD_MAX_IDENTITY_PROVIDERS_PER_PROJECT" 20,
        "identity providers per project";
    ClientsPerProject "clients_per_project" "STEWARD_MAX_CLIENTS_PER_PROJECT" 50, "OAuth clients per project";
    SelfRegisteredClientsPerProject "self_registered_clients_per_project"
        "STEWARD_MAX_SELF_REGISTERED_CLIENTS_PER_PROJECT" 500, "OAuth clients per project that registered themselves";
    SchemaVersionsPerProject "schema_versions_per_project" "STEWARD_MAX_SCHEMA_VERSIONS_PER_PROJECT" 2000,
        "schema versions per project";
    ReservedSlugsPerTeam "reserved_slugs_per_team" "STEWARD_MAX_RESERVED_SLUGS_PER_TEAM" 500,
        "current and previous slugs per team (including its projects)";
}

impl fmt::Display for Quota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.description())
    }
}

/// The configured limit of each quota.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quotas(Vec<(Quota, u64)>);

impl Default for Quotas {
    fn default() -> Self {
        Self(Quota::ALL.iter().map(|quota| (*quota, quota.default_limit())).collect())
    }
}

impl Quotas {
    /// Returns the limits with one of them changed.
    pub fn with(mut self, quota: Quota, limit: u64) -> Self {
        self.0.iter_mut().filter(|(known, _)| *known == quota).for_each(|(_, known)| *known = limit);
        self
    }

    /// Returns the limit of a quota.
    pub fn limit(&self, quota: Quota) -> u64 {
        self.0.iter().find(|(known, _)| *known == quota).map_or(quota.default_limit(), |(_, limit)| *limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_quota_has_its_own_name_and_setting() {
        for quota in Quota::ALL {
            assert_eq!(quota.setting(), format!("STEWARD_MAX_{}", quota.as_str().to_uppercase()));
        }
    }

    #[test]
    fn a_limit_is_the_default_until_it_is_set() {
        let quotas = Quotas::default().with(Quota::KeysPerProject, 7);
        assert_eq!(quotas.limit(Quota::KeysPerProject), 7);
        assert_eq!(quotas.limit(Quota::ProjectsPerTeam), Quota::ProjectsPerTeam.default_limit());
    }
}

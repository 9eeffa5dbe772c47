//! Teams and projects, with what belongs to them.

use std::fmt::Display;

use serde_json::{Map, Value};
use steward_api::{
    AuditParameters, EventParameters, InviteReference, KeyChanges, KeyRegeneration, KeyToVerify, MemberChanges,
    NewInvite, NewKey, NewProject, NewTeam, NewWebhook, ProjectChanges, ProjectUpdate, RequestParameters,
    ResetParameters, SettingsChanges, TeamChanges, WebhookChanges,
};

use super::group::groups;

groups! {
    Teams: teams() of "teams" {
        /// Lists the teams of the caller, oldest first.
        list() => list ListTeams;
        /// Returns a team.
        get(team_id) => GetTeam;
        /// Creates a team. The caller becomes its owner.
        create(team: &NewTeam) => CreateTeam.body(team);
        /// Updates a team.
        update(team_id; changes: &TeamChanges) => UpdateTeam.body(changes);
        /// Deletes a team. It must not own projects.
        delete(team_id) => DeleteTeam;
        /// Returns whether a slug is neither taken nor reserved.
        check_slug(slug: &str) => CheckTeamSlug.query("slug", slug);
    }

    Members: members(team_id) of "the members of a team" {
        /// Lists the members, oldest first.
        list() => list ListMembers;
        /// Updates a member. The role `owner` makes the member an owner of the team. The query parameter `end` deletes
        /// what depends on permissions which the member loses: `.query("end", "keys,clients,identity_providers")`.
        update(account_id; changes: &MemberChanges) => UpdateMember.body(changes);
        /// Removes a member. The query parameter `end` deletes what the member leaves behind, as with
        /// [`update`](Self::update).
        remove(account_id) => RemoveMember;
    }

    Invites: invites(team_id) of "the invites of a team" {
        /// Lists the pending invites, newest first.
        list() => list ListInvites;
        /// Creates an invite, or renews the pending one for the same recipient.
        create(invite: &NewInvite) => CreateInvite.body(invite);
        /// Revokes an invite.
        delete(invite_id) => DeleteInvite;
    }

    OwnInvites: own_invites() of "the invites that the caller received" {
        /// Lists the pending invites, newest first.
        list() => list ListOwnInvites;
        /// Accepts an invite.
        accept(invite_id: impl Display) => AcceptInvite.body(&InviteReference { invite_id: invite_id.to_string() });
        /// Declines an invite.
        decline(invite_id: impl Display) => DeclineInvite.body(&InviteReference { invite_id: invite_id.to_string() });
    }

    Projects: projects() of "projects" {
        /// Lists the projects of all of the caller's teams, newest first. An API key lists only its own project.
        list() => list ListProjects;
        /// Returns a project with its quotas.
        get(project_id) => GetProject;
        /// Returns what everyone may read of a project.
        profile(project_id) => GetProjectProfile;
        /// Returns the number of requests to a project on each of the last days, up to today. `days`: 1 to 365.
        request_stats(project_id; days: u16) => GetRequestStats.query("days", days);
        /// Returns the newest requests to a project, or those after a point, oldest first. To receive each request
        /// once, continue with [`RequestList::next`](crate::RequestList::next).
        requests(project_id; which: &RequestParameters) => ListRequests.parameters(which);
        /// Creates a project in a team.
        create(project: &NewProject) => CreateProject.body(project);
        /// Updates a project.
        update(project_id; change: ProjectChanges) => UpdateProject.body(&ProjectUpdate { change, data: None });
        /// Deletes a project and all its data.
        delete(project_id) => DeleteProject;
        /// Returns whether a slug is neither taken nor reserved.
        check_slug(slug: &str) => CheckProjectSlug.query("slug", slug);
    }

    Settings: settings(project_id) of "the settings of a project" {
        /// Returns the settings, with the default for each setting that was never changed.
        get() => GetSettings;
        /// Merges changes into the settings (RFC 7396): null resets a setting to its default.
        update(changes: Map<String, Value>) => UpdateSettings.body(&SettingsChanges(changes));
        /// Resets settings to their defaults. The names are dotted paths, such as `auth.redirect_uris`.
        reset(names: &[impl AsRef<str>]) => ResetSettings
            .parameters(&ResetParameters { key: names.iter().map(|name| name.as_ref().to_owned()).collect() });
    }

    Images: images(project_id) of "the images of a project" {
        /// Returns the uploaded images.
        list() => ListImages;
        /// Replaces the icon by a PNG, JPEG, WebP or GIF image.
        upload_icon(image: &[u8]) => UploadIcon.form(image);
        /// Replaces the background by a PNG, JPEG, WebP or GIF image.
        upload_background(image: &[u8]) => UploadBackground.form(image);
        /// Deletes the icon.
        delete_icon() => DeleteIcon;
        /// Deletes the background.
        delete_background() => DeleteBackground;
    }

    Keys: keys(project_id) of "the API keys of a project" {
        /// Lists the keys without their values, newest first.
        list() => list ListKeys;
        /// Returns a key without its value.
        get(key_id) => GetKey;
        /// Creates a key. Its value is never returned again.
        create(key: &NewKey) => CreateKey.body(key);
        /// Updates a key. Its value stays the same.
        update(key_id; changes: &KeyChanges) => UpdateKey.body(changes);
        /// Deletes a key. Its value stops working immediately.
        delete(key_id) => DeleteKey;
        /// Replaces the value of a key. The old value continues to work for `grace_seconds`: 0 to 86,400.
        rotate(key_id; grace_seconds: u32) => RegenerateKey
            .body(&KeyRegeneration { grace_seconds: Some(grace_seconds) });
        /// Revokes the values before the current one, before their grace period ends.
        revoke_previous_values(key_id) => RevokePreviousKeyValues;
        /// Returns whether a value belongs to a key of the project, or to the key with this ID, that has not expired.
        verify(value: &str, key_id: Option<&str>) => VerifyKey
            .body(&KeyToVerify { key: value.into(), key_id: key_id.map(str::to_owned) });
    }

    AuditLog: team_audit_log(team_id) of "the audit log of a team, with its projects"
    | project_audit_log(project_id) of "the audit log of a project" {
        /// Lists the events that match a filter, newest first.
        list(filter: &AuditParameters) => list ListTeamAudit | ListProjectAudit.parameters(filter);
        /// Returns at most `limit` events (100 by default) after a position, or from the start of the log, oldest
        /// first. To receive each event once, continue with [`Events::next`](crate::Events::next).
        events(after: Option<i64>, limit: Option<u16>) => ListTeamEvents | ListProjectEvents
            .parameters(&EventParameters { after, limit });
    }

    Webhooks: team_webhooks(team_id) of "the webhooks of a team"
    | project_webhooks(project_id) of "the webhooks of a project" {
        /// Lists the webhooks, newest first.
        list() => list ListTeamWebhooks | ListProjectWebhooks;
        /// Returns a webhook.
        get(webhook_id) => GetTeamWebhook | GetProjectWebhook;
        /// Creates a webhook. It receives events from now on.
        create(webhook: &NewWebhook) => CreateTeamWebhook | CreateProjectWebhook.body(webhook);
        /// Updates a webhook, pauses it or resumes it.
        update(webhook_id; changes: &WebhookChanges) => UpdateTeamWebhook | UpdateProjectWebhook.body(changes);
        /// Deletes a webhook.
        delete(webhook_id) => DeleteTeamWebhook | DeleteProjectWebhook;
        /// Lists the attempts to deliver events to a webhook, newest first.
        deliveries(webhook_id) => list ListTeamWebhookDeliveries | ListProjectWebhookDeliveries;
        /// Returns an attempt with its message and response.
        delivery(webhook_id, delivery_id) => GetTeamWebhookDelivery | GetProjectWebhookDelivery;
        /// Sends the event of an earlier delivery again, and returns the outcome. A failed delivery is not an error:
        /// see [`WebhookDelivery::error`](crate::WebhookDelivery::error).
        redeliver(webhook_id, delivery_id) => RedeliverTeamWebhook | RedeliverProjectWebhook;
        /// Sends a test event to a webhook, which may be paused, and returns the outcome. A failed delivery is not an
        /// error: see [`WebhookDelivery::error`](crate::WebhookDelivery::error).
        test(webhook_id) => TestTeamWebhook | TestProjectWebhook;
        /// Rotates the secret of a webhook. For 24 hours, messages are signed with both secrets.
        rotate_secret(webhook_id) => RotateTeamWebhookSecret | RotateProjectWebhookSecret;
    }
}

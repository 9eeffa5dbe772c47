//! Invites (docs/contract.md#invites).

use serde_json::{Value, json};

use super::label_faults;
use crate::expected::{ALREADY_MEMBER, Done, FORBIDDEN, INVALID, NOT_FOUND, Outcome, admitted, refuse_if};
use crate::operation::{Invites, Nth, Person, Recipient};
use crate::permission::Roles;
use crate::world::{Caller, Invite, Invitee, Member, Serves, World};

impl Recipient {
    /// Returns the email or username as it is sent.
    pub fn written(self, case: &str) -> String {
        match self {
            Self::Username(person) => person.username(case),
            Self::Email(person) => person.email(case),
            Self::UppercaseEmail(person) => person.email(case).to_uppercase(),
            Self::UnknownUsername => format!("nobody-{case}"),
            Self::UnknownEmail => format!("nobody-{case}@example.com"),
            Self::Nobody => String::new(),
        }
    }

    pub fn is_email(self) -> bool {
        matches!(self, Self::Email(_) | Self::UppercaseEmail(_) | Self::UnknownEmail)
    }
}

impl World {
    pub fn take_invite(&mut self, caller: Caller, operation: &Invites) -> Outcome {
        match operation {
            Invites::List { team } => {
                let team = admitted(self.in_team(caller, *team, Serves::Keys, "invite:read"), Vec::new())?;
                Ok(Done::ok(json!({"data": self.invites_shown(team)})))
            }
            Invites::Create { team, recipient, roles, label } => {
                self.create_invite(caller, *team, *recipient, roles, *label)
            }
            Invites::Revoke { invite, elsewhere } => self.revoke_invite(caller, *invite, *elsewhere),
            Invites::Accept { invite } => self.accept_invite(caller, *invite),
        }
    }

    /// A second invite for the same recipient renews the pending one. The response does not reveal whether an address
    /// has an account.
    fn create_invite(
        &mut self,
        caller: Caller,
        team: Nth,
        recipient: Recipient,
        roles: &str,
        label: Option<&str>,
    ) -> Outcome {
        let parsed = Roles::of_member(roles);
        let mut errors = label_faults(label);
        errors.extend((parsed.is_none() || recipient == Recipient::Nobody).then_some(INVALID));
        let team = admitted(self.in_team(caller, team, Serves::People, "invite:write"), errors)?;
        let roles = parsed.unwrap();
        let written = recipient.written(&self.case);
        let invitee = match recipient {
            Recipient::Username(person) => Some(Invitee::Account(person)),
            recipient => recipient.is_email().then(|| Invitee::Email(written.to_lowercase())),
        };
        let is_member = |person: &Person| invitee.as_ref().is_some_and(|invitee| self.names(invitee, *person));
        let is_member = self.teams[team].members.iter().any(|member| is_member(&member.person));
        refuse_if(&[
            (!self.may_grant(caller, team, &roles), FORBIDDEN),
            (invitee.is_none(), NOT_FOUND),
            (is_member, ALREADY_MEMBER),
        ])?;

        let Caller::Person(by) = caller else { unreachable!("Keys are rejected above.") };
        let recipient = invitee.unwrap();
        let is_same = |invite: &Invite| invite.pending && invite.team == team && invite.recipient == recipient;
        let renewed = self.invites.iter().position(is_same);
        let label = label.unwrap_or_default().to_owned();
        self.offers += 1;
        let invite = Invite { team, by, recipient, written, roles, label, pending: true, offer: self.offers };
        let id = renewed.unwrap_or(self.invites.len());
        if renewed.is_some() {
            self.invites[id] = invite;
        } else {
            self.invites.push(invite);
        }
        let mut facts = self.invite_shown(id);
        facts["account_id"] = match self.invites[id].recipient {
            Invitee::Account(person) => person.symbol().into(),
            Invitee::Email(_) => Value::Null,
        };
        Ok(Done::created(json!({"data": facts})))
    }

    fn revoke_invite(&mut self, caller: Caller, invite: Nth, elsewhere: Option<Nth>) -> Outcome {
        let invite = self.invite(invite);
        let team = elsewhere.unwrap_or(Nth(invite.map_or(0, |invite| self.invites[invite].team)));
        let team = admitted(self.in_team(caller, team, Serves::People, "invite:write"), Vec::new())?;
        let own = invite.filter(|invite| self.invites[*invite].team == team && self.invites[*invite].pending);
        let invite = own.ok_or(vec![NOT_FOUND])?;

        self.invites[invite].pending = false;
        Ok(Done::ok(json!({"success": true})))
    }

    /// Only the recipient can accept, once: the named account, or the account with the verified email.
    fn accept_invite(&mut self, caller: Caller, invite: Nth) -> Outcome {
        let person = admitted(self.person(caller), Vec::new())?;
        let pending = self.invite(invite).filter(|invite| {
            let invite = &self.invites[*invite];
            invite.pending && self.names(&invite.recipient, person)
        });
        let id = pending.ok_or(vec![NOT_FOUND])?;
        let Invite { team, roles, label, .. } = self.invites[id].clone();
        refuse_if(&[(self.member(team, person).is_some(), ALREADY_MEMBER)])?;

        self.invites[id].pending = false;
        self.teams[team].members.push(Member { person, roles, label });
        let mut facts = self.member_shown(team, person);
        facts["team_id"] = json!(format!("<team {team}>"));
        Ok(Done::ok(json!({"data": facts})))
    }

    /// Revokes pending invites that a member can no longer create with the roles `remaining`. Returns them.
    pub fn end_invites(&mut self, team: usize, by: Person, remaining: Option<&Roles>) -> Vec<Value> {
        let may_create = |invite: &Invite| {
            remaining.is_some_and(|remaining| {
                remaining.permissions.contains("invite:write")
                    && invite.roles.permissions.is_subset(&remaining.permissions)
                    && (remaining.is_owner() || !invite.roles.is_owner())
            })
        };
        let all = self.invites.iter_mut().enumerate();
        let ended =
            all.filter(|(_, invite)| invite.pending && invite.team == team && invite.by == by && !may_create(invite));
        let end = |(id, invite): (usize, &mut Invite)| {
            invite.pending = false;
            json!({"id": format!("<invite {id}>"), "roles": invite.roles.text})
        };
        ended.map(end).collect()
    }

    /// Returns the keys known to a member that have more permissions than `remaining`.
    pub fn keys_known(&self, team: usize, person: Person, remaining: Option<&Roles>) -> Vec<Value> {
        let known = self.keys.iter().enumerate().filter(|(_, key)| {
            let within = remaining.is_some_and(|remaining| key.roles.permissions.is_subset(&remaining.permissions));
            !key.deleted && key.known_to.contains(&person) && self.projects[key.project].team == team && !within
        });
        let shown = known.map(|(id, key)| {
            let project = format!("<project {}>", key.project);
            json!({"id": format!("<key {id}>"), "project_id": project, "label": key.label})
        });
        shown.collect()
    }

    fn names(&self, invitee: &Invitee, person: Person) -> bool {
        match invitee {
            Invitee::Account(account) => *account == person,
            Invitee::Email(email) => person.is_verified() && *email == person.email(&self.case),
        }
    }

    /// Returns the pending invites of a team, newest first.
    pub fn invites_shown(&self, team: usize) -> Vec<Value> {
        let of_team = |id: &usize| self.invites[*id].pending && self.invites[*id].team == team;
        let mut pending: Vec<usize> = (0..self.invites.len()).filter(of_team).collect();
        pending.sort_by_key(|id| std::cmp::Reverse(self.invites[*id].offer));
        pending.into_iter().map(|id| self.invite_shown(id)).collect()
    }

    fn invite_shown(&self, id: usize) -> Value {
        let invite = &self.invites[id];
        json!({"id": format!("<invite {id}>"), "team_id": format!("<team {}>", invite.team),
            "email_or_username": invite.written, "roles": invite.roles.text,
            "role_name": invite.roles.shown_label(&invite.label)})
    }
}

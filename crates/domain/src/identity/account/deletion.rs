//! Deletion of accounts with all personal data. It runs in bounded steps, so that no statement and no request runs
//! long, and continues in the background after a crash.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use chrono::TimeDelta;

use crate::administration::Authority;
use crate::data::{DataCore, UserData};
use crate::identity::account::administrator::Administrator;
use crate::identity::account::deletion_progress::DeletionProgress;
use crate::identity::{Account, IdentityCore};
use crate::kernel::changes::Changes;
use crate::kernel::error::{Conflict, Error};
use crate::kernel::jobs::Step;
use crate::kernel::policy::{Operation, Permit};
use crate::kernel::{AccountId, PageRequest, Request, lock, retry_stale};

/// How many audit events are examined in one step.
const BATCH_SIZE: u16 = 500;
/// Maximum number of steps while a request waits.
const MAX_STEPS: usize = 50;
/// The background job leaves a deletion that started later than this ago to the request that started it.
const REQUEST_TIME: TimeDelta = TimeDelta::seconds(15);
/// Name of the lease for the background job.
const SHARE: &str = "account_cleanup";

/// A deletion that has started.
#[derive(Debug, Clone, Copy)]
struct Deletion {
    account: AccountId,
    /// Position of the last audit event that was examined.
    examined: i64,
}

/// Performs the steps that delete an account and its data.
#[derive(Clone)]
pub struct AccountDeletion {
    core: Arc<IdentityCore>,
    user_data: UserData,
    authority: Authority,
}

impl AccountDeletion {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<IdentityCore>, data: &Arc<DataCore>) -> Self {
        Self { core: core.clone(), user_data: UserData::new(data), authority: Authority::new(&core.administration) }
    }

    /// Performs steps while a request waits.
    pub(crate) async fn run_some(&self, by: &Administrator<'_>, account: AccountId) -> Result<DeletionProgress, Error> {
        let mut deletion = Deletion { account, examined: 0 };
        for _ in 0..MAX_STEPS {
            if self.step(by, &mut deletion).await? == DeletionProgress::Complete {
                return Ok(DeletionProgress::Complete);
            }
        }
        Ok(DeletionProgress::Continues)
    }

    /// Performs all steps.
    pub(crate) async fn run(&self, by: &Administrator<'_>, account: AccountId) -> Result<(), Error> {
        let mut deletion = Deletion { account, examined: 0 };
        while self.step(by, &mut deletion).await? == DeletionProgress::Continues {}
        Ok(())
    }

    async fn step(&self, by: &Administrator<'_>, deletion: &mut Deletion) -> Result<DeletionProgress, Error> {
        let id = deletion.account;
        let first = PageRequest { limit: Some(1), ..PageRequest::FIRST };
        if let Some(membership) = self.core.ports.teams.teams_of(id, None, &first).await?.items.pop() {
            let permit = Permit::system(Operation::AccountDelete, by.request().clone())?.in_team(membership.team.id);
            let left = self.authority.leave(&permit, membership.team.id, id).await;
            if matches!(left, Err(Error::Conflict(Conflict::LastOwner))) {
                self.abandon(by, id).await?;
            }
            return left.map(|()| DeletionProgress::Continues);
        }
        if let Some((team, user)) = self.core.ports.account_cleanup.users_of(id, 1).await?.pop() {
            let permit = Permit::system(Operation::AccountDelete, by.request().clone())?;
            self.user_data.erase_batch(&permit.in_project(team, user.project_id), &user).await?;
            return Ok(DeletionProgress::Continues);
        }
        if let Some(position) =
            self.core.ports.account_cleanup.clear_account_events(id, deletion.examined, BATCH_SIZE).await?
        {
            deletion.examined = position;
            return Ok(DeletionProgress::Continues);
        }
        self.change(by, id, Changes::remove).await?;
        Ok(DeletionProgress::Complete)
    }

    /// Ends a deletion that cannot be completed: the other owners of a team left it after the deletion started. The
    /// account stays disabled.
    async fn abandon(&self, by: &Administrator<'_>, id: AccountId) -> Result<(), Error> {
        self.change(by, id, |changes, account| {
            let abandoned = Account { deletion_started_at: None, ..account.clone() };
            changes.replace(account, abandoned)
        })
        .await
    }

    /// Changes the account, unless another process has removed it in the meantime.
    async fn change(
        &self,
        by: &Administrator<'_>,
        id: AccountId,
        change: impl Fn(Changes, Account) -> Changes,
    ) -> Result<(), Error> {
        retry_stale(async || {
            let permit = by.permit(Operation::AccountDelete)?;

            let Some(account) = self.core.ports.accounts.account(id).await? else { return Ok(()) };

            let changes = change(Changes::by(permit, self.core.now()), account);
            self.core.save(changes).await
        })
        .await
    }
}

/// Continues the deletion of accounts in the background. Accounts take turns, so that one with much data does not delay
/// others.
pub struct AccountDeletions {
    core: Arc<IdentityCore>,
    deletion: AccountDeletion,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The account of the last step.
    last: Option<AccountId>,
    /// The audit events that were examined for each account.
    examined: HashMap<AccountId, i64>,
}

impl AccountDeletions {
    /// Creates the use cases from the shared components.
    pub fn new(core: &Arc<IdentityCore>, data: &Arc<DataCore>) -> Self {
        Self { core: core.clone(), deletion: AccountDeletion::new(core, data), state: Mutex::default() }
    }

    /// Performs the next step of the next account's deletion.
    pub async fn step(&self) -> Result<Step, Error> {
        let (traces, last) = (&self.core.ports.account_cleanup, lock(&self.state).last);
        let started_before = self.core.now() - REQUEST_TIME;
        let next = match (traces.account_to_delete(last, started_before).await?, last) {
            (None, Some(_)) => traces.account_to_delete(None, started_before).await?,
            (next, _) => next,
        };
        let Some(account) = next else {
            // Another process may have completed some of them.
            lock(&self.state).examined.clear();
            return Ok(Step::IDLE);
        };
        if !self.core.shares.hold(SHARE).await? {
            return Ok(Step::IDLE);
        }
        let examined = {
            let mut state = lock(&self.state);
            state.last = Some(account);
            state.examined.remove(&account).unwrap_or_default()
        };
        let mut deletion = Deletion { account, examined };
        let by = Administrator::Service(Request::local());
        if self.deletion.step(&by, &mut deletion).await? == DeletionProgress::Continues {
            lock(&self.state).examined.insert(account, deletion.examined);
        }
        Ok(Step { done: 1, more: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::administration::{Team, TeamMembership};
    use crate::kernel::changes::{Entity, Write};
    use crate::kernel::{Committed, Page, RoleName};
    use crate::mocks::{MockStore, a_member, a_team, an_account, instant, mock_cores};

    fn account(number: u128) -> AccountId {
        AccountId::from(uuid::Uuid::from_u128(number))
    }

    /// A store with accounts that have no data but these numbers of audit events to examine. Each step and each removal
    /// is recorded.
    fn store(events: Vec<(AccountId, i64)>, steps: &Arc<Mutex<Vec<String>>>) -> MockStore {
        let remaining = Arc::new(Mutex::new(events));
        let mut store = MockStore::default();
        let seen = remaining.clone();
        store.account_cleanup.expect_account_to_delete().returning(move |after, _| {
            let remaining = seen.lock().unwrap();
            Ok(remaining.iter().map(|(id, _)| *id).find(|id| after.is_none_or(|after| *id > after)))
        });
        store.account_cleanup.expect_users_of().returning(|_, _| Ok(Vec::new()));
        let (seen, recorded) = (remaining.clone(), steps.clone());
        store.account_cleanup.expect_clear_account_events().returning(move |id, after, limit| {
            recorded.lock().unwrap().push(format!("{} after {after}", id.uuid().as_u128()));
            let events = seen.lock().unwrap().iter().find(|(other, _)| *other == id).unwrap().1;
            Ok((after < events).then_some((after + i64::from(limit)).min(events)))
        });
        store.accounts.expect_account().returning(|id| Ok(Some(Account { id, ..an_account("ann") })));
        store.teams.expect_teams_of().returning(|_, _, _| Ok(Page { items: Vec::new(), next: None }));
        let recorded = steps.clone();
        store.unit_of_work.expect_commit().returning(move |_| {
            let last = recorded.lock().unwrap().last().unwrap().clone();
            remaining.lock().unwrap().retain(|(id, _)| !last.starts_with(&format!("{} ", id.uuid().as_u128())));
            Ok(Committed::default())
        });
        store
    }

    fn deletion(events: Vec<(AccountId, i64)>, steps: &Arc<Mutex<Vec<String>>>) -> AccountDeletion {
        let cores = mock_cores(store(events, steps));
        AccountDeletion::new(&cores.identity, &cores.data)
    }

    #[tokio::test]
    async fn accounts_take_turns_and_each_continues_where_it_was() {
        let (large, small) = (account(1), account(2));
        let steps = Arc::default();
        let mut store = store(vec![(large, 1_200), (small, 100)], &steps);
        store.leases.expect_acquire_lease().returning(|_, _, _, _| Ok(true));
        let cores = mock_cores(store);
        let deletions = AccountDeletions::new(&cores.identity, &cores.data);
        while deletions.step().await.unwrap().more {}
        let expected =
            ["1 after 0", "2 after 0", "1 after 500", "2 after 100", "1 after 1000", "1 after 1200"].map(str::to_owned);
        assert_eq!(*steps.lock().unwrap(), expected);
        assert!(lock(&deletions.state).examined.is_empty());
    }

    #[tokio::test]
    async fn a_request_performs_a_limited_number_of_steps() {
        let events = i64::from(BATCH_SIZE) * 60;
        let by = Administrator::Service(Request::local());
        let steps = Arc::default();
        let progress = deletion(vec![(account(1), events)], &steps).run_some(&by, account(1)).await.unwrap();
        assert_eq!((progress, steps.lock().unwrap().len()), (DeletionProgress::Continues, MAX_STEPS));

        deletion(vec![(account(1), events)], &Arc::default()).run(&by, account(1)).await.unwrap();
        let few = deletion(vec![(account(1), 0)], &Arc::default()).run_some(&by, account(1)).await.unwrap();
        assert_eq!(few, DeletionProgress::Complete);
    }

    #[tokio::test]
    async fn a_deletion_that_would_leave_a_team_without_owner_is_abandoned() {
        let ann = Account { deletion_started_at: Some(instant()), ..an_account("ann") };
        let team = Team { owner: ann.id, ..a_team("acme") };
        let owner = a_member(&team, ann.id, "owner");
        let mut store = MockStore::default();
        let membership =
            TeamMembership { team: team.clone(), roles: owner.roles.clone(), role_name: RoleName::default() };
        store
            .teams
            .expect_teams_of()
            .returning(move |_, _, _| Ok(Page { items: vec![membership.clone()], next: None }));
        store.teams.expect_team().returning(move |_| Ok(Some(team.clone())));
        let found = owner.clone();
        store.teams.expect_member().returning(move |_, _| Ok(Some(found.clone())));
        store.teams.expect_members().returning(move |_, _| Ok(Page { items: vec![owner.clone()], next: None }));
        let found = ann.clone();
        store.accounts.expect_account().returning(move |_| Ok(Some(found.clone())));
        store.unit_of_work.expect_commit().times(1).returning(|changes| {
            let written: Vec<_> = changes.writes().collect();
            let [Write::Replace(Entity::Account(account))] = written.as_slice() else { panic!("{written:?}") };
            assert_eq!(account.deletion_started_at, None);
            Ok(Committed::default())
        });
        store.api_keys.expect_keys_created_by().returning(|_, _| Ok(Vec::new()));
        store.project_clients.expect_clients_created_by().returning(|_, _| Ok(Vec::new()));
        store.identity_providers.expect_identity_providers_created_by().returning(|_, _| Ok(Vec::new()));
        store.invites.expect_pending_invites_by().returning(|_, _, _| Ok(Vec::new()));
        store.webhooks.expect_webhooks_authorized_by().returning(|_, _| Ok(Vec::new()));
        let cores = mock_cores(store);
        let deletion = AccountDeletion::new(&cores.identity, &cores.data);
        let refused = deletion.run(&Administrator::Service(Request::local()), ann.id).await;
        assert!(matches!(refused, Err(Error::Conflict(Conflict::LastOwner))), "{refused:?}");
    }
}

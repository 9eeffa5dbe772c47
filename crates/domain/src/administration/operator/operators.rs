//! Administration of the whole service by signed-in operators: accounts, teams and projects by size, and the state of
//! the service.

use std::sync::Arc;

use crate::OperatorPorts;
use crate::administration::{Image, ImageFormat, ProjectSize, SizePage, TeamSize};
use crate::data::DataCore;
use crate::identity::account::administration::AccountAdministration;
use crate::identity::account::administrator::Administrator;
use crate::identity::account::deletion_progress::DeletionProgress;
use crate::identity::factor::removal::FactorRemoval;
use crate::identity::{Account, AccountFilter, Choice, EmailKind, EmailMessage, IdentityCore, SecondFactors};
use crate::kernel::error::{AuthenticationError, Error, Forbidden, ResourceKind};
use crate::kernel::jobs::JobStats;
use crate::kernel::policy::{Lane, LimitedAction, Operation, Permit};
use crate::kernel::work::Work;
use crate::kernel::{AccountId, Backlog, Caller, EffectiveSetting, ImageId, Page, PageRequest, Secret, account_of};

/// The state of one part of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartState {
    /// It works.
    Working,
    /// It is not set up. The service works without it.
    NotConfigured,
    /// It does not work, and why.
    Failing(String),
}

/// The state of each part of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "each field is named after its part")]
pub struct InstanceHealth {
    pub database: PartState,
    /// The storage of images.
    pub blobs: PartState,
    /// The mail server. `Working` means configured: only a test email shows whether emails arrive.
    pub mail: PartState,
}

/// The state of the whole service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstanceOverview {
    /// Every setting, in the order of `steward --help`.
    pub settings: Vec<EffectiveSetting>,
    /// The state of each part.
    pub health: InstanceHealth,
    /// Background jobs of the process that returns the overview, by name.
    pub jobs: Vec<(&'static str, JobStats)>,
    /// The work that waits for background jobs; `None` if the database does not respond.
    pub backlog: Option<Backlog>,
}

/// Use cases of operators. Each of them reads the caller's account, so that an account that is no longer an operator is
/// refused at its next request.
pub struct Operators {
    core: Arc<IdentityCore>,
    administration: AccountAdministration,
    ports: OperatorPorts,
    settings: Vec<EffectiveSetting>,
}

impl Operators {
    /// Creates the use cases from the shared components, with the settings in effect.
    pub fn new(
        core: &Arc<IdentityCore>,
        data: &Arc<DataCore>,
        ports: OperatorPorts,
        settings: Vec<EffectiveSetting>,
    ) -> Self {
        Self { core: core.clone(), administration: AccountAdministration::new(core, data), ports, settings }
    }

    /// Returns the caller's account if it is an operator.
    async fn authorize(&self, caller: &Caller, operation: Operation) -> Result<Account, Error> {
        let account = self.core.ports.accounts.account(account_of(caller)?).await?;
        let account = account.ok_or(AuthenticationError::UnknownAccount)?;
        Permit::by_operator(operation, caller, &account)?;
        Work::set_lane(operation.rule().lane);
        Ok(account)
    }

    /// Returns the caller's account if it is an operator that may change another account.
    async fn authorize_change(
        &self,
        caller: &Caller,
        operation: Operation,
        changed: AccountId,
    ) -> Result<Account, Error> {
        let account = self.authorize(caller, operation).await?;
        if account.id == changed { Err(Forbidden::OwnAccount.into()) } else { Ok(account) }
    }

    /// Lists the accounts that match a filter, oldest first.
    pub async fn accounts(
        &self,
        caller: &Caller,
        filter: &AccountFilter,
        page: &PageRequest,
    ) -> Result<Page<Account>, Error> {
        self.authorize(caller, Operation::AccountList).await?;
        // No index bounds a search.
        if *filter != AccountFilter::default() {
            Work::set_lane(Lane::Heavy);
        }

        self.administration.list(filter, page).await
    }

    /// Returns an account.
    pub async fn account(&self, caller: &Caller, id: AccountId) -> Result<Account, Error> {
        self.authorize(caller, Operation::AccountList).await?;

        self.core.ports.accounts.account(id).await?.ok_or(Error::NotFound(ResourceKind::Account))
    }

    /// Disables an account, as [`AccountAdministration::disable`] does.
    pub async fn disable(&self, caller: &Caller, id: AccountId) -> Result<Account, Error> {
        let operator = self.authorize_change(caller, Operation::AccountDisable, id).await?;

        self.administration.disable_by(&Administrator::SignedIn(caller, &operator), id).await
    }

    /// Enables an account, as [`AccountAdministration::enable`] does.
    pub async fn enable(&self, caller: &Caller, id: AccountId) -> Result<Account, Error> {
        let operator = self.authorize_change(caller, Operation::AccountEnable, id).await?;

        self.administration.enable_by(&Administrator::SignedIn(caller, &operator), id).await
    }

    /// Ends all sessions and tokens of an account, including personal access tokens. API keys keep working.
    pub async fn sign_out(&self, caller: &Caller, id: AccountId) -> Result<Account, Error> {
        let operator = self.authorize_change(caller, Operation::AccountSignOut, id).await?;

        self.administration.sign_out_by(&Administrator::SignedIn(caller, &operator), id).await
    }

    /// Confirms the address of an account. `choice`: whether the person who uses it keeps everything.
    pub async fn confirm_email(&self, caller: &Caller, id: AccountId, choice: Choice) -> Result<Account, Error> {
        let operator = self.authorize_change(caller, Operation::AccountEmailConfirm, id).await?;

        self.administration.confirm_email_by(&Administrator::SignedIn(caller, &operator), id, choice).await
    }

    /// Returns the second factors of an account, and the numbers of its passkeys and of its linked identities.
    pub async fn sign_in_methods(
        &self,
        caller: &Caller,
        id: AccountId,
    ) -> Result<(SecondFactors, usize, usize), Error> {
        self.authorize(caller, Operation::AccountList).await?;

        let ports = &self.core.ports;
        let passkeys = ports.passkeys.passkeys(id).await?.len();
        let identities = ports.identity_providers.linked_identities(id).await?.len();
        Ok((ports.second_factors.second_factors(id).await?, passkeys, identities))
    }

    /// Schedules the removal of the second factors and passkeys of an account, as
    /// [`AccountAdministration::remove_second_factors`] does.
    pub async fn remove_second_factors(
        &self,
        caller: &Caller,
        id: AccountId,
    ) -> Result<(Account, FactorRemoval), Error> {
        let operator = self.authorize_change(caller, Operation::SecondFactorsRemove, id).await?;

        self.administration.remove_second_factors_by(&Administrator::SignedIn(caller, &operator), id).await
    }

    /// Cancels the removal of the second factors and passkeys of an account. Returns whether one was scheduled.
    pub async fn keep_second_factors(&self, caller: &Caller, id: AccountId) -> Result<bool, Error> {
        let operator = self.authorize_change(caller, Operation::SecondFactorsKeep, id).await?;

        let by = Administrator::SignedIn(caller, &operator);
        Ok(self.administration.keep_second_factors_by(&by, id).await?.1)
    }

    /// Deletes an account, as [`AccountAdministration::delete`] does.
    pub async fn delete(&self, caller: &Caller, id: AccountId) -> Result<DeletionProgress, Error> {
        let operator = self.authorize_change(caller, Operation::AccountDelete, id).await?;

        self.administration.delete_by(&Administrator::SignedIn(caller, &operator), id).await
    }

    /// Lists teams, largest first. Returns at most [`SizePage::MAX_LIMIT`].
    pub async fn teams_by_size(&self, caller: &Caller, page: SizePage) -> Result<Vec<TeamSize>, Error> {
        self.authorize(caller, Operation::SizeList).await?;

        Ok(self.ports.tenant_sizes.teams_by_size(bounded(page)).await?)
    }

    /// Lists projects, largest first. Returns at most [`SizePage::MAX_LIMIT`].
    pub async fn projects_by_size(&self, caller: &Caller, page: SizePage) -> Result<Vec<ProjectSize>, Error> {
        self.authorize(caller, Operation::SizeList).await?;

        Ok(self.ports.tenant_sizes.projects_by_size(bounded(page)).await?)
    }

    /// Returns the settings in effect, the state of each part, and the background work.
    pub async fn overview(&self, caller: &Caller) -> Result<InstanceOverview, Error> {
        self.authorize(caller, Operation::InstanceGet).await?;

        let database = self.ports.health.check().await.map_err(|error| error.to_string());
        let mail = if self.core.ports.mailer.is_configured() { PartState::Working } else { PartState::NotConfigured };
        let health = InstanceHealth { database: part(database), blobs: part(self.check_blobs().await), mail };
        Ok(InstanceOverview {
            settings: self.settings.clone(),
            health,
            jobs: self.core.jobs.all(),
            backlog: self.ports.backlog.backlog(self.core.now()).await.ok(),
        })
    }

    /// Returns the settings in effect.
    pub async fn settings(&self, caller: &Caller) -> Result<Vec<EffectiveSetting>, Error> {
        self.authorize(caller, Operation::InstanceGet).await?;

        Ok(self.settings.clone())
    }

    /// Reads an image that does not exist, which requires that the storage responds.
    async fn check_blobs(&self) -> Result<(), String> {
        let (id, now) = (ImageId::from(self.core.next_id()), self.core.now());
        let key = Image { id, format: ImageFormat::Png, size: 0, uploaded_at: now }.key();
        let read = self.core.administration.ports.blobs.get(&key).await;
        read.map(drop).map_err(|_| "The storage of images does not respond. Check STEWARD_BLOBS.".to_owned())
    }

    /// Sends a test email to the operator's own address. Returns the account with the address. The email is sent in the
    /// background; if it cannot be sent, the reason is logged.
    pub async fn send_test_email(&self, caller: &Caller) -> Result<Account, Error> {
        let operator = self.authorize(caller, Operation::EmailTest).await?;
        let now = self.core.now();
        self.core.action_limiter.take(LimitedAction::TestEmailBy, &operator.id.to_string(), now).await?;

        let link = Secret::new(self.core.address.as_str().to_owned());
        let language = operator.language.or(caller.request.language).unwrap_or_default();
        self.core.ports.mailer.send(EmailMessage::new(operator.email.clone(), EmailKind::Test, link, language));
        Ok(operator)
    }
}

fn bounded(page: SizePage) -> SizePage {
    SizePage { limit: page.limit.min(SizePage::MAX_LIMIT), ..page }
}

fn part(checked: Result<(), String>) -> PartState {
    checked.map_or_else(PartState::Failing, |()| PartState::Working)
}

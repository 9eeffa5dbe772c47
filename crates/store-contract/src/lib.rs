//! The rules of Steward's stores as tests, one function per rule, named after the rule. [`store_contract!`]
//! generates all tests for one adapter. Embedders can also use it to test their own stores.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "a library of tests: each function panics if its rule is violated, and its name states the rule"
)]

pub mod administration;
pub mod data;
pub mod fixture;
pub mod identity;
pub mod kernel;
pub mod timing;

#[doc(hidden)]
pub use {administration::*, data::*, identity::*, kernel::*};

/// Generates a test for each rule. `$fresh` is an async function that returns an empty store as `Arc<dyn Store>`, and a
/// guard that is dropped when the test ends.
#[macro_export]
macro_rules! store_contract {
    ($fresh:ident) => {
        $crate::store_contract! { @rules $fresh;
            accounts: an_account_is_found_by_id_email_and_username, emails_are_unique_ignoring_case,
                usernames_are_unique_ignoring_case, text_and_timestamps_round_trip,
                operators_are_listed_until_they_are_deleted, that_there_was_an_account_is_not_forgotten,
                the_language_of_an_account_is_recorded_once,
                started_deletions_are_found_until_they_are_complete,
                due_removals_of_factors_are_found_in_their_order;
            teams: team_slugs_are_unique, only_members_see_a_team, an_account_joins_a_team_only_once,
                a_member_requires_a_team_and_an_account, a_stale_replace_is_refused, a_stale_removal_is_refused,
                a_lock_conflicts_with_every_other_change_of_the_team, holding_a_changed_member_is_refused,
                a_missing_row_cannot_be_replaced, taken_slugs_are_reported,
                every_change_of_the_contents_of_a_team_raises_their_revision, an_invite_expires_without_a_write;
            invites: only_pending_invites_are_listed, a_proof_is_used_once_and_only_with_its_change, a_recipient_has_one_pending_invite_per_team,
                an_expired_invite_is_found_for_renewal, invites_are_swept_by_the_end_of_their_validity,
                a_recipient_finds_their_invites_in_all_teams,
                a_declined_invite_round_trips_and_does_not_block_another,
                a_delivery_state_is_recorded_unless_a_newer_email_is_queued,
                pending_invites_by_inviter_are_limited_to_the_team, all_pending_invites_by_an_inviter_are_found;
            projects: project_slugs_are_unique_across_teams, a_project_requires_a_team,
                a_team_lists_only_its_projects_and_cannot_be_deleted_before_them,
                a_member_sees_the_projects_of_all_their_teams, a_project_includes_its_newest_schema_number,
                project_images_round_trip, requests_are_counted_per_project_and_day;
            api_keys: a_key_is_found_by_any_of_several_digests, a_key_of_another_project_is_not_found,
                key_digests_are_unique, a_regenerated_key_is_not_found_by_its_old_digest,
                keys_by_creator_are_limited_to_the_teams_projects, all_keys_by_a_creator_are_found, labels_of_keys_of_several_projects_are_listed_newest_first,
                a_key_is_also_found_by_the_digests_of_replaced_values, uses_are_recorded_and_digests_are_renewed, regenerating_a_key_counts_as_creating_it;
            quotas: fifty_concurrent_keys_stay_within_the_quota, fifty_concurrent_projects_stay_within_the_quota,
                fifty_concurrent_invites_stay_within_the_quota_and_expired_ones_do_not_count,
                a_hundred_concurrent_items_stay_within_the_quota, bytes_are_limited_and_counted_exactly,
                a_change_over_the_quota_stores_nothing, what_a_change_deletes_makes_room_for_what_it_puts,
                usage_is_counted_per_project, teams_and_projects_are_listed_by_size;
            schemas: version_numbers_are_unique_per_project, a_document_round_trips_unchanged,
                versions_are_listed_newest_first;
            schema_drafts: each_person_has_a_draft_of_their_own, a_publication_and_its_draft_are_stored_together,
                drafts_end_with_their_member_account_or_age;
            project_users: an_account_has_one_user_per_project, a_user_of_another_project_is_not_found,
                free_form_objects_round_trip, users_are_found_by_status_and_by_literal_text, an_address_is_known_and_found_only_where_it_was_granted,
                users_of_several_projects_are_found_newest_first,
                each_user_counts_once_per_activity_period, the_last_seen_timestamp_never_moves_backward,
                old_days_of_activity_are_swept, deleting_a_user_deletes_their_activity, numbers_of_users_follow_their_changes,
                the_users_of_an_account_are_found_in_pages;
            user_removal: the_data_of_a_user_is_deleted_in_bounded_steps,
                a_user_with_many_rows_is_not_deleted_in_one_step,
                an_interrupted_deletion_of_a_user_is_completed_by_the_next_one,
                started_deletions_of_users_are_found_and_their_items_are_hidden,
                devices_find_all_items_of_a_large_erasure_deleted;
            items: a_put_creates_an_item_and_then_replaces_it, an_imported_item_has_its_own_time_of_creation, each_precondition_is_enforced,
                a_refused_write_changes_nothing, removing_an_item_returns_it, a_revision_is_never_reused,
                only_items_of_connected_users_can_be_written, an_item_of_another_user_is_not_found,
                item_ids_are_case_sensitive, values_round_trip, several_writes_succeed_or_fail_together,
                all_tables_of_one_user_are_read_in_order, items_are_erased_in_bounded_steps;
            item_deletions: a_deletion_is_undone_exactly_and_once, an_item_that_exists_again_is_not_restored,
                deletions_of_a_project_are_bounded, deletions_end_with_their_user_and_their_time;
            item_imports: an_import_round_trips_and_is_found_only_in_its_project,
                a_portion_and_its_progress_are_stored_together_and_once, the_imports_of_a_project_are_bounded,
                imports_that_have_ended_are_deleted_when_there_are_many_or_they_are_old,
                an_import_to_continue_is_found_in_each_project_in_turn, imports_end_with_the_data_of_their_user;
            item_queries: each_condition_finds_the_same_items_in_every_store, each_order_is_the_same_in_every_store,
                pages_of_any_order_contain_each_item_once, a_cursor_stays_valid_after_its_item_is_deleted,
                an_offset_skips_items, items_are_found_by_their_ids;
            item_index: queries_find_the_same_items_by_keys_stored_on_write,
                a_later_page_in_the_order_of_an_index_is_empty_on_a_stale_basis,
                queries_find_the_same_items_by_backfilled_keys, without_indexed_fields_there_is_no_work,
                every_write_updates_the_keys, a_field_can_be_indexed_again_and_with_another_type,
                items_written_during_a_backfill_get_keys, a_removed_table_can_be_published_and_indexed_again,
                deleting_a_project_deletes_only_its_keys;
            mismatches: each_mismatch_finds_its_items, results_are_in_the_order_of_the_queries,
                samples_are_limited_and_list_each_id_once, items_of_another_project_are_not_checked,
                the_maximum_number_of_mismatches_is_checked_at_once, a_large_table_is_checked_completely;
            project_items: items_of_all_users_are_listed_by_user_and_id, items_after_many_users_without_any_are_found,
                a_search_among_all_users_finds_each_item_once_in_any_order,
                items_of_users_who_are_being_deleted_are_not_listed, items_of_all_users_are_located_by_their_keys,
                the_tables_of_a_project_are_counted,
                users_are_found_by_their_ids_in_their_project;
            slugs: a_former_team_slug_is_reserved_for_its_team, a_former_project_slug_is_reserved_for_its_project,
                deleting_a_team_or_project_frees_its_slugs, one_of_two_concurrent_renames_to_the_same_slug_succeeds,
                a_slug_given_up_concurrently_stays_reserved;
            sync: settled_changes_are_read_in_order_with_the_positions_of_their_commits,
                a_committed_change_is_reported_with_its_user_and_one_that_fails_is_not,
                a_device_gets_each_item_that_changed_after_its_position_once,
                a_device_that_lacks_little_reads_many_items_in_parts,
                deleted_and_erased_items_are_found_until_they_exist_again,
                a_device_gets_only_items_of_its_user_and_nothing_on_a_stale_basis,
                a_receipt_is_stored_with_its_change_or_not_at_all, the_newest_rejections_of_a_project_are_kept;
            server_keys: generations_are_unique_per_kind, a_token_is_invalid_once_its_signing_key_is_deleted,
                only_the_use_from_timestamp_of_a_key_changes, keys_are_listed_oldest_first;
            authorizations: uses_of_a_session_are_recorded, requests_links_and_sessions_round_trip,
                requests_of_devices_round_trip, a_user_code_belongs_to_one_device_until_it_is_swept,
                tokens_round_trip_before_and_after_changes, grants_are_unique,
                the_first_use_of_the_current_pair_is_recorded, a_lost_pair_is_given_up_once,
                a_pair_that_is_used_or_exchanged_in_between_is_not_given_up,
                codes_and_tokens_require_their_grant_and_are_deleted_with_it, token_digests_are_unique,
                a_user_bearer_has_the_account_and_project_of_its_family,
                only_expired_rows_are_swept, only_the_last_replaced_token_keeps_its_response_until_it_is_swept,
                active_families_are_those_of_the_account_and_client,
                redeemable_codes_are_those_of_the_account_and_project,
                one_of_fifty_concurrent_redemptions_of_a_code_succeeds,
                a_live_family_is_checked_once_until_its_last_token_expires, deadlocked_changes_still_complete;
            logout: all_families_of_a_session_are_found_in_pages,
                a_family_is_refreshable_until_its_newest_token_expires,
                due_logouts_are_returned_longest_waiting_first_and_without_excluded_projects,
                one_of_many_concurrent_claims_of_a_logout_succeeds, logouts_that_are_long_due_are_swept;
            project_cleanup: a_deleted_project_is_not_found, cleanup_deletes_only_the_projects_rows_in_bounded_steps;
            webhooks: a_webhook_round_trips_in_its_team_or_project, a_due_webhook_is_claimed_by_one_caller,
                only_subscribed_events_make_a_webhook_due, events_during_a_delivery_are_due_after_it,
                only_its_holder_renews_and_releases_a_lease, due_webhooks_of_busy_teams_are_excluded,
                an_unknown_event_name_does_not_stop_deliveries, progress_is_recorded_only_by_the_lease_holder,
                new_events_do_not_wait_for_one_that_the_receiver_refuses,
                attempts_are_recorded_together_with_the_position, attempts_of_a_deleted_webhook_end_by_their_age,
                a_paused_webhook_is_not_due_until_it_is_resumed,
                webhooks_by_authorizer_are_limited_to_the_team_and_its_projects,
                all_webhooks_by_an_authorizer_are_found, urls_of_webhooks_are_listed_for_teams_and_their_projects;
            personal_tokens: a_token_round_trips_and_is_found_by_its_digest, a_token_of_another_account_is_not_found,
                a_new_password_invalidates_earlier_tokens;
            second_factors: second_factors_round_trip_and_are_deleted_with_their_account,
                sessions_and_token_families_say_whether_their_account_has_a_second_factor,
                an_account_has_one_app_and_one_set_of_recovery_codes, one_of_fifty_concurrent_uses_of_a_code_succeeds;
            passkeys: passkeys_round_trip_and_are_deleted_with_their_account, a_credential_belongs_to_one_account,
                one_of_fifty_concurrent_uses_of_a_passkey_succeeds;
            identity_providers: providers_round_trip_in_their_project_or_the_service,
                providers_by_creator_are_limited_to_the_teams_projects,
                events_about_a_provider_of_the_service_are_found,
                identities_round_trip_and_are_deleted_with_their_account,
                an_identity_belongs_to_one_account_and_an_account_has_one_of_each_provider,
                a_deleted_provider_is_swept_after_its_identities, fifty_concurrent_providers_stay_within_the_quota;
            project_clients: clients_round_trip_in_their_project, clients_by_creator_are_limited_to_the_teams_projects,
                names_of_clients_of_several_projects_are_listed_newest_first,
                a_change_of_a_client_ends_cached_checks_of_its_tokens,
                uses_of_a_secret_are_recorded, tokens_of_a_deleted_client_are_not_found_and_are_swept,
                fifty_concurrent_clients_stay_within_the_quota,
                clients_that_registered_themselves_end_without_a_sign_in,
                clients_that_registered_themselves_have_a_quota_of_their_own;
            idempotency: each_caller_claims_a_key_once, one_of_fifty_concurrent_claims_of_a_key_succeeds,
                a_change_under_a_claim_makes_the_claim_effective, a_claim_without_a_response_can_be_taken_over,
                giving_up_deletes_a_claim_unless_it_is_effective;
            audit_log: events_about_an_account_are_found_and_cleared, events_are_read_in_commit_order, item_changes_are_events_of_their_project_and_team,
                a_reader_misses_no_event_during_concurrent_writes, each_project_has_its_own_chain,
                concurrent_sealers_seal_each_event_once, batches_are_sealed_only_in_order,
                each_filter_applies_within_the_team, a_time_range_applies_regardless_of_when_events_were_sealed,
                old_events_are_deleted_and_the_chain_stays_valid, recent_and_unsealed_events_are_retained,
                marks_are_deleted_with_the_events, seals_are_deleted_from_the_start_of_a_chain,
                steps_without_work_take_no_lease,
                a_chain_that_starts_late_is_broken_unless_events_were_deleted,
                many_events_are_sealed_in_bounded_steps_in_commit_order, one_holder_has_a_share_until_its_lease_expires,
                one_of_many_concurrent_holders_gets_a_share;
            rate_limits: attempts_over_the_limit_are_not_counted, fifty_concurrent_attempts_stay_within_the_limit,
                an_account_keeps_its_most_recent_sign_in_networks, idle_limits_and_old_networks_are_swept;
            access_epochs: only_changes_that_may_end_access_raise_the_epoch,
                a_statement_does_nothing_when_its_access_basis_is_stale;
            pages: pages_of_every_list_contain_each_entry_once,
                lists_for_a_sign_in_with_one_factor_leave_out_teams_that_require_two,
                pages_of_items_are_limited_by_bytes_and_contain_each_item_once,
                chunks_of_a_list_contain_each_item_once, pages_of_users_are_limited_by_bytes;
            atomicity: a_refused_write_rolls_back_the_whole_change, a_reachable_store_is_healthy,
                a_write_outside_the_team_or_project_of_its_permit_is_refused;
            concurrency: one_of_fifty_concurrent_teams_gets_a_slug, one_of_fifty_concurrent_projects_gets_a_slug,
                one_of_fifty_concurrent_publications_succeeds, one_of_fifty_concurrent_acceptances_adds_a_member,
                a_concurrent_demotion_or_acceptance_is_stale, changes_that_hold_the_same_member_do_not_conflict,
                one_of_two_owners_who_leave_concurrently_stays, one_of_fifty_concurrent_creations_of_an_item_succeeds,
                independent_changes_all_succeed, each_concurrent_write_of_an_item_raises_its_revision;
        }
    };
    (@rules $fresh:ident; $($module:ident: $($rule:ident),+;)+) => {$(
        mod $module {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $rule() {
                    let (store, _guard) = super::$fresh().await;
                    $crate::$module::$rule(store).await;
                }
            )+
        }
    )+};
}

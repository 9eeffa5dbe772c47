//! The rules that every store of Steward obeys, one function each, named as the sentence it proves. [`store_contract!`]
//! stamps them all for one adapter; embedders prove their own stores with it too.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    missing_docs,
    reason = "a library of tests: each panics when its rule is broken, and its name says the rule"
)]

pub mod access_epochs;
pub mod accounts;
pub mod api_keys;
pub mod atomicity;
pub mod audit_log;
pub mod authorizations;
pub mod concurrency;
pub mod fixture;
pub mod idempotency;
pub mod invites;
pub mod item_index;
pub mod item_queries;
pub mod items;
pub mod mismatches;
pub mod pages;
pub mod personal_tokens;
pub mod project_cleanup;
pub mod project_users;
pub mod projects;
pub mod quotas;
pub mod rate_limits;
pub mod schemas;
pub mod server_keys;
pub mod slugs;
pub mod teams;
pub mod webhooks;

/// Stamps a test for each rule. `$fresh` is an async function that gives an empty store, as `Arc<dyn Store>`, and a guard
/// that is dropped when the test ends.
#[macro_export]
macro_rules! store_contract {
    ($fresh:ident) => {
        $crate::store_contract! { @rules $fresh;
            accounts: an_account_is_found_by_id_email_and_username, an_email_is_had_once_without_letter_case,
                a_username_is_had_once_without_letter_case, text_and_time_come_back_as_they_went;
            teams: a_slug_is_had_once, only_members_see_a_team, an_account_is_a_member_once,
                a_member_needs_a_team_and_an_account, a_stale_replace_is_refused, a_stale_removal_is_refused,
                a_lock_collides_with_every_other_change_of_the_team,
                a_held_member_is_as_it_was_loaded, a_missing_thing_cannot_be_replaced,
                taken_slugs_are_told;
            invites: only_pending_ones_are_listed, one_is_pending_for_a_recipient, an_expired_one_is_still_found_to_renew,
                a_recipient_finds_what_names_them_in_all_teams, a_declined_one_comes_back_as_it_went_and_makes_room,
                what_became_of_an_email_is_noted_unless_another_one_is_on_its_way,
                the_pending_invites_of_a_maker_are_those_in_the_team;
            projects: a_slug_is_had_once_in_all_teams, a_project_needs_a_team,
                a_teams_projects_are_its_own_and_keep_it_there,
                a_member_sees_the_projects_of_all_their_teams, the_newest_schema_number_comes_with_the_project,
                images_come_and_go_with_the_project;
            api_keys: a_key_is_found_by_any_of_several_digests, another_projects_key_is_none,
                a_digest_is_had_once, after_regeneration_the_old_digest_finds_nothing,
                the_keys_that_a_member_made_are_those_in_the_teams_projects,
                a_key_is_found_by_the_digest_of_its_previous_value_too, uses_are_written_down_and_digests_renewed,
                whoever_regenerated_a_key_counts_as_its_maker;
            quotas: of_fifty_who_add_a_key_as_many_as_the_quota_allows_do,
                of_fifty_who_add_a_project_as_many_as_the_quota_allows_do,
                of_a_hundred_who_put_an_item_as_many_as_the_quota_allows_do,
                bytes_are_bounded_and_counted_as_they_come_and_go, a_change_over_the_quota_stores_nothing_of_itself,
                what_one_project_keeps_does_not_count_in_another;
            schemas: a_number_is_had_once_in_a_project, a_document_comes_back_member_for_member,
                versions_are_listed_newest_first;
            project_users: an_account_is_in_a_project_once, another_projects_user_is_none,
                free_form_objects_come_back_as_they_went,
                users_are_found_by_status_and_by_text_that_stands_for_itself,
                each_user_counts_once_in_every_span_of_activity, when_a_user_was_last_seen_never_goes_back,
                with_a_user_goes_their_activity;
            items: a_put_creates_and_then_replaces, each_precondition_is_kept, a_refused_write_changes_nothing,
                a_removed_item_comes_back_as_it_was, a_revision_is_never_used_again,
                only_connected_users_are_written_to, another_users_item_is_none, item_ids_tell_letter_case,
                values_come_back_as_they_went, several_writes_are_all_done_or_none,
                all_tables_are_walked_in_order_and_nobody_elses, items_are_erased_some_at_a_time;
            item_queries: each_condition_finds_the_same_items_everywhere, each_order_is_the_same_everywhere,
                any_order_comes_in_pages_that_hold_everything_once, a_place_outlives_the_item_it_was_taken_from,
                an_offset_passes_over_items, items_are_found_by_their_ids;
            item_index: queries_find_the_same_by_keys_that_writes_kept,
                queries_find_the_same_by_keys_that_were_filled_in, without_indexed_fields_there_is_nothing_to_do,
                keys_follow_every_write, a_field_may_be_indexed_again_and_with_another_type,
                what_is_written_while_keys_are_filled_in_is_keyed_too,
                a_removed_table_leaves_nothing_to_find_and_comes_back_whole,
                a_deleted_project_takes_its_keys_and_no_others;
            mismatches: each_mismatch_finds_its_items, answers_stand_in_the_order_of_their_queries,
                samples_are_few_and_each_id_is_named_once, another_projects_items_are_not_looked_at,
                as_many_faults_as_documents_can_differ_by_are_asked_for_at_once,
                a_table_of_many_items_is_walked_to_its_end;
            slugs: a_former_slug_of_a_team_is_refused_to_others_and_given_back,
                a_former_slug_of_a_project_is_refused_to_others_and_given_back, what_is_removed_frees_its_slugs,
                of_two_who_rename_to_one_slug_one_does, a_slug_that_is_given_up_at_this_moment_is_nobody_elses;
            server_keys: a_generation_is_had_once_in_its_kind,
                a_token_finds_nobody_once_its_signing_key_is_gone, only_the_first_use_of_a_key_changes, keys_come_back_oldest_first;
            authorizations: requests_links_and_sessions_come_back_as_they_went,
                tokens_come_back_as_they_went_and_as_they_were_left, a_grant_is_had_once,
                codes_and_tokens_need_their_grant_and_go_with_it, an_opaque_token_names_one_thing,
                a_user_bearer_is_the_familys_account_in_its_project, what_has_expired_is_swept_and_nothing_else,
                only_the_last_replaced_token_keeps_its_answer_and_not_for_long,
                the_first_partys_families_are_those_that_can_go_on, of_fifty_who_redeem_a_code_one_does,
                a_family_that_lives_is_looked_at_once_until_its_last_token_ends,
                changes_that_wait_for_each_other_end_all_the_same;
            project_cleanup: a_deleted_project_is_there_for_nobody, what_is_left_goes_some_rows_at_a_time_and_nothing_else;
            webhooks: a_webhook_comes_back_as_it_went_to_its_team_or_project,
                whoever_has_events_to_be_told_is_claimed_by_one_caller,
                a_webhook_is_woken_by_what_it_wants_and_by_nothing_else,
                what_happens_during_a_delivery_is_due_after_it, a_lease_is_renewed_and_released_by_its_holder_only,
                due_webhooks_of_busy_teams_are_left_out, a_name_of_a_newer_version_stops_nobody,
                how_far_a_webhook_was_told_is_kept_under_its_lease_only,
                a_webhook_that_is_paused_is_told_nothing_until_it_goes_on,
                the_webhooks_that_a_member_authorizes_are_those_of_the_team_and_its_projects;
            personal_tokens: a_token_comes_back_as_it_went_to_who_has_its_digest, another_accounts_token_is_none,
                a_new_password_ends_the_tokens_from_before;
            idempotency: a_key_is_claimed_once_by_each_caller, of_fifty_who_claim_a_key_one_has_it,
                a_change_under_a_claim_makes_it_effective_with_it, a_claim_is_taken_over_while_nothing_came_of_it,
                a_claim_that_is_given_up_leaves_what_it_did;
            audit_log: events_are_read_in_the_order_in_which_they_were_committed,
                changes_of_items_are_events_of_their_project_and_team,
                who_follows_the_log_beside_many_writers_misses_nothing, each_project_has_a_chain_of_its_own,
                of_many_who_seal_at_once_each_event_is_sealed_once, a_batch_is_sealed_in_its_turn_only,
                the_log_is_narrowed_by_each_filter_and_to_its_team,
                the_log_is_narrowed_to_a_time_wherever_it_was_sealed,
                old_events_are_forgotten_and_the_chain_still_holds, what_is_young_or_not_sealed_is_kept,
                seals_are_forgotten_from_the_beginning_of_a_chain,
                who_has_nothing_to_seal_or_to_forget_holds_no_share,
                a_chain_does_not_begin_late_unless_events_were_forgotten,
                much_is_sealed_in_bounded_steps_in_the_order_of_commits,
                one_holder_has_a_share_until_its_lease_is_over, of_many_who_want_a_share_one_has_it;
            rate_limits: no_more_attempts_are_counted_than_the_limit_allows,
                of_fifty_attempts_at_once_as_many_count_as_the_limit_allows,
                an_account_keeps_the_networks_it_was_signed_in_to_from_last,
                attempts_at_rest_and_networks_of_long_ago_are_swept;
            access_epochs: what_may_end_access_raises_the_epoch_and_nothing_else_does,
                a_statement_does_nothing_when_what_it_rests_on_is_over;
            pages: every_list_comes_in_pages_that_hold_everything_once,
                a_page_of_items_ends_by_bytes_and_the_pages_hold_everything_once, a_page_of_users_ends_by_bytes;
            atomicity: a_refused_write_takes_the_whole_change_with_it, an_answering_store_says_so;
            concurrency: of_fifty_who_want_a_slug_one_gets_it, of_fifty_who_want_a_project_slug_one_gets_it,
                of_fifty_who_publish_a_version_one_does, of_fifty_who_accept_an_invite_one_becomes_a_member,
                of_a_demotion_and_an_acceptance_at_once_one_is_stale, those_who_hold_a_member_do_not_collide,
                of_two_owners_who_leave_one_stays, of_fifty_who_make_an_item_one_does,
                independent_changes_are_all_kept, writes_of_one_item_are_all_counted;
        }
    };
    (@rules $fresh:ident; $($concept:ident: $($rule:ident),+;)+) => {$(
        mod $concept {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $rule() {
                    let (store, _guard) = super::$fresh().await;
                    $crate::$concept::$rule(store).await;
                }
            )+
        }
    )+};
}

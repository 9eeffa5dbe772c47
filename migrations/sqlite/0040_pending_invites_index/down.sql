DROP INDEX invites_pending_list;

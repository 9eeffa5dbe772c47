CREATE INDEX invites_pending_list ON invites (team_id, created_at DESC, id DESC) WHERE state = 'pending';

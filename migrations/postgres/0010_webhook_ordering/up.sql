-- Which events of a webhook wait for each other: `project` (those of the same project) or `none`.
ALTER TABLE webhooks ADD COLUMN ordering text NOT NULL DEFAULT 'project';

-- Which events of a webhook wait for each other: `project` (those of the same project) or `none`.
ALTER TABLE webhooks ADD COLUMN ordering TEXT NOT NULL DEFAULT 'project';

-- Part of pb_data/data.db of PocketBase 0.23 or newer.
CREATE TABLE `_collections` (
    `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL,
    `system` BOOLEAN DEFAULT FALSE NOT NULL,
    `type` TEXT DEFAULT "base" NOT NULL,
    `name` TEXT UNIQUE NOT NULL,
    `fields` JSON DEFAULT "[]" NOT NULL,
    `indexes` JSON DEFAULT "[]" NOT NULL,
    `listRule` TEXT DEFAULT NULL,
    `viewRule` TEXT DEFAULT NULL,
    `createRule` TEXT DEFAULT NULL,
    `updateRule` TEXT DEFAULT NULL,
    `deleteRule` TEXT DEFAULT NULL,
    `options` JSON DEFAULT "{}" NOT NULL,
    `created` TEXT DEFAULT (strftime('%Y-%m-%d %H:%M:%fZ')) NOT NULL,
    `updated` TEXT DEFAULT (strftime('%Y-%m-%d %H:%M:%fZ')) NOT NULL
);
INSERT INTO _collections (id, system, type, name, fields, listRule) VALUES
('pbc_3142635823', TRUE, 'auth', '_superusers', '[]', NULL),
('pbc_2281828961', TRUE, 'base', '_externalAuths', '[]', NULL),
('_pb_users_auth_', FALSE, 'auth', 'users', '[]', 'id = @request.auth.id'),
('pbc_3395098727', FALSE, 'base', 'notes', '[
    {"hidden": false, "id": "text3208210256", "name": "id", "primaryKey": true, "system": true, "type": "text"},
    {"cascadeDelete": true, "collectionId": "_pb_users_auth_", "id": "relation2375276105", "maxSelect": 1, "name": "user",
     "type": "relation"},
    {"id": "text724990059", "name": "title", "required": true, "type": "text"},
    {"id": "bool1560186013", "name": "done", "type": "bool"},
    {"id": "number2599078931", "name": "rank", "type": "number"},
    {"id": "select1874629670", "maxSelect": 2, "name": "tags", "type": "select", "values": ["home", "food"]},
    {"id": "json2918445923", "name": "details", "type": "json"},
    {"id": "date3275789471", "name": "due", "type": "date"},
    {"id": "autodate2990389176", "name": "created", "onCreate": true, "onUpdate": false, "type": "autodate"},
    {"id": "autodate3332085495", "name": "updated", "onCreate": true, "onUpdate": true, "type": "autodate"}
]', 'user = @request.auth.id');

CREATE TABLE `users` (
    `avatar` TEXT DEFAULT '' NOT NULL,
    `created` TEXT DEFAULT '' NOT NULL,
    `email` TEXT DEFAULT '' NOT NULL,
    `emailVisibility` BOOLEAN DEFAULT FALSE NOT NULL,
    `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL,
    `name` TEXT DEFAULT '' NOT NULL,
    `password` TEXT DEFAULT '' NOT NULL,
    `tokenKey` TEXT DEFAULT '' NOT NULL,
    `updated` TEXT DEFAULT '' NOT NULL,
    `verified` BOOLEAN DEFAULT FALSE NOT NULL
);
INSERT INTO users (id, email, emailVisibility, name, password, tokenKey, created, updated, verified) VALUES
('4q1xlclmfloku33', 'ann@example.com', FALSE, 'Ann Example', '$2a$10$PkV5D7wNfXc0n3mS9q2uXOa0gq7cXl2Y5vR1sT8uWzZbE4hJ6kLmG',
    'x1', '2025-03-02 09:13:41.120Z', '2025-03-02 09:14:07.001Z', TRUE),
('ae40239d2bc4477', 'bob@example.com', FALSE, '', '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    'x2', '2025-04-18 17:02:33.000Z', '2025-04-18 17:02:33.000Z', TRUE),
('7f0c3b9a1d2e4f5', 'eve@example.com', FALSE, 'Eve', '$2a$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy',
    'x3', '2025-05-01 08:00:00.000Z', '2025-05-01 08:00:00.000Z', FALSE);

CREATE TABLE `notes` (
    `created` TEXT DEFAULT '' NOT NULL,
    `details` JSON DEFAULT NULL,
    `done` BOOLEAN DEFAULT FALSE NOT NULL,
    `due` TEXT DEFAULT '' NOT NULL,
    `id` TEXT PRIMARY KEY DEFAULT ('r'||lower(hex(randomblob(7)))) NOT NULL,
    `rank` NUMERIC DEFAULT 0 NOT NULL,
    `tags` JSON DEFAULT '[]' NOT NULL,
    `title` TEXT DEFAULT '' NOT NULL,
    `updated` TEXT DEFAULT '' NOT NULL,
    `user` TEXT DEFAULT '' NOT NULL
);
INSERT INTO notes (id, user, title, done, rank, tags, details, due, created, updated) VALUES
('b8u4g2zqk1m0x7w', '4q1xlclmfloku33', 'Buy milk', FALSE, 1, '["home","food"]', NULL, '2025-03-09 12:00:00.000Z',
    '2025-03-02 09:20:00.000Z', '2025-03-02 09:20:00.000Z'),
('n3d9s5ytv6e2r8c', '4q1xlclmfloku33', 'Two lines,
and "quotes"', TRUE, 2.5, '[]', '{"color":"red"}', '', '2025-03-03 10:00:00.000Z', '2025-03-04 10:00:00.000Z'),
('q7h1j4kfa0p5l2o', 'ae40239d2bc4477', 'Résumé', FALSE, 0, '[]', NULL, '', '2025-04-19 08:00:00.000Z',
    '2025-04-19 08:00:00.000Z'),
('w2e6i9ubx3c8v1z', '7f0c3b9a1d2e4f5', 'Of a person who is not moved', FALSE, 0, '[]', NULL, '',
    '2025-05-01 08:05:00.000Z', '2025-05-01 08:05:00.000Z');

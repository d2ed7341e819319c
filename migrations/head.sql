-- head: 0001
-- Made from versions/ by `python -m amqplite.store.migrate`: don't edit.

BEGIN;

CREATE TABLE alembic_version (
    version_num VARCHAR(32) NOT NULL, 
    CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

-- Running upgrade  -> 0001

CREATE TABLE vhosts (
    name TEXT NOT NULL, 
    PRIMARY KEY (name)
);

CREATE TABLE users (
    name TEXT NOT NULL, 
    password_hash TEXT NOT NULL, 
    tags TEXT NOT NULL, 
    PRIMARY KEY (name)
);

CREATE TABLE permissions (
    user TEXT NOT NULL, 
    vhost TEXT NOT NULL, 
    configure TEXT NOT NULL, 
    write TEXT NOT NULL, 
    read TEXT NOT NULL, 
    PRIMARY KEY (user, vhost)
);

CREATE TABLE exchanges (
    vhost TEXT NOT NULL, 
    name TEXT NOT NULL, 
    type TEXT NOT NULL, 
    auto_delete BOOLEAN NOT NULL, 
    internal BOOLEAN NOT NULL, 
    arguments BLOB NOT NULL, 
    PRIMARY KEY (vhost, name)
);

CREATE TABLE bindings (
    vhost TEXT NOT NULL, 
    source TEXT NOT NULL, 
    destination TEXT NOT NULL, 
    to_exchange BOOLEAN NOT NULL, 
    routing_key TEXT NOT NULL, 
    arguments BLOB NOT NULL, 
    PRIMARY KEY (vhost, source, destination, to_exchange, routing_key, arguments)
);

CREATE TABLE queues (
    queue_id INTEGER NOT NULL, 
    vhost TEXT NOT NULL, 
    name TEXT NOT NULL, 
    auto_delete BOOLEAN NOT NULL, 
    arguments BLOB NOT NULL, 
    messages INTEGER DEFAULT 0 NOT NULL, 
    last_seq INTEGER DEFAULT 0 NOT NULL, 
    sent_up_to INTEGER DEFAULT 0 NOT NULL, 
    PRIMARY KEY (queue_id), 
    UNIQUE (vhost, name)
);

CREATE TABLE messages (
    "key" INTEGER NOT NULL, 
    deliveries INTEGER NOT NULL, 
    content_id INTEGER, 
    exchange ANY NOT NULL, 
    routing_key ANY NOT NULL, 
    properties BLOB, 
    body BLOB, 
    PRIMARY KEY ("key")
)
 STRICT;

CREATE INDEX ix_messages_content_id ON messages (content_id) WHERE content_id IS NOT NULL;

CREATE TABLE contents (
    content_id INTEGER NOT NULL, 
    properties BLOB NOT NULL, 
    body BLOB NOT NULL, 
    PRIMARY KEY (content_id)
)
 STRICT;

CREATE TABLE purges (
    first INTEGER NOT NULL, 
    last INTEGER NOT NULL, 
    PRIMARY KEY (first)
)
 STRICT;

CREATE VIEW message_list AS
SELECT
    queues.vhost,
    queues.name AS queue,
    messages.key & 0xFFFFFFFFFF AS place,
    messages.exchange,
    messages.routing_key,
    length(coalesce(messages.body, contents.body)) AS size,
    messages.deliveries
FROM messages
LEFT JOIN queues ON queues.queue_id = messages.key >> 40
LEFT JOIN contents ON contents.content_id = messages.content_id
WHERE NOT EXISTS (SELECT * FROM purges WHERE messages.key BETWEEN first AND last);

INSERT INTO alembic_version (version_num) VALUES ('0001') RETURNING version_num;

COMMIT;

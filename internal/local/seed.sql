CREATE SCHEMA IF NOT EXISTS main.events;
CREATE SCHEMA IF NOT EXISTS main.ops;
CREATE OR REPLACE TABLE main.events.stream_messages (technical_partition INT, technical_sequenceNumber BIGINT, context_updatedAt TIMESTAMP, payload STRING);
CREATE OR REPLACE TABLE main.events.messages (technical_partition INT, technical_sequenceNumber BIGINT, context_updatedAt TIMESTAMP, payload STRING);
CREATE OR REPLACE TABLE main.events.last_seq_nums_per_partition (technical_partition INT, last_seq BIGINT);

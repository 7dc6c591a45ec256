-- The incident's loader. It copies rows that have settled (strictly older than the newest event by 30 minutes) and that lie
-- above the last sequence number loaded for their partition, then remembers the highest one of each partition.
INSERT INTO main.events.messages
SELECT s.technical_partition, s.technical_sequenceNumber, s.context_updatedAt, s.payload
FROM main.events.stream_messages AS s
LEFT JOIN main.events.last_seq_nums_per_partition AS p ON p.technical_partition = s.technical_partition
WHERE s.technical_sequenceNumber > coalesce(p.last_seq, -1)
  AND s.context_updatedAt < (SELECT max(context_updatedAt) - INTERVAL 30 MINUTES FROM main.events.stream_messages);

MERGE INTO main.events.last_seq_nums_per_partition AS p
USING (
  SELECT technical_partition, max(technical_sequenceNumber) AS last_seq
  FROM main.events.messages
  GROUP BY technical_partition
) AS m
ON p.technical_partition = m.technical_partition
WHEN MATCHED AND m.last_seq > p.last_seq THEN UPDATE SET last_seq = m.last_seq
WHEN NOT MATCHED THEN INSERT (technical_partition, last_seq) VALUES (m.technical_partition, m.last_seq);

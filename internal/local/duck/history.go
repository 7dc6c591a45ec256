//go:build cgo

package duck

import (
	"context"
	"fmt"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

func historyColumns() []engine.Column {
	return columnsOf("version", "bigint", "timestamp", "timestamp", "userId", "string", "userName", "string", "operation", "string",
		"operationParameters", "map<string,string>",
		"job", "struct<jobId:string,jobName:string,jobRunId:string,runId:string,jobOwnerId:string,triggerType:string>",
		"notebook", "struct<notebookId:string>", "clusterId", "string", "readVersion", "bigint", "isolationLevel", "string", "isBlindAppend", "boolean",
		"operationMetrics", "map<string,string>", "userMetadata", "string", "engineInfo", "string")
}

const engineInfo = "Watertight/local"

func (w *work) describeHistory(_ context.Context, st *dialect.DescribeHistory) (*answer, error) {
	t, err := w.findTable(st.Name, "DESCRIBE HISTORY")
	if err != nil {
		return nil, err
	}
	a := &answer{columns: historyColumns()}
	for i := len(t.commits) - 1; i >= 0; i-- {
		if st.Limit != nil && int64(len(a.rows)) >= *st.Limit {
			break
		}
		c := t.commits[i]
		a.add(c.Version, instant{c.Time, w.zone}, nil, orNull(c.User), c.Operation, c.Parameters, jobText(c.Job), nil, nil, c.ReadVersion,
			c.Isolation, c.BlindAppend, c.Metrics, nil, engineInfo)
	}
	return a, nil
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func jobText(j *engine.Job) *string {
	if j == nil {
		return nil
	}
	s := fmt.Sprintf(`{"jobId": "%d", "jobName": %s, "jobRunId": "%d", "runId": "%d", "jobOwnerId": null, "triggerType": null}`, j.ID, jsonString(j.Name), j.RunID, j.TaskRunID)
	return &s
}

func detailColumns() []engine.Column {
	return columnsOf("format", "string", "id", "string", "name", "string", "description", "string", "location", "string",
		"createdAt", "timestamp", "lastModified", "timestamp", "partitionColumns", "array<string>", "clusteringColumns", "array<string>",
		"numFiles", "bigint", "sizeInBytes", "bigint", "properties", "map<string,string>", "minReaderVersion", "int", "minWriterVersion", "int",
		"tableFeatures", "array<string>")
}

func (w *work) describeDetail(_ context.Context, st *dialect.DescribeDetail) (*answer, error) {
	t, err := w.findTable(st.Name, "DESCRIBE DETAIL")
	if err != nil {
		return nil, err
	}
	m := t.meta()
	files, size := t.liveFiles(t.version()), int64(0)
	for _, f := range files {
		size += f.Bytes
	}
	reader, writer, features := m.protocol()
	a := &answer{columns: detailColumns()}
	a.add("delta", t.ID, t.Name.String(), m.Comment, t.location(), instant{t.Created, w.zone}, instant{t.latest().Time, w.zone},
		m.PartitionBy, m.ClusterBy, len(files), size, m.ownProperties(), reader, writer, features)
	return a, nil
}

package maintenance

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// PurgeJob is a job that runs a purge.
type PurgeJob struct {
	Name  string
	Purge Purge
	// Owner tells it from every other job, and names its file.
	Owner string
	// Expression is the Quartz expression that starts it, in ZoneID; a run is ended after MaxDuration.
	Expression, ZoneID string
	MaxDuration        time.Duration
	// WarehouseID runs the statement.
	WarehouseID string
}

const purgeTaskKey = "purge"

// Settings is the job as the Jobs API takes it: one SQL task that runs File, never twice at once.
func (j PurgeJob) Settings() (jobspec.Settings, error) {
	path, _, err := j.File()
	if err != nil {
		return nil, err
	}
	if j.WarehouseID == "" {
		return nil, errors.New("the job has no SQL warehouse to run on; set warehouse_id")
	}
	limit, err := jobspec.Seconds(j.MaxDuration)
	if err != nil {
		return nil, err
	}
	tags := map[string]any{contract.TagOwner: j.Owner}
	for k, v := range j.Purge.Tags() {
		tags[k] = v
	}
	return jobspec.Settings{
		"name":                j.Name,
		"tags":                tags,
		"schedule":            map[string]any{"quartz_cron_expression": j.Expression, "timezone_id": j.ZoneID, "pause_status": jobspec.Unpaused},
		"timeout_seconds":     limit,
		"max_concurrent_runs": jobspec.Int(1),
		// The next start deletes what a skipped one would have.
		"queue": map[string]any{"enabled": false},
		"tasks": []any{map[string]any{
			"task_key": purgeTaskKey,
			"sql_task": map[string]any{"warehouse_id": j.WarehouseID, "file": map[string]any{"path": path, "source": "WORKSPACE"}},
		}},
	}, nil
}

// PurgeFile is where the purge of an owner is kept.
func PurgeFile(owner string) string { return fmt.Sprintf("%s/purge-%s.sql", Directory, owner) }

// File is the SQL file of the job: where it is kept, and what it holds.
func (j PurgeJob) File() (path string, content []byte, err error) {
	if strings.TrimSpace(j.Name) == "" {
		return "", nil, errors.New("the job has no name")
	}
	if j.Owner == "" {
		return "", nil, errors.New("the job has no owner")
	}
	statement, err := j.Purge.Statement()
	if err != nil {
		return "", nil, err
	}
	return PurgeFile(j.Owner), []byte("-- Written by Watertight for the job " + oneLine(j.Name) + ". Changes made here are drift: the next apply writes it again.\n" + statement + ";\n"), nil
}

// PurgeFilePath is the file that a live purge job runs; empty when it is none.
func PurgeFilePath(s jobspec.Settings) string {
	tasks, _ := s["tasks"].([]any)
	for _, t := range tasks {
		task, _ := t.(map[string]any)
		sql, _ := task["sql_task"].(map[string]any)
		file, _ := sql["file"].(map[string]any)
		if path, _ := file["path"].(string); strings.HasPrefix(path, Directory+"/purge-") {
			return path
		}
	}
	return ""
}

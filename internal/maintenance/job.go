package maintenance

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// ErrPausesLoader is returned for a job that is to pause its loader. Coverage judges such a window already; the job
// itself needs tasks that pause, resume and run the loader whatever happens, and a job without them would leave the
// loader running in a window that was planned without it, so none is made.
var ErrPausesLoader = errors.New(`a job that pauses its loader during the window cannot be made yet`)

// PausesLoaderHint is the way out of ErrPausesLoader.
const PausesLoaderHint = `Set loader_during_window = "running": OPTIMIZE does not conflict with a loader that appends, nor with any on a table with row-level concurrency.`

// Directory is where the SQL files are kept.
const Directory = "/Shared/.watertight"

// Job is a plan with all that the job of it needs.
type Job struct {
	Name string
	Plan Plan
	// Promise goes into the tags; its window is the job's schedule and its time limit.
	Promise contract.Maintenance
	// WarehouseID runs the statements.
	WarehouseID string
	// PauseStatus is of this job's own schedule; empty: UNPAUSED.
	PauseStatus string
	// Owner is the tag by which the job is known as one resource's own; empty for a job that was made without it.
	Owner string
	// Tags are added to those of the promise.
	Tags map[string]string
}

const taskKey = "optimize"

// JobSettings is the job as the Jobs API takes it: one SQL task that runs File, at the window's start, for at most the
// window's duration, never twice at once. With a loader that is paused in the window it is ErrPausesLoader.
func JobSettings(j Job) (jobspec.Settings, error) {
	if j.Promise.LoaderDuringWindow == contract.LoaderPaused {
		return nil, ErrPausesLoader
	}
	path, _, err := j.File()
	if err != nil {
		return nil, err
	}
	if j.WarehouseID == "" {
		return nil, errors.New("the job has no SQL warehouse to run on; set warehouse_id")
	}
	if _, err := j.Promise.Window(); err != nil {
		return nil, fmt.Errorf("maintenance window: %w", err)
	}
	if j.Promise.Duration <= 0 {
		return nil, fmt.Errorf("maintenance window: it lasts %s; write a length such as 2h", j.Promise.Duration)
	}
	limit, err := jobspec.Seconds(j.Promise.Duration)
	if err != nil {
		return nil, err
	}
	status := j.PauseStatus
	if status == "" {
		status = jobspec.Unpaused
	}
	tags := map[string]any{}
	for _, m := range []map[string]string{j.Tags, j.Promise.Tags()} {
		for k, v := range m {
			tags[k] = v
		}
	}
	if j.Owner != "" {
		tags[contract.TagOwner] = j.Owner
	}
	return jobspec.Settings{
		"name":                j.Name,
		"tags":                tags,
		"schedule":            map[string]any{"quartz_cron_expression": j.Promise.Expression, "timezone_id": j.Promise.ZoneID, "pause_status": status},
		"timeout_seconds":     limit,
		"max_concurrent_runs": jobspec.Int(1),
		// A run that cannot start in its window must not start outside of it.
		"queue": map[string]any{"enabled": false},
		"tasks": []any{map[string]any{
			"task_key": taskKey,
			"sql_task": map[string]any{"warehouse_id": j.WarehouseID, "file": map[string]any{"path": path, "source": "WORKSPACE"}},
		}},
	}, nil
}

// OwnFile is the path of the SQL file of the job with an owner: no two jobs have one owner, so no two share a file. The
// name is in it for people.
func OwnFile(name, owner string) string {
	return fmt.Sprintf("%s/%s-%s.sql", Directory, fileName(name), fileName(owner))
}

// File is the SQL file of the job: where it is kept, and what it holds. Without an owner the path tells jobs of one name
// apart by their table, and names that differ in odd characters by their whole text.
func (j Job) File() (path string, content []byte, err error) {
	if strings.TrimSpace(j.Name) == "" {
		return "", nil, errors.New("the job has no name")
	}
	statements, err := j.Plan.Statements()
	if err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256([]byte(j.Name + "\x00" + j.Plan.Table))
	path = fmt.Sprintf("%s/%s-%s.sql", Directory, fileName(j.Name), hex.EncodeToString(sum[:4]))
	if j.Owner != "" {
		path = OwnFile(j.Name, j.Owner)
	}
	text := "-- Written by Watertight for the job " + oneLine(j.Name) + ". Changes made here are drift: the next apply writes it again.\n"
	for _, s := range statements {
		text += s + ";\n"
	}
	return path, []byte(text), nil
}

// FilePath is the file that a live job runs; empty when it is not a job of this package.
func FilePath(s jobspec.Settings) string {
	tasks, _ := s["tasks"].([]any)
	for _, t := range tasks {
		task, _ := t.(map[string]any)
		sql, _ := task["sql_task"].(map[string]any)
		file, _ := sql["file"].(map[string]any)
		if path, _ := file["path"].(string); task["task_key"] == taskKey && strings.HasPrefix(path, Directory+"/") {
			return path
		}
	}
	return ""
}

func fileName(name string) string {
	const longest = 80
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, name)
	return clean[:min(len(clean), longest)]
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// FromSettings reads the promise of a live optimize job. Its schedule is what really opens the window, so it goes before
// the tags. It is false for a job that promises nothing.
func FromSettings(s jobspec.Settings) (contract.Maintenance, bool, error) {
	tags := jobspec.Tags(s)
	live, _ := s["schedule"].(map[string]any)
	if expression, _ := live["quartz_cron_expression"].(string); expression != "" {
		zone, _ := live["timezone_id"].(string)
		tags = maps.Clone(tags)
		for name, v := range map[string]string{contract.TagPrefix + "window": expression, contract.TagPrefix + "window_zone": zone} {
			if _, ok := tags[name]; ok {
				tags[name] = v
			}
		}
	}
	return contract.MaintenanceFromTags(tags)
}

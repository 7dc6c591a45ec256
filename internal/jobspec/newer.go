package jobspec

import (
	"reflect"

	"github.com/databricks/databricks-sdk-go/service/jobs"
)

// newer are fields that the types of databricks-sdk-go v0.175.0 lack, by the pattern of the object they are in.
type newer struct {
	in, name string
	kind     reflect.Type
	source   string
}

func newerFields() []newer {
	return []newer{
		{"trigger", "table", reflect.TypeFor[jobs.TableUpdateTriggerConfiguration](),
			"the name of table_update before databricks-sdk-go v0.30; the API still takes it"},
		{"tasks[]", "agentic_task", reflect.TypeFor[agenticTask](), "databricks/sdk-go jobs/v2/wire.go, TaskSettings"},
	}
}

// agenticTask is databricks/sdk-go jobs/v2/wire.go, AgenticTask.
type agenticTask struct {
	Goal             string            `json:"goal"`
	SupervisorAgent  supervisorAgent   `json:"supervisor_agent"`
	TaskOutputSchema map[string]string `json:"task_output_schema"`
}

type supervisorAgent struct {
	AgentID string `json:"agent_id"`
}

// newerValues are values of enumerations that the SDK lacks, by pattern.
func newerValues() map[string][]string {
	return map[string][]string{
		// databricks/cli experimental/air: accelerators that the backend offers and takes.
		"tasks[].compute.hardware_accelerator":                           {"GPU_1xH100", "GPU_8xB300"},
		"tasks[].ai_runtime_task.deployments[].compute.accelerator_type": {"GPU_8xB300"},
	}
}

package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// newOwner is the value of the tag by which a resource's own job is known.
func newOwner() types.String { return types.StringValue(uuid.NewString()) }

// setOwner puts the owner into a job's tags.
func setOwner(settings jobspec.Settings, owner types.String) {
	tags := map[string]any{}
	if had, ok := settings["tags"].(map[string]any); ok {
		for k, v := range had {
			tags[k] = v
		}
	}
	if text := owner.ValueString(); text != "" {
		tags[contract.TagOwner] = text
	}
	settings["tags"] = tags
}

// newJob is a job that is to be made.
type newJob struct {
	// what is the resource's type, as in an import block; the job's noun stands in messages.
	what, noun string
	// settings carry the tag of an owner that no other job has.
	settings jobspec.Settings
	// allowDuplicateName makes the job although another has its name.
	allowDuplicateName bool
	// remedy stands in a refusal in place of the import block, for a job that no import block takes over.
	remedy string
	// at is the attribute that names the job. Empty: name.
	at path.Path
	// before is done once the name is known to be free, and withdraw undoes it when surely no job was made. Nil: nothing.
	before   func(context.Context, *diag.Diagnostics) bool
	withdraw func(context.Context, *diag.Diagnostics)
}

// undo takes back what before did, also after the operation's own time has run out.
func (j newJob) undo(ctx context.Context, diags *diag.Diagnostics) {
	if j.withdraw == nil {
		return
	}
	const patience = 30 * time.Second
	ctx, done := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer done()
	j.withdraw(ctx, diags)
}

// createJob makes a job exactly once, and returns its id. A job of the same name is refused, with the import block that
// takes it over; where the answer of jobs/create is lost, the job is looked for by its name and owner.
func (b *base) createJob(ctx context.Context, j newJob, diags *diag.Diagnostics) (int64, bool) {
	client := b.client(diags)
	if diags.HasError() {
		return 0, false
	}
	name, _ := j.settings["name"].(string)
	// Two resources of one configuration and one name: the second must see what the first made.
	defer b.session.names.lock(name)()
	if !j.allowDuplicateName {
		same, err := client.JobsNamed(ctx, name)
		if err != nil {
			addError(diags, "Whether there is a job of this name cannot be told", err)
			return 0, false
		}
		if len(same) > 0 {
			if len(j.at.Steps()) == 0 {
				j.at = path.Root("name")
			}
			diags.AddAttributeError(j.at, "A job of this name exists already", j.refusal(name, same))
			return 0, false
		}
	}
	if j.before != nil && !j.before(ctx, diags) {
		return 0, false
	}
	id, err := client.CreateOwnedJob(ctx, j.settings, contract.TagOwner)
	switch {
	case errors.Is(err, workspace.ErrUncertain):
		diags.AddError("Whether the "+j.noun+" was created is not known", fmt.Sprintf("%s\n\nNo job named %q with the tag %s = %s is in the workspace %s now, and the request was not sent a second time: that could make a second job. Apply again: a job that has shown up by then is found by its name, and the error gives the import block that takes it over.",
			explain(err), name, contract.TagOwner, ownerOf(j.settings), client.Host()))
	case err != nil:
		addError(diags, "The "+j.noun+" cannot be created", err)
		j.undo(ctx, diags)
	}
	return id, err == nil
}

// isNameFree tells that no other job has the name that a job is to be given.
func (b *base) isNameFree(ctx context.Context, settings jobspec.Settings, id int64, diags *diag.Diagnostics) bool {
	name, _ := settings["name"].(string)
	same, err := b.session.client.JobsNamed(ctx, name)
	if err != nil {
		addError(diags, "Whether there is a job of this name cannot be told", err)
		return false
	}
	for _, s := range same {
		if s.ID != id {
			diags.AddAttributeError(path.Root("name"), "Another job has this name", fmt.Sprintf("Job %d is named %q already, and two jobs of one name cannot be told apart by it: nothing was changed. Choose another name, or set allow_duplicate_name = true.", s.ID, name))
			return false
		}
	}
	return true
}

func ownerOf(settings jobspec.Settings) string { return jobspec.Tags(settings)[contract.TagOwner] }

// refusal says which jobs have the name, what they are, and how to go on.
func (j newJob) refusal(name string, same []workspace.Job) string {
	kind, table := contract.KindOf(jobspec.Tags(j.settings))
	var b strings.Builder
	fmt.Fprintf(&b, "Creating %q would make a second job of this name: nothing was created.\n\n", name)
	for _, s := range same {
		fmt.Fprintf(&b, "Job %d has it: %s.\n", s.ID, compared(jobspec.Tags(s.Settings), kind, table))
	}
	if j.remedy != "" {
		return b.String() + "\n" + j.remedy
	}
	fmt.Fprintf(&b, "\nIf the job is the one that is meant (a lost state, another checkout, a former deployer), take it over:\n\nimport {\n  to = %s.<name>\n  id = \"%d\"\n}\n\nIf it is another, give this one another name, or set allow_duplicate_name = true to have both.", j.what, same[0].ID)
	return b.String()
}

// compared says what a job of the same name is for, against what this one would be for.
func compared(tags map[string]string, kind contract.Kind, table string) string {
	does := map[contract.Kind]string{contract.KindLoader: "loads", contract.KindOptimize: "optimizes", contract.KindPurge: "deletes expired rows from"}
	hasKind, hasTable := contract.KindOf(tags)
	switch {
	case hasKind == contract.KindNone:
		return "it has no tags of Watertight, so what it does cannot be told"
	case hasKind == kind && hasTable == table:
		return fmt.Sprintf("its tags say that it %s %s, the same table as this one would", does[hasKind], hasTable)
	}
	return fmt.Sprintf("its tags say that it %s %s, and this one %s %s", does[hasKind], hasTable, does[kind], table)
}

// nameLocks lets one creation at a time go on for each name.
type nameLocks struct {
	mu    sync.Mutex
	names map[string]*sync.Mutex
}

func (n *nameLocks) lock(name string) (unlock func()) {
	n.mu.Lock()
	if n.names == nil {
		n.names = map[string]*sync.Mutex{}
	}
	one := n.names[name]
	if one == nil {
		one = &sync.Mutex{}
		n.names[name] = one
	}
	n.mu.Unlock()
	one.Lock()
	return one.Unlock
}

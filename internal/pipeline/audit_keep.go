package pipeline

import (
	"context"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// explainAbsent finds out what became of what is absent: by manifests, earlier findings and the loader's runs. Where the
// source cannot be read nothing is known of it.
func (a *auditor) explainAbsent(ctx context.Context) error {
	if a.problem != "" || a.raw.Len()+a.unexplained.Len()+int64(len(a.below)) == 0 {
		return a.concludeAll(nil)
	}
	a.search = &reconcile.Search{Complete: true} // it was searched for nothing
	a.search.Begin()
	c := &inquirer{verifier: a.verifier, below: a.below}
	if a.kept == nil && a.raw.Len() == 0 {
		return c.inquire(ctx, c.findDeleted) // nothing else could tell
	}
	return c.inquire(ctx, c.find)
}

// findDeleted looks only behind the commits that may have taken rows from the target.
func (c *inquirer) findDeleted(ctx context.Context) error {
	if err := c.look(time.Time{}); err != nil {
		return err
	}
	c.say("find out what was deleted")
	if err := c.begin(ctx); err != nil {
		return err
	}
	c.q.Begin()
	if err := c.learnDeleted(ctx); err != nil {
		return err
	}
	return c.concludeAll(c.q)
}

// keep records what was found, and which stretches are complete. A verdict that was reached stands, whatever becomes of
// that.
func (a *auditor) keep(ctx context.Context) {
	if a.kept == nil || a.screen == nil {
		return
	}
	a.say("keep the evidence")
	err := a.kept.keepFindings(ctx, a.asFindings())
	if err == nil {
		err = a.resolve(ctx)
	}
	if err == nil {
		err = a.kept.keepVerified(ctx, a.asLedger())
	}
	if err != nil {
		a.out.Reasons = append(a.out.Reasons, reconcile.Reason{Code: reconcile.CodeNoEvidence, Text: fmt.Sprintf("the evidence of this audit could not be kept: %v", err)})
		a.out.Warning = true
	}
}

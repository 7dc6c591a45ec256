// Package provider is the Terraform provider: a thin shell that turns configuration into values of the nouns, asks them
// for a verdict, and sends what they answer through package workspace.
//
// Vocabulary: the plan is what Terraform is about to do; a link is a whole resource given as an attribute of another
// (loader = watertight_loader_job.x), of which Terraform keeps what the schema of that attribute names; settings are
// the raw JSON of a job.
//
// It never waits for the end of a job's run, never touches rows, and makes no call at validate time.
package provider

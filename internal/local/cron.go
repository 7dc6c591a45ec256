package local

import (
	"errors"

	"github.com/watertight-data/terraform-provider-watertight/internal/schedule"
)

// cronSequence reads a schedule's two halves as Databricks does.
func cronSequence(expression, zone string) (schedule.Sequence, error) {
	if zone == "" {
		return nil, errors.New("timezone_id is required")
	}
	cron, err := schedule.Parse(expression)
	if err != nil {
		return nil, err
	}
	location, err := schedule.Zone(zone)
	if err != nil {
		return nil, err
	}
	return cron.In(location), nil
}

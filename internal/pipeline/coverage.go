package pipeline

import (
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/contract"
	"github.com/watertight-data/terraform-provider-watertight/internal/coverage"
	"github.com/watertight-data/terraform-provider-watertight/internal/jobspec"
)

// CoverageOf puts together what a check looks at: the loader's settings and contract, the source's retention and, where
// there is one, the maintenance of the target. The provider and the CLI check the same way since both ask here.
func CoverageOf(settings jobspec.Settings, c contract.Contract, source contract.Retention, m *contract.Maintenance, at time.Time) (coverage.Input, error) {
	loader, err := jobspec.Loader(settings)
	if err != nil {
		return coverage.Input{}, err
	}
	loader.Trigger.LongestGap = c.LongestGap
	in := coverage.Input{
		At: at, Loader: loader, Reads: c.Reads,
		RollingWindow: source.RollingWindow, LogRetention: source.LogRetention, DeletedFileRetention: source.DeletedFileRetention,
		BrokerRetention: c.BrokerRetention, SettleDelay: c.SettleDelay, SettleClock: c.SettleClock, LongestSilence: c.LongestSilence,
	}
	if m == nil {
		return in, nil
	}
	window, err := m.Window()
	if err != nil {
		return coverage.Input{}, err
	}
	in.Window, in.MinimumHeadroom = &window, m.MinimumHeadroom
	return in, nil
}

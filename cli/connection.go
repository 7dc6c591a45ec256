package cli

import (
	"context"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/workspace"
)

// connection says which workspace, beyond what the environment and the profile say. There is no flag for a token: other
// users of the machine can read command lines.
type connection struct {
	host, profile, warehouse string
	retry                    time.Duration
}

func connectionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "host", Usage: "`URL` of the workspace (else DATABRICKS_HOST, else the profile)", Category: "Workspace:"},
		&cli.StringFlag{Name: "profile", Usage: "`NAME` of a profile in ~/.databrickscfg, read instead of the environment (else DATABRICKS_CONFIG_PROFILE)", Category: "Workspace:"},
		&cli.StringFlag{Name: "warehouse-id", Usage: "`ID` of the SQL warehouse for statements (else DATABRICKS_WAREHOUSE_ID)", Category: "Workspace:"},
		&cli.StringFlag{Name: "retry-timeout", Usage: "`LENGTH` for which one call that fails is tried again (5m unless given)", Category: "Workspace:"},
	}
}

func (r *reader) connection() connection {
	return connection{host: r.c.String("host"), profile: r.c.String("profile"), warehouse: r.c.String("warehouse-id"), retry: r.length("retry-timeout", true)}
}

// open makes a client; nothing is called yet.
func (c connection) open(env *Env) (*workspace.Client, error) {
	return env.Workspace(workspace.Config{
		Host: c.host, Profile: c.profile, WarehouseID: c.warehouse, RetryTimeout: c.retry,
		UserAgent: "watertight/" + env.Version, Sleep: env.Sleep,
	})
}

// waiter is this machine's clock in the form in which the use cases take it.
type waiter struct{ env *Env }

func (w waiter) Now() time.Time { return w.env.Now() }

func (w waiter) Sleep(ctx context.Context, d time.Duration) error { return w.env.Sleep(ctx, d) }

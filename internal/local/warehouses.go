package local

import (
	"context"
)

func (w *Workspace) warehouse() map[string]any {
	address, _ := w.listener.Addr().(interface{ String() string })
	return map[string]any{
		"id": warehouseID, "name": "local", "state": "RUNNING", "cluster_size": "2X-Small", "warehouse_type": "PRO",
		"enable_serverless_compute": true, "auto_stop_mins": 10, "min_num_clusters": 1, "max_num_clusters": 1, "num_clusters": 1,
		"creator_name": ownerName, "health": map[string]any{"status": "HEALTHY"},
		"odbc_params": map[string]any{"hostname": address.String(), "path": "/sql/1.0/warehouses/" + warehouseID, "protocol": "http"},
		"engine":      w.engine.Kind(),
	}
}

func (w *Workspace) listWarehouses(context.Context, *call) (any, error) {
	return map[string]any{"warehouses": []any{w.warehouse()}}, nil
}

func (w *Workspace) getWarehouse(_ context.Context, c *call) (any, error) {
	if c.PathValue("id") != warehouseID {
		return nil, notFound("SQL warehouse %s does not exist.", c.PathValue("id"))
	}
	return w.warehouse(), nil
}

func (w *Workspace) startWarehouse(ctx context.Context, c *call) (any, error) {
	if _, err := w.getWarehouse(ctx, c); err != nil {
		return nil, err
	}
	return map[string]any{}, nil
}

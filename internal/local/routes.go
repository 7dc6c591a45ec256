package local

import (
	"context"
	"fmt"
	"net/http"
)

// routes builds the table of routes. What is not in it answers as Databricks does for a path it does not have.
func (w *Workspace) routes() *http.ServeMux {
	mux := http.NewServeMux()
	w.jobRoutes(mux)
	w.sqlRoutes(mux)
	w.catalogRoutes(mux)
	w.fileRoutes(mux)
	w.controlRoutes(mux)
	w.handle(mux, "GET /.well-known/databricks-config", w.hostMetadata)
	w.handle(mux, "GET /oidc/.well-known/oauth-authorization-server", w.oidcEndpoints)
	w.handle(mux, "POST /oidc/v1/token", w.issueToken)
	w.handle(mux, "GET /api/2.0/preview/scim/v2/Me", w.me)
	w.handle(mux, "/", func(_ context.Context, c *call) (any, error) {
		return nil, &apiError{http.StatusNotFound, "ENDPOINT_NOT_FOUND", fmt.Sprintf("No API found for '%s %s'", c.Method, c.URL.Path)}
	})
	return mux
}

func (w *Workspace) jobRoutes(mux *http.ServeMux) {
	for _, version := range []string{"2.0", "2.1", "2.2"} {
		at := func(method, path string, h handler) {
			w.handle(mux, method+" /api/"+version+"/jobs/"+path, h)
		}
		at("POST", "create", w.createJob)
		at("GET", "get", w.getJob)
		at("GET", "list", w.listJobs)
		at("POST", "reset", w.resetJob)
		at("POST", "update", w.updateJob)
		at("POST", "delete", w.deleteJob)
		at("POST", "run-now", w.runNow)
		at("POST", "runs/submit", w.submitRun)
		at("GET", "runs/get", w.getRun)
		at("GET", "runs/list", w.listRuns)
		at("GET", "runs/get-output", w.getRunOutput)
		at("GET", "runs/export", w.exportRun)
		at("POST", "runs/cancel", w.cancelRun)
		at("POST", "runs/cancel-all", w.cancelAllRuns)
		at("POST", "runs/repair", w.repairRun)
		at("POST", "runs/delete", w.deleteRun)
	}
	w.handle(mux, "GET /api/2.0/permissions/jobs/{job_id}", w.getPermissions)
	w.handle(mux, "PUT /api/2.0/permissions/jobs/{job_id}", w.putPermissions)
	w.handle(mux, "PATCH /api/2.0/permissions/jobs/{job_id}", w.patchPermissions)
}

func (w *Workspace) sqlRoutes(mux *http.ServeMux) {
	w.handle(mux, "GET /api/2.0/sql/warehouses", w.listWarehouses)
	w.handle(mux, "GET /api/2.0/sql/warehouses/{id}", w.getWarehouse)
	w.handle(mux, "POST /api/2.0/sql/warehouses/{id}/start", w.startWarehouse)
	w.handle(mux, "POST /api/2.0/sql/statements", w.executeStatement)
	w.handle(mux, "POST /api/2.0/sql/statements/{$}", w.executeStatement)
	w.handle(mux, "GET /api/2.0/sql/statements/{id}", w.getStatement)
	w.handle(mux, "POST /api/2.0/sql/statements/{id}/cancel", w.cancelStatement)
	w.handle(mux, "GET /api/2.0/sql/statements/{id}/result/chunks/{chunk}", w.getChunk)
}

func (w *Workspace) catalogRoutes(mux *http.ServeMux) {
	w.handle(mux, "GET /api/2.1/unity-catalog/catalogs", w.listCatalogs)
	w.handle(mux, "GET /api/2.1/unity-catalog/schemas", w.listSchemas)
	w.handle(mux, "GET /api/2.1/unity-catalog/schemas/{full_name}", w.getSchema)
	w.handle(mux, "GET /api/2.1/unity-catalog/tables", w.listTables)
	w.handle(mux, "GET /api/2.1/unity-catalog/tables/{full_name}", w.getTable)
	w.handle(mux, "GET /api/2.1/unity-catalog/tables/{full_name}/exists", w.tableExists)
	w.handle(mux, "PATCH /api/2.1/unity-catalog/tables/{full_name}", w.patchTable)
}

func (w *Workspace) fileRoutes(mux *http.ServeMux) {
	w.handle(mux, "POST /api/2.0/workspace/import", w.importFile)
	w.handle(mux, "GET /api/2.0/workspace/export", w.exportFile)
	w.handle(mux, "GET /api/2.0/workspace/get-status", w.fileStatus)
	w.handle(mux, "GET /api/2.0/workspace/list", w.listFiles)
	w.handle(mux, "POST /api/2.0/workspace/delete", w.deleteFile)
	w.handle(mux, "POST /api/2.0/workspace/mkdirs", w.makeDirectories)
	w.handle(mux, "POST /api/2.0/workspace-files/import-file/{path...}", w.importRawFile)
}

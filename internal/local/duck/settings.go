//go:build cgo

package duck

import (
	"context"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/dialect"
)

// use checks that what USE names is there; the caller keeps it for later statements.
func (w *work) use(_ context.Context, st *dialect.Use) (*answer, error) {
	if st.Catalog {
		name := st.Name.Parts[0]
		if _, ok := w.catalog.catalogs[fold(name)]; !ok {
			return nil, errNoCatalog(name)
		}
		return nil, nil
	}
	catalog, name, err := w.schemaName(st.Name)
	if err != nil {
		return nil, err
	}
	if w.catalog.schemas[schemaKey(catalog, name)] == nil {
		return nil, errNoSchema(catalog, name)
	}
	return nil, nil
}

// sessionSettings are those of a SQL warehouse, with the only value the engine has; "" takes any.
func sessionSettings() map[string]string {
	return map[string]string{"ansi_mode": "true", "spark.sql.ansi.enabled": "true", "use_cached_result": "", "statement_timeout": "", "enable_photon": ""}
}

// setConfig takes settings that change no answer. A warehouse knows no others, and neither does the engine.
func (w *work) setConfig(_ context.Context, st *dialect.SetConfig) (*answer, error) {
	a := &answer{columns: columnsOf("key", "string", "value", "string")}
	if st.Key == "" {
		return a, nil
	}
	only, known := sessionSettings()[strings.ToLower(st.Key)]
	switch {
	case !known:
		return nil, newError("CONFIG_NOT_AVAILABLE", "Configuration %s is not available.", st.Key)
	case st.Value == nil:
		a.add(st.Key, only)
	case only != "" && !strings.EqualFold(*st.Value, only):
		return nil, refuse("SET %s = %s", st.Key, *st.Value)
	default:
		a.add(st.Key, *st.Value)
	}
	return a, nil
}

//go:build cgo

package duck

import (
	"maps"
	"strings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// catalog is everything the engine knows about its tables at one moment. Published ones never change; a statement that
// writes changes a clone. Keys are folded names.
type catalog struct {
	catalogs map[string]string
	schemas  map[string]*schema
	tables   map[string]*table
	// next is the number the next physical table gets.
	next int64
}

type schema struct {
	Catalog, Name string
	Comment       *string
}

const (
	mainCatalog   = "main"
	sparkCatalog  = "spark_catalog"
	defaultSchema = "default"
)

func newCatalog() *catalog {
	return &catalog{catalogs: map[string]string{}, schemas: map[string]*schema{}, tables: map[string]*table{}, next: 1}
}

func (c *catalog) clone() *catalog {
	return &catalog{catalogs: maps.Clone(c.catalogs), schemas: maps.Clone(c.schemas), tables: maps.Clone(c.tables), next: c.next}
}

func fold(parts ...string) string { return strings.ToLower(strings.Join(parts, "\x00")) }

func schemaKey(catalog, name string) string { return fold(catalog, name) }
func tableKey(n engine.Name) string         { return fold(n.Catalog, n.Schema, n.Table) }

func (c *catalog) addCatalog(name string) {
	c.catalogs[fold(name)] = name
	c.addSchema(&schema{Catalog: name, Name: defaultSchema})
}

func (c *catalog) addSchema(s *schema) { c.schemas[schemaKey(s.Catalog, s.Name)] = s }

// canonical spells the catalog and schema of a name as they were created.
func (c *catalog) canonical(n engine.Name) engine.Name {
	if s := c.schemas[schemaKey(n.Catalog, n.Schema)]; s != nil {
		n.Catalog, n.Schema = s.Catalog, s.Name
	}
	return n
}

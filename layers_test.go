package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/watertight-data/terraform-provider-watertight/"

// room says what the packages of a folder may import. Folders are matched longest first; a folder that no
// room covers fails the test, so that a new one is placed deliberately.
type room struct {
	folder string
	// own lists the folders of this module that may be imported; an entry covers its subfolders.
	own []string
	// libraries lists import path prefixes outside this module and the standard library.
	libraries []string
	// noun: values in, verdicts out. No clock, environment, file, network, log or context.
	noun bool
}

func rooms() []room {
	nouns := []string{
		"internal/interval", "internal/schedule", "internal/coverage", "internal/contract", "internal/jobspec",
		"internal/maintenance", "internal/evidence", "internal/reconcile", "internal/recovery", "internal/run", "internal/report",
	}
	below := func(name string) []string { return nouns[:slices.Index(nouns, name)] }
	const sdk, framework, duckdb = "github.com/databricks/databricks-sdk-go", "github.com/hashicorp/terraform-plugin-", "github.com/duckdb/duckdb-go"

	list := []room{
		{folder: ".", own: []string{"cli", "provider"}, libraries: []string{framework}},
		{folder: "provider", own: append([]string{"internal/pipeline", "internal/workspace"}, nouns...),
			libraries: []string{framework, "github.com/google/uuid"}},
		{folder: "cli", own: append([]string{"internal/pipeline", "internal/workspace", "internal/local", "examples"}, nouns...),
			libraries: []string{"github.com/urfave/cli/v2", "github.com/google/uuid", "golang.org/x/term"}},
		{folder: "examples"},
		{folder: "internal/jobspec/anyjob", own: []string{"internal/jobspec"}}, // makes jobs for tests
		{folder: "internal/pipeline", own: append([]string{"internal/workspace"}, nouns...), libraries: []string{"github.com/google/uuid"}},
		{folder: "internal/workspace", own: nouns, libraries: []string{sdk}},
		{folder: "internal/local", own: append([]string{"internal/local"}, nouns...), libraries: []string{"github.com/google/uuid", "golang.org/x/sys"}},
		{folder: "internal/local/engine"},
		{folder: "internal/local/dialect", own: []string{"internal/local/engine", "internal/interval", "internal/schedule"}},
		{folder: "internal/local/duck", own: []string{"internal/local/engine", "internal/local/dialect", "internal/interval"},
			libraries: []string{duckdb, "github.com/google/uuid"}},
		{folder: "internal/truth"},
		{folder: "internal/bench", own: []string{"internal"}, libraries: []string{duckdb}},
	}
	for _, noun := range nouns {
		r := room{folder: noun, own: below(noun), noun: true}
		if noun == "internal/jobspec" {
			r.libraries = []string{sdk + "/service/"}
		}
		list = append(list, r)
	}
	return list
}

// notForNouns are the standard packages that read or change something outside the program.
func notForNouns() []string {
	return []string{"os", "os/exec", "os/signal", "net", "net/http", "log", "log/slog", "context", "io/ioutil", "syscall", "database/sql", "math/rand", "math/rand/v2"}
}

func TestImportsFollowTheRooms(t *testing.T) {
	t.Parallel()
	for _, path := range goFiles(t) {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		r, ok := roomOf(folder)
		if !ok {
			t.Errorf("%s: no room for folder %s: add it to the table in layers_test.go", path, folder)
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if why := r.refuses(folder, imported); why != "" {
				t.Errorf("%s imports %s: %s", path, imported, why)
			}
		}
	}
}

func (r room) refuses(folder, imported string) string {
	if own, ok := strings.CutPrefix(imported, module); ok {
		if own == folder || slices.ContainsFunc(r.own, func(f string) bool { return within(own, f) }) {
			return ""
		}
		return "the room " + r.folder + " may not know it"
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		if r.noun && slices.Contains(notForNouns(), imported) {
			return "a noun has no clock, environment, file, network or log"
		}
		return ""
	}
	if slices.ContainsFunc(r.libraries, func(l string) bool { return strings.HasPrefix(imported, l) }) {
		return ""
	}
	return "the room " + r.folder + " does without this library"
}

// TestNounsReadNoClock finds what an import list cannot show: time is fine in a noun, the clock is not.
func TestNounsReadNoClock(t *testing.T) {
	t.Parallel()
	clock := []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker", "LoadLocation"}
	for _, path := range goFiles(t) {
		r, _ := roomOf(filepath.ToSlash(filepath.Dir(path)))
		if (!r.noun && r.folder != "provider") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "time" && x.Obj == nil && slices.Contains(clock, s.Sel.Name) {
					t.Errorf("%s calls time.%s", set.Position(s.Pos()), s.Sel.Name)
				}
			}
			return true
		})
	}
}

func TestSizes(t *testing.T) {
	t.Parallel()
	const fileLines, testLines, functionLines = 400, 800, 60
	for _, path := range goFiles(t) {
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		limit := fileLines
		isTest := strings.HasSuffix(path, "_test.go")
		if isTest {
			limit = testLines
		}
		if lines := set.File(file.Pos()).LineCount(); lines > limit && !ast.IsGenerated(file) {
			t.Errorf("%s has %d lines, the limit is %d: split it by what it does", path, lines, limit)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || isTest || f.Name.Name == "Schema" {
				continue
			}
			if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > functionLines {
				t.Errorf("%s: %s has %d lines, the limit is %d", set.Position(f.Pos()), f.Name.Name, n, functionLines)
			}
		}
	}
}

func TestPackageNames(t *testing.T) {
	t.Parallel()
	banned := []string{"util", "utils", "common", "helpers", "types", "manager", "schema", "resource", "path", "function", "validator"}
	for _, path := range goFiles(t) {
		if slices.Contains(banned, filepath.Base(filepath.Dir(path))) {
			t.Errorf("%s: a package says what it holds; %s does not", path, filepath.Base(filepath.Dir(path)))
		}
	}
}

func roomOf(folder string) (room, bool) {
	best, found := room{}, false
	for _, r := range rooms() {
		if within(folder, r.folder) && (!found || len(r.folder) > len(best.folder)) {
			best, found = r, true
		}
	}
	return best, found
}

func within(folder, parent string) bool {
	return folder == parent || strings.HasPrefix(folder, parent+"/")
}

// goFiles lists the files of this module, whatever their build constraints; tools/ holds modules of its own.
func goFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || path == "tools" || path == "bin") {
			return filepath.SkipDir
		}
		if strings.HasSuffix(path, ".go") {
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no Go files found")
	}
	return files
}

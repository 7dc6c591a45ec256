package reconcile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

func TestFieldType(t *testing.T) {
	t.Parallel()
	const kind = "struct<id:bigint,at:struct<day: date NOT NULL COMMENT 'the, day',price:decimal(10,2)>,`odd name`:map<string,int>,last:string>"
	for _, c := range []struct {
		path []string
		want string
	}{{[]string{"id"}, "bigint"}, {[]string{"ID"}, "bigint"}, {[]string{"at", "day"}, "date"}, {[]string{"at", "price"}, "decimal(10,2)"}, {[]string{"odd name"}, "map<string,int>"},
		{[]string{"last"}, "string"}, {[]string{"day"}, ""}, {[]string{"at", "id"}, ""}, {[]string{"id", "x"}, ""}, {[]string{"odd name", "string"}, ""}} {
		if got, ok := reconcile.FieldType(kind, c.path); got != c.want || ok != (c.want != "") {
			t.Errorf("%v: %q %v, want %q", c.path, got, ok, c.want)
		}
	}
	if got, ok := reconcile.FieldType("array<struct<a:int>>", []string{"a"}); ok {
		t.Error(got)
	}
}

// TobikoData and lakebridge cast one side to the other's type; here only values of one type are compared.
func TestKeyColumnsCompare(t *testing.T) {
	t.Parallel()
	kinds := []string{"string", "varchar(10)", "char(3)", "char(4)", "bigint", "smallint", "decimal(10,2)", "decimal(12,2)", "boolean", "date", "timestamp", "timestamp_ntz", "binary"}
	same := map[[2]string]bool{{"string", "varchar(10)"}: true, {"bigint", "smallint"}: true}
	for i, a := range kinds {
		for _, b := range kinds[i:] {
			x, okA := reconcile.NewKeyColumn("c", "`c`", a)
			y, okB := reconcile.NewKeyColumn("c", "`c`", b)
			if want := a == b || same[[2]string{a, b}]; !okA || !okB || x.Compares(y) != want || y.Compares(x) != want {
				t.Errorf("%s and %s: %v, want %v", a, b, x.Compares(y), want)
			}
		}
	}
	for _, kind := range []string{"double", "float", "string collate utf8_lcase", "array<int>", "map<string,int>", "struct<a:int>", "interval day to second", "variant", "void", ""} {
		if _, ok := reconcile.NewKeyColumn("c", "`c`", kind); ok {
			t.Errorf("%s makes a key", kind)
		}
	}
}

func TestKeyTextReadsBack(t *testing.T) {
	t.Parallel()
	k := reconcile.Keys{Key: []reconcile.KeyColumn{{Name: "b"}, {Name: "a.x"}}}
	for _, key := range [][]reconcile.KeyValue{{{Text: `"<&>\`}, {Null: true}}, {{Text: ""}, {Text: "null"}}, {{Text: "\u2028\n"}, {Text: "é"}}} {
		got, ok := k.ReadKeyText(k.KeyText(key))
		if !ok || cmp.Diff(key, got) != "" {
			t.Errorf("%s: %v", k.KeyText(key), got)
		}
	}
	for _, text := range []string{"", "p", `{"b":"1"}`, `{"b":"1","c":"2"}`, `{"b":1,"a.x":"2"}`} {
		if got, ok := k.ReadKeyText(text); ok {
			t.Errorf("%s: %v", text, got)
		}
	}
	if got := k.KeyText([]reconcile.KeyValue{{Text: "<"}, {Null: true}}); got != `{"b":"<","a.x":null}` {
		t.Error(got)
	}
}

package dialect

// Pos is a place in a statement's text: a byte offset, and the line and column Spark's messages count.
type Pos struct{ Offset, Line, Column int }

// Span is a stretch of a statement's text, in bytes.
type Span struct{ From, To int }

func (s Span) span() Span { return s }

// Query is a query with its CTEs, order and limit.
type Query struct {
	With  []cte
	Body  body
	Order []orderItem
	// OrderAll is ORDER BY ALL; its one item holds the direction.
	OrderAll      bool
	Limit, Offset Expr
	Span
}

type cte struct {
	name    string
	columns []string
	query   *Query
}

type orderItem struct {
	expr       Expr
	desc       bool
	nulls      string
	nullsGiven bool
}

// body is *selectBody, *setOp, *valuesBody or *Query in parentheses.
type body interface{ body() }

type selectBody struct {
	distinct bool
	items    []selectItem
	from     FromItem
	where    Expr
	group    []Expr
	groupAll bool
	having   Expr
	qualify  Expr
	windows  map[string]*window
}

type setOp struct {
	op          string
	all         bool
	left, right body
}

type valuesBody struct{ rows [][]Expr }

func (*selectBody) body() {}
func (*setOp) body()      {}
func (*valuesBody) body() {}
func (*Query) body()      {}

type selectItem struct {
	expr  Expr
	alias string
}

// FromItem is what a FROM or a MERGE's USING reads.
type FromItem interface{ from() }

type tableRef struct {
	name    Name
	ident   Expr
	asOf    *AsOf
	alias   string
	columns []string
}

type subqueryRef struct {
	query   *Query
	lateral bool
	alias   string
	columns []string
	pos     Pos
}

type functionRef struct {
	name    string
	args    []Expr
	alias   string
	columns []string
	pos     Pos
}

type joinRef struct {
	left, right FromItem
	kind        string
	natural     bool
	on          Expr
	using       []string
}

type lateralView struct {
	input   FromItem
	outer   bool
	call    *call
	table   string
	columns []string
}

func (*tableRef) from()    {}
func (*subqueryRef) from() {}
func (*functionRef) from() {}
func (*joinRef) from()     {}
func (*lateralView) from() {}

// ColumnRef is a column with its qualifiers.
type ColumnRef struct {
	Parts []string
	Span
}

type literal struct {
	typ Type
	// text is the value: digits, the unescaped string, true or false; unused for NULL.
	text string
	// name is the literal as Spark names an unaliased column.
	name string
	Span
}

type star struct {
	qualifier []string
	except    []string
	Span
}

type unary struct {
	op string
	x  Expr
	Span
}

type binary struct {
	op   string
	l, r Expr
	Span
}

type between struct {
	x, lo, hi Expr
	not       bool
	Span
}

type inList struct {
	x     Expr
	list  []Expr
	query *Query
	not   bool
	Span
}

type like struct {
	op         string
	x, pattern Expr
	escape     string
	not        bool
	Span
}

type isTest struct {
	x    Expr
	what string
	not  bool
	Span
}

type isDistinct struct {
	l, r Expr
	not  bool
	Span
}

type caseExpr struct {
	operand Expr
	whens   [][2]Expr
	other   Expr
	Span
}

type cast struct {
	x   Expr
	typ Type
	try bool
	Span
}

type call struct {
	name     string
	args     []Expr
	star     bool
	distinct bool
	// unit is the bare first word of timestampadd(HOUR, …), in upper case.
	unit        string
	filter      Expr
	over        *window
	overName    string
	ignoreNulls bool
	Span
}

type window struct {
	partition []Expr
	order     []orderItem
	frame     *frame
}

type frame struct {
	unit       string
	start, end frameBound
	between    bool
}

type frameBound struct {
	kind  string
	value Expr
}

type subqueryExpr struct {
	query *Query
	Span
}

type exists struct {
	query *Query
	Span
}

type intervalExpr struct {
	// months and micros are set when the interval is a literal.
	months, micros int64
	literal        bool
	yearMonth      bool
	Span
}

type marker struct {
	name string
	Span
}

type identifierExpr struct {
	x Expr
	Span
}

type index struct {
	x, i Expr
	Span
}

type field struct {
	x    Expr
	name string
	Span
}

type tuple struct {
	items []Expr
	Span
}

func (*ColumnRef) expr()      {}
func (*literal) expr()        {}
func (*star) expr()           {}
func (*unary) expr()          {}
func (*binary) expr()         {}
func (*between) expr()        {}
func (*inList) expr()         {}
func (*like) expr()           {}
func (*isTest) expr()         {}
func (*isDistinct) expr()     {}
func (*caseExpr) expr()       {}
func (*cast) expr()           {}
func (*call) expr()           {}
func (*subqueryExpr) expr()   {}
func (*exists) expr()         {}
func (*intervalExpr) expr()   {}
func (*marker) expr()         {}
func (*identifierExpr) expr() {}
func (*index) expr()          {}
func (*field) expr()          {}
func (*tuple) expr()          {}

// Text is an expression as it was written in its statement's text.
func Text(statement string, e Expr) string {
	if e == nil {
		return ""
	}
	s := e.span()
	if s.From < 0 || s.From > s.To || s.To > len(statement) {
		return ""
	}
	return statement[s.From:s.To]
}

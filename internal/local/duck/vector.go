//go:build cgo

package duck

import (
	"math/big"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// vector is a column of a chunk, with what is needed to read it fetched once.
type vector struct {
	typ      bindings.Type
	data     unsafe.Pointer
	validity unsafe.Pointer
	// internal and scale are of a decimal.
	internal bindings.Type
	scale    int
	// children: the element of a list; key and value of a map; the fields of a struct, named by fields.
	children []vector
	fields   []string
}

func newVector(v bindings.Vector) vector {
	t := bindings.VectorGetColumnType(v)
	defer bindings.DestroyLogicalType(&t)
	out := vector{typ: bindings.GetTypeId(t), data: bindings.VectorGetData(v), validity: bindings.VectorGetValidity(v)}
	switch out.typ {
	case bindings.TypeDecimal:
		out.internal, out.scale = bindings.DecimalInternalType(t), int(bindings.DecimalScale(t))
	case bindings.TypeList:
		out.children = []vector{newVector(bindings.ListVectorGetChild(v))}
	case bindings.TypeMap:
		entries := bindings.ListVectorGetChild(v)
		out.children = []vector{newVector(bindings.StructVectorGetChild(entries, 0)), newVector(bindings.StructVectorGetChild(entries, 1))}
	case bindings.TypeStruct:
		for i := range bindings.StructTypeChildCount(t) {
			out.fields = append(out.fields, bindings.StructTypeChildName(t, i))
			out.children = append(out.children, newVector(bindings.StructVectorGetChild(v, i)))
		}
	}
	return out
}

func (v *vector) null(row int) bool {
	if v.validity == nil {
		return false
	}
	word := *(*uint64)(unsafe.Add(v.validity, (row/64)*8))
	return word&(1<<(row%64)) == 0
}

func at[T any](v *vector, row int) T {
	var zero T
	return *(*T)(unsafe.Add(v.data, row*int(unsafe.Sizeof(zero))))
}

// stringSlot is DuckDB's string: short ones lie in it, long ones behind the pointer.
type stringSlot struct {
	length uint32
	_      [4]byte
	long   unsafe.Pointer
}

const inlineLength = 12

// bytes copies a string or blob.
func (v *vector) bytes(row int) string { return string(v.view(row)) }

// view is a string or blob as it lies in the chunk.
func (v *vector) view(row int) []byte {
	slot := (*stringSlot)(unsafe.Add(v.data, row*int(unsafe.Sizeof(stringSlot{}))))
	from := slot.long
	if slot.length <= inlineLength {
		from = unsafe.Add(unsafe.Pointer(slot), 4)
	}
	return unsafe.Slice((*byte)(from), int(slot.length))
}

type hugeInt struct {
	lower uint64
	upper int64
}

func (h hugeInt) big() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(h.upper), 64)
	return n.Add(n, new(big.Int).SetUint64(h.lower))
}

type listEntry struct{ offset, length uint64 }

type duration struct {
	months, days int32
	micros       int64
}

//go:build cgo

package duck

/*
extern void watertightXxhash64(void *info, void *chunk, void *out);
*/
import "C"

import (
	"errors"
	"unsafe"

	bindings "github.com/duckdb/duckdb-go-bindings"
)

// defineHash gives a database Spark's xxhash64 under the name that the dialect prints: DuckDB has no hash of its own that
// Spark has too, but for md5 and sha256, which cost twenty times as much.
func defineHash(c bindings.Connection) error {
	f := bindings.CreateScalarFunction()
	defer bindings.DestroyScalarFunction(&f)
	anything, bigint := bindings.CreateLogicalType(bindings.TypeAny), bindings.CreateLogicalType(bindings.TypeBigInt)
	defer bindings.DestroyLogicalType(&anything)
	defer bindings.DestroyLogicalType(&bigint)
	bindings.ScalarFunctionSetName(f, "wt_xxhash64")
	bindings.ScalarFunctionSetVarargs(f, anything)
	bindings.ScalarFunctionSetReturnType(f, bigint)
	bindings.ScalarFunctionSetSpecialHandling(f) // a NULL is passed over, and does not make the result NULL
	bindings.ScalarFunctionSetFunction(f, C.watertightXxhash64)
	if bindings.RegisterScalarFunction(c, f) == bindings.StateError {
		return errors.New("define xxhash64")
	}
	return nil
}

//export watertightXxhash64
func watertightXxhash64(_, chunk, out unsafe.Pointer) {
	input := bindings.DataChunk{Ptr: chunk}
	n := int(bindings.DataChunkGetSize(input))
	result := unsafe.Slice((*uint64)(bindings.VectorGetData(bindings.Vector{Ptr: out})), n)
	for i := range result {
		result[i] = hashSeed
	}
	for i := range bindings.DataChunkGetColumnCount(input) {
		v := newVector(bindings.DataChunkGetVector(input, i))
		for row := range result {
			if !v.null(row) {
				result[row] = v.hash(row, result[row])
			}
		}
	}
}

// hash is Spark's of a value, after others that gave the seed.
func (v *vector) hash(row int, seed uint64) uint64 {
	switch v.typ {
	case bindings.TypeBoolean, bindings.TypeTinyInt:
		return hashInt(int32(at[int8](v, row)), seed)
	case bindings.TypeSmallInt:
		return hashInt(int32(at[int16](v, row)), seed)
	case bindings.TypeInteger, bindings.TypeDate:
		return hashInt(at[int32](v, row), seed)
	case bindings.TypeVarchar, bindings.TypeBlob:
		return hashBytes(v.view(row), seed)
	case bindings.TypeDecimal:
		return v.hashDecimal(row, seed)
	}
	return hashLong(at[int64](v, row), seed)
}

// hashDecimal hashes the digits: as a BIGINT up to 18 of them, and as Java's big-endian two's complement above.
func (v *vector) hashDecimal(row int, seed uint64) uint64 {
	switch v.internal {
	case bindings.TypeSmallInt:
		return hashLong(int64(at[int16](v, row)), seed)
	case bindings.TypeInteger:
		return hashLong(int64(at[int32](v, row)), seed)
	case bindings.TypeBigInt:
		return hashLong(at[int64](v, row), seed)
	}
	return hashBytes(twosComplement(at[hugeInt](v, row).big()), seed)
}

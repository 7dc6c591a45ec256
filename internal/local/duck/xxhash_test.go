//go:build cgo

package duck

import (
	"math/big"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// apache/spark XXH64Suite: the buffer and the answers.
func TestXXH64(t *testing.T) {
	t.Parallel()
	const prime = 2654435761
	buffer := make([]byte, 101)
	seed := int64(prime)
	for i := range buffer {
		buffer[i] = byte(seed >> 24)
		seed *= seed
	}
	for _, c := range []struct {
		n             int
		plain, seeded uint64
	}{{0, 0xEF46DB3751D8E999, 0xAC75FDA2929B17EF}, {1, 0x4FCE394CC88952D8, 0x739840CB819FA723}, {4, 0x9256E58AA397AEF1, 0x9D5FFDFB928AB4B},
		{8, 0xF74CB1451B32B8CF, 0x9C44B77FBCC302C5}, {14, 0xCFFA8DB881BC3A3D, 0x5B9611585EFCC9CB}, {101, 0x0EAB543384F878AD, 0xCAA65939306F1E21}} {
		if got := hashBytes(buffer[:c.n], 0); got != c.plain {
			t.Errorf("%d bytes: %x, want %x", c.n, got, c.plain)
		}
		if got := hashBytes(buffer[:c.n], prime); got != c.seeded {
			t.Errorf("%d bytes with a seed: %x, want %x", c.n, got, c.seeded)
		}
	}
	if a, b := hashInt(0x4B1FFF9E, 0), hashLong(-0x22D0ACA1B4E00062, prime); a != 0x9256E58AA397AEF1 || b != 0x9C44B77FBCC302C5 {
		t.Errorf("%x %x", a, b)
	}
}

// What java.math.BigInteger.toByteArray gives, by its documentation: the shortest that has a sign bit.
func TestTwosComplement(t *testing.T) {
	t.Parallel()
	for n, want := range map[int64][]byte{0: {0}, 127: {127}, 128: {0, 128}, -1: {255}, -128: {128}, -129: {255, 127}, 256: {1, 0}, -256: {255, 0}} {
		if d := cmp.Diff(want, twosComplement(big.NewInt(n))); d != "" {
			t.Errorf("%d: %s", n, d)
		}
	}
}

// facebookincubator/velox XxHash64Test, whose answers were printed by spark-sql; those of two strings are PySpark's own
// documentation.
func TestSparkXxhash64(t *testing.T) {
	t.Parallel()
	s := newSession(t, "")
	for sql, want := range map[string]string{
		"xxhash64('Spark')": "-4294468057691064905", "xxhash64('')": "-7444071767201028348", "xxhash64('abcdefghijklmnopqrstuvwxyz')": "-3265757659154784300",
		"xxhash64('12345678')": "6863040065134489090", "xxhash64('12345678djdejidecjjeijcneknceincne')": "-633855189410948723",
		"xxhash64(9223372036854775807L)": "-3246596055638297850", "xxhash64(1L)": "-7001672635703045582", "xxhash64(CAST(-1 AS BIGINT))": "3858142552250413010",
		"xxhash64(1)": "-6698625589789238999", "xxhash64(-1)": "2017008487422258757", "xxhash64(CAST(1 AS SMALLINT))": "-6698625589789238999",
		"xxhash64(CAST(-1 AS TINYINT))": "2017008487422258757", "xxhash64(true)": "-6698625589789238999", "xxhash64(false)": "3614696996920510707",
		"xxhash64('', 0)": "5333022629466737987", "xxhash64(CAST(NULL AS STRING), 0)": "3614696996920510707", "xxhash64(CAST(NULL AS STRING))": "42",
		"xxhash64('ABC')": "4105715581806190027", "xxhash64('ABC', 'DEF')": "3233247871021311208",
		// Of what they are made: days, microseconds and unscaled digits.
		"xxhash64(DATE'1970-01-02')": "-6698625589789238999", "xxhash64(TIMESTAMP'1970-01-01T00:00:00.000001+00:00')": "-7001672635703045582",
		"xxhash64(TIMESTAMP_NTZ'1970-01-01 00:00:00.000001')": "-7001672635703045582", "xxhash64(CAST(-0.01 AS DECIMAL(4,2)))": "3858142552250413010",
		"xxhash64(CAST(0.01 AS DECIMAL(18,2)))": "-7001672635703045582", "xxhash64(CAST('Spark' AS BINARY))": "-4294468057691064905",
		"xxhash64(CAST(23662157523 AS DECIMAL(20,0))) = xxhash64(X'05825FDED3')": "true",
	} {
		if got := s.text("SELECT " + sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}

//go:build cgo

package duck

import (
	"encoding/hex"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	bindings "github.com/duckdb/duckdb-go-bindings"

	"github.com/watertight-data/terraform-provider-watertight/internal/local/engine"
)

// format turns DuckDB values into SQL text as Spark casts them to STRING.
type format struct {
	zone *time.Location
	// instants says, per result column, that a TIMESTAMP is an instant to be shown in the zone; a timestamp_ntz is not.
	instants []bool
}

func plainFormat() *format { return &format{zone: time.UTC} }

func newFormat(columns []engine.Column, zone *time.Location) *format {
	f := &format{zone: zone}
	for _, c := range columns {
		f.instants = append(f.instants, strings.Contains(c.Type, "timestamp") && !strings.Contains(c.Type, "timestamp_ntz"))
	}
	return f
}

func (f *format) column(v *vector, column, row int) *string {
	zone := time.UTC
	if column < len(f.instants) && f.instants[column] {
		zone = f.zone
	}
	return (&format{zone: zone}).text(v, row)
}

func (f *format) text(v *vector, row int) *string {
	if v.null(row) {
		return nil
	}
	s := f.value(v, row)
	return &s
}

func (f *format) value(v *vector, row int) string {
	switch v.typ {
	case bindings.TypeBoolean:
		return strconv.FormatBool(at[bool](v, row))
	case bindings.TypeFloat:
		return floatText(float64(at[float32](v, row)), 32)
	case bindings.TypeDouble:
		return floatText(at[float64](v, row), 64)
	case bindings.TypeDecimal:
		return f.decimal(v, row)
	case bindings.TypeVarchar:
		return v.bytes(row)
	case bindings.TypeBlob:
		return strings.ToUpper(hex.EncodeToString([]byte(v.bytes(row))))
	case bindings.TypeDate:
		return dateText(at[int32](v, row))
	case bindings.TypeTimestamp, bindings.TypeTimestampTZ:
		return timeText(at[int64](v, row), f.zone)
	case bindings.TypeInterval:
		return intervalText(at[duration](v, row))
	case bindings.TypeList, bindings.TypeMap, bindings.TypeStruct:
		var b strings.Builder
		f.json(&b, v, row)
		return b.String()
	}
	return wholeText(v, row)
}

func wholeText(v *vector, row int) string {
	switch v.typ {
	case bindings.TypeTinyInt:
		return strconv.FormatInt(int64(at[int8](v, row)), 10)
	case bindings.TypeSmallInt:
		return strconv.FormatInt(int64(at[int16](v, row)), 10)
	case bindings.TypeInteger:
		return strconv.FormatInt(int64(at[int32](v, row)), 10)
	case bindings.TypeBigInt:
		return strconv.FormatInt(at[int64](v, row), 10)
	case bindings.TypeUTinyInt:
		return strconv.FormatUint(uint64(at[uint8](v, row)), 10)
	case bindings.TypeUSmallInt:
		return strconv.FormatUint(uint64(at[uint16](v, row)), 10)
	case bindings.TypeUInteger:
		return strconv.FormatUint(uint64(at[uint32](v, row)), 10)
	case bindings.TypeUBigInt:
		return strconv.FormatUint(at[uint64](v, row), 10)
	case bindings.TypeHugeInt:
		return at[hugeInt](v, row).big().String()
	}
	return fmt.Sprintf("<type %d>", v.typ)
}

func (f *format) decimal(v *vector, row int) string {
	var n *big.Int
	switch v.internal {
	case bindings.TypeSmallInt:
		n = big.NewInt(int64(at[int16](v, row)))
	case bindings.TypeInteger:
		n = big.NewInt(int64(at[int32](v, row)))
	case bindings.TypeBigInt:
		n = big.NewInt(at[int64](v, row))
	default:
		n = at[hugeInt](v, row).big()
	}
	digits := new(big.Int).Abs(n).String()
	if v.scale > 0 {
		if len(digits) <= v.scale {
			digits = strings.Repeat("0", v.scale-len(digits)+1) + digits
		}
		digits = digits[:len(digits)-v.scale] + "." + digits[len(digits)-v.scale:]
	}
	if n.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// json writes a nested value; numbers and booleans are bare, everything else is a string.
func (f *format) json(b *strings.Builder, v *vector, row int) {
	if v.null(row) {
		b.WriteString("null")
		return
	}
	switch v.typ {
	case bindings.TypeList:
		entry := at[listEntry](v, row)
		b.WriteByte('[')
		for i := range entry.length {
			comma(b, i > 0)
			f.json(b, &v.children[0], int(entry.offset+i))
		}
		b.WriteByte(']')
	case bindings.TypeMap:
		entry := at[listEntry](v, row)
		b.WriteByte('{')
		for i := range entry.length {
			comma(b, i > 0)
			at := int(entry.offset + i)
			b.WriteString(jsonString(f.value(&v.children[0], at)))
			b.WriteString(": ")
			f.json(b, &v.children[1], at)
		}
		b.WriteByte('}')
	case bindings.TypeStruct:
		b.WriteByte('{')
		for i, name := range v.fields {
			comma(b, i > 0)
			b.WriteString(jsonString(name))
			b.WriteString(": ")
			f.json(b, &v.children[i], row)
		}
		b.WriteByte('}')
	case bindings.TypeVarchar, bindings.TypeBlob, bindings.TypeDate, bindings.TypeTimestamp, bindings.TypeTimestampTZ, bindings.TypeInterval:
		b.WriteString(jsonString(f.value(v, row)))
	default:
		b.WriteString(f.value(v, row))
	}
}

func comma(b *strings.Builder, needed bool) {
	if needed {
		b.WriteString(", ")
	}
}

// floatText is Java's Double.toString: decimal between 1e-3 and 1e7, otherwise with an E.
func floatText(x float64, bits int) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	case x == 0:
		if math.Signbit(x) {
			return "-0.0"
		}
		return "0.0"
	}
	if a := math.Abs(x); a >= 1e-3 && a < 1e7 {
		s := strconv.FormatFloat(x, 'f', -1, bits)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'E', -1, bits), "E")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	n, _ := strconv.Atoi(exponent)
	return mantissa + "E" + strconv.Itoa(n)
}

func dateText(days int32) string {
	return yearText(time.Unix(int64(days)*86400, 0).UTC(), "-01-02")
}

func timeText(micros int64, zone *time.Location) string {
	t := time.UnixMicro(micros).In(zone)
	s := yearText(t, "-01-02 15:04:05")
	if us := t.Nanosecond() / 1000; us != 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%06d", us), "0")
	}
	return s
}

func yearText(t time.Time, rest string) string {
	y := t.Year()
	switch {
	case y > 9999:
		return fmt.Sprintf("+%d%s", y, t.Format(rest))
	case y < 0:
		return fmt.Sprintf("-%04d%s", -y, t.Format(rest))
	}
	return fmt.Sprintf("%04d%s", y, t.Format(rest))
}

func intervalText(i duration) string {
	if i.months != 0 {
		sign, n := "", i.months
		if n < 0 {
			sign, n = "-", -n
		}
		return fmt.Sprintf("INTERVAL '%s%d-%d' YEAR TO MONTH", sign, n/12, n%12)
	}
	sign, us := "", int64(i.days)*86400e6+i.micros
	if us < 0 {
		sign, us = "-", -us
	}
	s := fmt.Sprintf("INTERVAL '%s%d %02d:%02d:%02d", sign, us/86400e6, us/3600e6%24, us/60e6%60, us/1e6%60)
	if rest := us % 1e6; rest != 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%06d", rest), "0")
	}
	return s + "' DAY TO SECOND"
}

func jsonString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < 0x20:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func parseWhole(s *string) (int64, error) {
	if s == nil {
		return 0, nil
	}
	return strconv.ParseInt(*s, 10, 64)
}

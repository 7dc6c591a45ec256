package dialect

// Macros are the statements that define what the printed SQL relies on, to be run once on each connection. They
// take the place of functions DuckDB has with other answers than Spark's.
func Macros() []string {
	// A macro may use only those before it.
	m := []string{
		`wt_point(g, n, s) AS CASE WHEN g < 0 THEN '-' ELSE '' END || left(lpad(CAST(n AS VARCHAR), CAST(greatest(s + 1, length(CAST(n AS VARCHAR))) AS INTEGER), '0'), -s)
			|| '.' || right(lpad(CAST(n AS VARCHAR), CAST(greatest(s + 1, length(CAST(n AS VARCHAR))) AS INTEGER), '0'), s)`,
		`wt_sign(s) AS CASE WHEN starts_with(s, '-') THEN '-' ELSE '' END`,
		`wt_mantissa(m) AS CASE WHEN contains(m, '.') THEN m ELSE m || '.0' END`,
		`wt_digits(d) AS left(d, 1) || '.' || CASE WHEN length(d) > 1 THEN substring(d, 2) ELSE '0' END`,
		`wt_local(t, z) AS timezone(z, timezone('UTC', t))`,
		`wt_div(a, b) AS CASE WHEN b = 0 THEN error('[DIVIDE_BY_ZERO] Division by zero.') ELSE a // b END`,
		`wt_mod(a, b) AS CASE WHEN b = 0 THEN error('[REMAINDER_BY_ZERO] Remainder by zero.') ELSE a % b END`,
		`wt_divide(a, b) AS CASE WHEN b = 0 THEN error('[DIVIDE_BY_ZERO] Division by zero.') ELSE a / b END`,
		// Half up on the digits, the sign taken apart, then the point set back.
		`wt_divide_decimal(a, b, s) AS CASE WHEN b = 0 THEN error('[DIVIDE_BY_ZERO] Division by zero.')
			ELSE wt_point(CAST(sign(a) * sign(b) AS INTEGER), (abs(a) * 2 + abs(b)) // (abs(b) * 2), s) END`,
		`wt_floor_div(a, b) AS CASE WHEN a % b < 0 THEN a // b - 1 ELSE a // b END`,
		`wt_checked(s, v, t) AS CASE WHEN s IS NULL OR v IS NOT NULL THEN v
			ELSE error('[CAST_INVALID_INPUT] The value ''' || s || ''' of the type "STRING" cannot be cast to "' || t || '" because it is malformed.') END`,
		`wt_integer_text(s) AS CASE WHEN regexp_full_match(trim(s), '[+-]?[0-9]+') THEN trim(s) END`,
		`wt_date_text(s) AS CASE WHEN regexp_full_match(trim(s), '[+-]?[0-9]{4,6}-[0-9]{1,2}-[0-9]{1,2}([ T].*)?')
			THEN regexp_extract(trim(s), '^[^ T]*') END`,
		`wt_has_zone(s) AS regexp_matches(s, '[0-9]:[0-9]{1,2}(:[0-9]{1,2}(\.[0-9]*)?)?\s*([zZ+-]|[A-Za-z]+)')`,
		// ICU takes the later instant of a repeated hour, Spark the earlier.
		`wt_instant(t, z) AS CASE WHEN wt_local(timezone('UTC', timezone(z, t)) - to_microseconds(3600000000), z) = t
			THEN timezone('UTC', timezone(z, t)) - to_microseconds(3600000000) ELSE timezone('UTC', timezone(z, t)) END`,
		// Java writes a double plainly from 0.001 up to ten million, otherwise with an exponent.
		`wt_double_text(s) AS CASE lower(ltrim(s, '-')) WHEN 'nan' THEN 'NaN'
			WHEN 'inf' THEN replace(s, 'inf', 'Infinity')
			ELSE CASE WHEN CAST(s AS DOUBLE) = 0 OR (abs(CAST(s AS DOUBLE)) >= 0.001 AND abs(CAST(s AS DOUBLE)) < 10000000) THEN s
				WHEN contains(s, 'e') THEN wt_mantissa(split_part(s, 'e', 1)) || 'E' || CAST(CAST(split_part(s, 'e', 2) AS INTEGER) AS VARCHAR)
				WHEN abs(CAST(s AS DOUBLE)) >= 1 THEN wt_sign(s) || wt_digits(rtrim(replace(ltrim(s, '-'), '.', ''), '0')) || 'E'
					|| CAST(length(split_part(ltrim(s, '-'), '.', 1)) - 1 AS VARCHAR)
				ELSE wt_sign(s) || wt_digits(ltrim(split_part(s, '.', 2), '0')) || 'E-'
					|| CAST(length(split_part(s, '.', 2)) - length(ltrim(split_part(s, '.', 2), '0')) + 1 AS VARCHAR) END
			END`,
		`wt_element(a, i) AS CASE WHEN i < 0 OR i >= len(a) THEN error('[INVALID_ARRAY_INDEX] The index ' || CAST(i AS VARCHAR)
			|| ' is out of bounds. The array has ' || CAST(len(a) AS VARCHAR) || ' elements.') ELSE a[i + 1] END`,
		`wt_decimal_sum(s) AS CASE WHEN abs(CAST(s AS HUGEINT)) > CAST('99999999999999999999999999999999999999' AS HUGEINT)
			THEN error('[NUMERIC_VALUE_OUT_OF_RANGE.WITH_SUGGESTION] The sum cannot be represented as Decimal(38, 0).') ELSE s END`,
	}
	out := make([]string, len(m))
	for i, body := range m {
		out[i] = "CREATE OR REPLACE TEMP MACRO " + body
	}
	return out
}

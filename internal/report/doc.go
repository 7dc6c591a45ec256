// Package report prints results: as text for people, and as one JSON document of a stable shape.
//
// The JSON begins with "schema": 1. Names are snake_case, integers are numbers, instants are RFC 3339 in UTC, durations
// are whole seconds with the unit in the name, and what is not known is null. Lists that may be long are written element
// by element, so that printing needs no memory for them. Fields may be added under the same schema number; none is
// renamed or removed.
package report

import "io"

// Document is a result that can be printed.
type Document interface {
	Text(w io.Writer) error
	JSON(w io.Writer) error
}

// Schema is the number of the JSON's shape.
const Schema = 1

package schedule

import (
	"archive/zip"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// zoneinfo is lib/time/zoneinfo.zip of the Go distribution (BSD licence; made
// from the public domain tz database, 2025c). It is embedded since time/tzdata
// yields to the machine's own files and to ZONEINFO, and answers must not
// depend on either.
//
//go:generate cp $GOROOT/lib/time/zoneinfo.zip zoneinfo.zip
//go:embed zoneinfo.zip
var zoneinfo string

// Zone finds a time zone by its IANA name or by one of Java's short ids (PST,
// IST, …), which mean in Databricks what they mean in Java. The error is an
// *Error with the nearest name.
func Zone(id string) (*time.Location, error) {
	if id == "" {
		return nil, &Error{Field: fieldZone, Value: id, Reason: "no time zone is given", Hint: `write an IANA name such as "UTC" or "Europe/Berlin"`}
	}
	if strings.HasPrefix(id, "SystemV/") {
		return nil, &Error{Field: fieldZone, Value: id, Reason: "SystemV zones are Java's own and in no time zone database", Hint: "write the IANA name of the place"}
	}
	name := id
	if long, ok := javaShortID(id); ok {
		name = long
	}
	zones, err := database()
	if err != nil {
		return nil, fmt.Errorf("read embedded time zones: %w", err)
	}
	if file, ok := zones[name]; ok {
		return load(id, file)
	}
	return nil, unknownZone(id, zones)
}

// database is the list of the embedded zones, read once.
//
//nolint:gochecknoglobals // a constant that Go cannot compute before the program runs
var database = sync.OnceValues(func() (map[string]*zip.File, error) {
	archive, err := zip.NewReader(strings.NewReader(zoneinfo), int64(len(zoneinfo)))
	if err != nil {
		return nil, err
	}
	zones := map[string]*zip.File{}
	for _, file := range archive.File {
		if !strings.HasSuffix(file.Name, "/") && file.Name != "Factory" {
			zones[file.Name] = file
		}
	}
	return zones, nil
})

func load(id string, file *zip.File) (*time.Location, error) {
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("open embedded time zone %s: %w", id, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("read embedded time zone %s: %w", id, err)
	}
	if err := r.Close(); err != nil {
		return nil, fmt.Errorf("close embedded time zone %s: %w", id, err)
	}
	zone, err := time.LoadLocationFromTZData(id, data)
	if err != nil {
		return nil, fmt.Errorf("read embedded time zone %s: %w", id, err)
	}
	return zone, nil
}

func unknownZone(id string, zones map[string]*zip.File) error {
	e := &Error{Field: fieldZone, Value: id, Reason: "unknown; names are those of the IANA database, upper and lower case count"}
	best, distance := "", len(id)/2+2
	for _, name := range slices.Sorted(maps.Keys(zones)) {
		if d := nameDistance(id, name); d < distance {
			best, distance = name, d
		}
	}
	if place, sign, ok := fixedOffset(id); ok {
		e.Hint = fmt.Sprintf("for a fixed offset write Etc/GMT%s%s (its sign is the opposite of the usual one)", sign, place)
	} else if best != "" {
		e.Hint = fmt.Sprintf("did you mean %q?", best)
	}
	return e
}

// fixedOffset reads GMT+2 and UTC+02:00, with the sign Etc/ zones use.
func fixedOffset(id string) (hours, sign string, ok bool) {
	rest, found := strings.CutPrefix(id, "GMT")
	if !found {
		rest, found = strings.CutPrefix(id, "UTC")
	}
	if !found || len(rest) < 2 || (rest[0] != '+' && rest[0] != '-') {
		return "", "", false
	}
	sign = "-"
	if rest[0] == '-' {
		sign = "+"
	}
	number, tail := leadingNumber(rest[1:])
	if number < 1 || number > 12 || (tail != "" && tail != ":00") {
		return "", "", false
	}
	return fmt.Sprint(number), sign, true
}

// nameDistance is the edit distance; a difference of case costs nothing, so
// that europe/berlin finds Europe/Berlin first. A city alone is compared with
// the last part of the name.
func nameDistance(id, name string) int {
	a, b := strings.ToLower(id), strings.ToLower(name)
	if !strings.Contains(a, "/") {
		if i := strings.LastIndexByte(b, '/'); i >= 0 {
			b = b[i+1:]
		}
	}
	b = strings.ReplaceAll(b, "_", " ")
	a = strings.ReplaceAll(a, "_", " ")
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// javaShortID is Java's ZoneId.SHORT_IDS, without EST, MST and HST, which the
// IANA database has itself.
func javaShortID(id string) (string, bool) {
	name, ok := map[string]string{
		"ACT": "Australia/Darwin", "AET": "Australia/Sydney", "AGT": "America/Argentina/Buenos_Aires",
		"ART": "Africa/Cairo", "AST": "America/Anchorage", "BET": "America/Sao_Paulo",
		"BST": "Asia/Dhaka", "CAT": "Africa/Harare", "CNT": "America/St_Johns",
		"CST": "America/Chicago", "CTT": "Asia/Shanghai", "EAT": "Africa/Addis_Ababa",
		"ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata",
		"JST": "Asia/Tokyo", "MIT": "Pacific/Apia", "NET": "Asia/Yerevan",
		"NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix",
		"PRT": "America/Puerto_Rico", "PST": "America/Los_Angeles", "SST": "Pacific/Guadalcanal",
		"VST": "Asia/Ho_Chi_Minh",
	}[id]
	return name, ok
}

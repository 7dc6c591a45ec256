package contract

// Kind says what Watertight made a job for.
type Kind string

// The kinds of jobs. A job without Watertight's tags is KindNone.
const (
	KindNone     Kind = ""
	KindLoader   Kind = "loader"
	KindOptimize Kind = "optimize"
	KindPurge    Kind = "purge"
)

// TagPurge marks a job that deletes expired rows, and names the table it deletes from.
const TagPurge = TagPrefix + "purge"

// KindOf tells from a job's tags what it is for, and which table it writes; a contract that is broken is still one.
func KindOf(tags map[string]string) (Kind, string) {
	switch {
	case tags[TagPurge] != "":
		return KindPurge, tags[TagPurge]
	case tags[tagTable] != "" || tags[tagLoader] != "":
		return KindOptimize, tags[tagTable]
	case tags[tagSource] != "" || tags[tagTarget] != "" || tags[tagKey] != "":
		return KindLoader, tags[tagTarget]
	}
	return KindNone, ""
}

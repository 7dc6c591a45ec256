package cli

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/watertight-data/terraform-provider-watertight/internal/pipeline"
)

const acceptCategory = "Accepting what cannot come back:"

func acceptFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "accept-range", Usage: "`PARTITION:FROM-TO` need not be in the target, from now on (may be repeated)", Category: acceptCategory},
		&cli.StringFlag{Name: "reason", Usage: "`WHY`: kept beside every range that is accepted", Category: acceptCategory},
	}
}

// accepted reads the ranges; each needs the reason.
func (r *reader) accepted() []pipeline.Accepted {
	texts, reason := r.c.StringSlice("accept-range"), strings.TrimSpace(r.c.String("reason"))
	switch {
	case len(texts) == 0 && r.c.IsSet("reason"):
		r.problem("--reason says nothing without --accept-range")
	case len(texts) > 0 && reason == "":
		r.problem("--accept-range: say why, with --reason")
	}
	form := regexp.MustCompile(`^(.*):(-?\d+)(?:-(-?\d+))?$`)
	var out []pipeline.Accepted
	for _, text := range texts {
		parts := form.FindStringSubmatch(text)
		if parts == nil {
			r.problem("--accept-range %q: want PARTITION:FROM-TO, such as 3:100-250", text)
			continue
		}
		if parts[3] == "" {
			parts[3] = parts[2]
		}
		from, fromErr := strconv.ParseInt(parts[2], 10, 64)
		to, toErr := strconv.ParseInt(parts[3], 10, 64)
		if fromErr != nil || toErr != nil || from > to {
			r.problem("--accept-range %q: want a lower and a higher sequence number of at most 64 bits", text)
			continue
		}
		out = append(out, pipeline.Accepted{Partition: parts[1], From: from, To: to, Reason: reason})
	}
	return out
}

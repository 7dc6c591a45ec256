package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/evidence"
	"github.com/watertight-data/terraform-provider-watertight/internal/reconcile"
)

// file keeps evidence as lines of JSON in a file of this machine.
type file struct {
	w                 Warehouse
	path              string
	scope, definition string
	log               evidence.Log
	// cut says that a line was not written to its end; empty when all were.
	cut string
}

// openFile reads the file; one that is not there is empty. A line that cannot be read is an error: going on without what
// it said could turn a loss into a gap that nobody can explain. The exception is a line that its writer was ended in.
func openFile(path, scope, definition string, w Warehouse) (*file, error) {
	k := &file{w: w, path: path, scope: scope, definition: definition}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return k, nil
	}
	if err != nil {
		return nil, badFile(err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	return k, k.read(f)
}

func badFile(err error) error {
	return &ConfigurationError{Subject: "evidence", Reason: err.Error(), Hint: "Name a file that can be read and written."}
}

// read takes the lines. One that cannot be read was cut when a mark follows it, or nothing at all, not even its line end.
func (f *file) read(from io.Reader) error {
	lines := bufio.NewReaderSize(from, 64<<10)
	var bad error
	for n := 1; ; n++ {
		text, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return badFile(err)
		}
		isLast := err != nil
		switch {
		case len(bytes.TrimSpace(text)) == 0:
		case evidence.IsCutLine(text):
			if bad != nil {
				f.noteCut(n - 1)
			}
			bad = nil
		case bad != nil:
			return bad
		default:
			err := f.log.Add(text)
			switch {
			case err != nil && isLast && !errors.Is(err, evidence.ErrNewer):
				f.noteCut(n)
			case err != nil:
				bad = &ConfigurationError{Subject: fmt.Sprintf("%s, line %d", f.path, n), Reason: "it cannot be read", Err: err, Hint: "Take the line out, or name another file; evidence that was lost makes old gaps undecidable."}
			}
		}
		if isLast {
			return bad
		}
	}
}

func (f *file) noteCut(line int) {
	f.log.Cut()
	f.cut = fmt.Sprintf("line %d of %s was not written to its end, as when a verification is ended while it writes: it is left out, with the manifest that it may be of", line, f.path)
}

func (f *file) runs(_ context.Context, since time.Time) ([]evidence.Run, error) {
	return f.log.RunsSince(f.scope, since.UnixMicro()), nil
}

func (f *file) last(context.Context) (*evidence.Run, error) { return f.log.Last(f.scope), nil }

func (f *file) listed(_ context.Context, id string, bounds []evidence.Bound) iter.Seq2[evidence.Range, error] {
	return sure(slices.Values(f.log.Listed(f.scope, id, bounds)))
}

func (f *file) unlisted(_ context.Context, id string, bounds []evidence.Bound) iter.Seq2[evidence.Range, error] {
	return sure(slices.Values(f.log.Unlisted(f.scope, id, bounds)))
}

func (f *file) manifests(_ context.Context, id string) ([]evidence.Kept, error) {
	return f.log.Kept(f.scope, id), nil
}

func (f *file) seen(_ context.Context, id string, bounds []evidence.Bound) iter.Seq2[evidence.Manifest, error] {
	return sure(slices.Values(f.log.Seen(f.scope, id, bounds)))
}

func (f *file) beyond(_ context.Context, id string, bounds []evidence.Bound) iter.Seq2[evidence.Range, error] {
	return sure(slices.Values(f.log.Beyond(f.scope, id, bounds)))
}

func (f *file) has(_ context.Context, id string, version int64, at time.Time) (bool, error) {
	return f.log.Has(f.scope, id, version, at), nil
}

func (f *file) verified(context.Context) ([]evidence.Verified, error) {
	return f.log.VerifiedThrough(f.scope, f.definition), nil
}

func (f *file) findings(context.Context) iter.Seq2[evidence.Finding, error] {
	return sure(slices.Values(f.log.Newest(f.scope)))
}

func (f *file) keepManifest(ctx context.Context, s evidence.Source) error {
	ranges := reconcile.Decoded(query(ctx, f.w, s.Ranges()), evidence.ReadManifest)
	return appendLines(f, func(yield func(evidence.Manifest, error) bool) {
		for m, err := range ranges {
			m.SourceID, m.SourceVersion, m.SeenAt = s.ID, s.Version, s.Committed
			if !yield(m, err) {
				return
			}
		}
	})
}

func (f *file) keepRun(_ context.Context, r evidence.Run) error {
	return appendLines(f, sure(slices.Values([]evidence.Run{r})))
}

func (f *file) keepVerified(_ context.Context, all []evidence.Verified) error {
	return appendLines(f, sure(slices.Values(all)))
}

func (f *file) keepFindings(_ context.Context, all iter.Seq2[evidence.Finding, error]) error {
	return appendLines(f, all)
}

// appendLines writes whole lines with one call, so that two verifiers do not cut each other's.
func appendLines[R evidence.Record](f *file, all iter.Seq2[R, error]) error {
	var b bytes.Buffer
	for r, err := range all {
		if err != nil {
			return err
		}
		line, err := evidence.Line(f.scope, r)
		if err != nil {
			return err
		}
		b.Write(line)
		if err := f.log.Add(line); err != nil {
			return err
		}
	}
	if b.Len() == 0 {
		return nil
	}
	return f.add(b.Bytes())
}

// add appends to the file with one call. A last line without its end was cut; a mark keeps it from becoming a line that
// nobody can read. Where the end was only on its way, in the one call of another verifier, the mark says nothing.
func (f *file) add(lines []byte) (err error) {
	out, err := os.OpenFile(f.path, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return badFile(err)
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	about, err := out.Stat()
	if err != nil {
		return badFile(err)
	}
	last := []byte{'\n'}
	if size := about.Size(); size > 0 {
		if _, err := out.ReadAt(last, size-1); err != nil {
			return badFile(err)
		}
	}
	if last[0] != '\n' {
		lines = append(evidence.CutLine(), lines...)
	}
	if _, err := out.Write(lines); err != nil {
		return fmt.Errorf("keep the evidence: %w", err)
	}
	return nil
}

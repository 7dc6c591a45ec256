package pipeline

import (
	"bufio"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// heldInMemory is how many elements a spool keeps before it writes to a file.
const heldInMemory = 2048

// spool is a list that may be longer than memory. It is written first and read afterwards, as often as asked.
type spool[T any] struct {
	held    []T
	n       int64
	file    *os.File
	path    string // of a file that could not be removed while open
	buffer  *bufio.Writer
	encoder *gob.Encoder
	closed  bool
}

func (s *spool[T]) add(v T) error {
	s.n++
	if s.file == nil && len(s.held) < heldInMemory {
		s.held = append(s.held, v)
		return nil
	}
	if s.file == nil {
		if err := s.open(); err != nil {
			return err
		}
	}
	return s.encoder.Encode(v)
}

// open removes the file's name at once, so that nothing is left behind however the process ends. Windows keeps the name
// of an open file; there Close removes it.
func (s *spool[T]) open() error {
	f, err := os.CreateTemp("", "watertight-*")
	if err != nil {
		return fmt.Errorf("keep a long list: %w", err)
	}
	if err := os.Remove(f.Name()); err != nil {
		s.path = f.Name()
	}
	s.file, s.buffer = f, bufio.NewWriterSize(f, 1<<16)
	s.encoder = gob.NewEncoder(s.buffer)
	for _, v := range s.held {
		if err := s.encoder.Encode(v); err != nil {
			return fmt.Errorf("keep a long list: %w", err)
		}
	}
	s.held = nil
	return nil
}

// Len is the number of elements.
func (s *spool[T]) Len() int64 { return s.n }

// All yields the elements in the order they were added.
func (s *spool[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, v := range s.held {
			if !yield(v, nil) {
				return
			}
		}
		var none T
		if s.closed {
			yield(none, errors.New("read a long list: it was closed"))
			return
		}
		if s.file == nil {
			return
		}
		if err := s.buffer.Flush(); err != nil {
			yield(none, fmt.Errorf("read a long list: %w", err))
			return
		}
		decoder := gob.NewDecoder(bufio.NewReaderSize(io.NewSectionReader(s.file, 0, 1<<62), 1<<16))
		for {
			var v T
			err := decoder.Decode(&v)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(v, err) || err != nil {
				return
			}
		}
	}
}

// Close gives the file back; a list that had one cannot be read any more.
func (s *spool[T]) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file, s.closed = nil, true
	if s.path != "" {
		err = errors.Join(err, os.Remove(s.path))
	}
	return err
}

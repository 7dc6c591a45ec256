package workspace

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// stream reads the rows of a downloaded chunk, [[…],[…],…], one at a time.
type stream struct {
	body    io.ReadCloser
	decoder *json.Decoder
	begun   bool
}

func newStream(body io.ReadCloser) *stream {
	return &stream{body: body, decoder: json.NewDecoder(bufio.NewReaderSize(body, 256<<10))}
}

func (s *stream) next() ([]*string, error) {
	if !s.begun {
		s.begun = true
		if t, err := s.decoder.Token(); err != nil || t != json.Delim('[') {
			return nil, errors.Join(fmt.Errorf("the part does not begin with rows but with %v", t), err)
		}
	}
	if s.decoder.More() {
		row := []*string{}
		err := s.decoder.Decode(&row)
		return row, whole(err)
	}
	_, err := s.decoder.Token() // the closing bracket: without it the download was cut
	return nil, whole(err)
}

func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (s *stream) close() error {
	drain(s.body)
	return nil
}

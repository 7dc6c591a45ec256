package pipeline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/watertight-data/terraform-provider-watertight/internal/interval"
)

// ErrConfiguration says that what was asked cannot be right: a job without a contract, a column that is not there. Nothing was
// compared. The error that carries it names place, value and fix.
var ErrConfiguration = errors.New("configuration")

// ConfigurationError says what is wrong, where, and what to do.
type ConfigurationError struct {
	// Subject is the job, table or attribute.
	Subject, Reason, Hint string
	Err                   error
}

func (e *ConfigurationError) Error() string {
	text := e.Subject + ": " + e.Reason
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Is makes every ConfigurationError an ErrConfiguration.
func (e *ConfigurationError) Is(target error) bool { return target == ErrConfiguration }

func (e *ConfigurationError) Unwrap() error { return e.Err }

// TimeoutError is the cause of a context that ended by a limit of ours.
type TimeoutError struct {
	After time.Duration
	// Limit names what set it.
	Limit string
}

// Error names the limit.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("gave up after %s (%s)", interval.Short(e.After), e.Limit)
}

// Unwrap makes it a deadline that passed: nothing is tried again.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

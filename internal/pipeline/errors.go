package pipeline

import "errors"

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

package local

import (
	"fmt"
	"net/http"
)

// apiError is an error in the shape in which Databricks answers: {"error_code", "message"}.
type apiError struct {
	Status  int
	Code    any
	Message string
}

func (e *apiError) Error() string { return fmt.Sprintf("%v: %s", e.Code, e.Message) }

func badRequest(format string, args ...any) error {
	return &apiError{http.StatusBadRequest, "INVALID_PARAMETER_VALUE", fmt.Sprintf(format, args...)}
}

func malformed(format string, args ...any) error {
	return &apiError{http.StatusBadRequest, "MALFORMED_REQUEST", fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) error {
	return &apiError{http.StatusNotFound, "RESOURCE_DOES_NOT_EXIST", fmt.Sprintf(format, args...)}
}

func denied(format string, args ...any) error {
	return &apiError{http.StatusForbidden, "PERMISSION_DENIED", fmt.Sprintf(format, args...)}
}

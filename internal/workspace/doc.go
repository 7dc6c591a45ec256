// Package workspace is the only package that calls Databricks: jobs, runs, SQL statements, tables and files, with the
// Databricks SDK's configuration, authentication and rate limit underneath.
//
// Vocabulary: a call is one request with its retries; a repeatable call is one that may be sent again although an
// earlier attempt may have acted (reads, replacements, anything that carries an idempotency token). Calls that are not
// repeatable are sent again only when the platform surely did nothing; else they end in ErrUncertain.
//
// Settings of jobs are raw JSON objects, so that no field is lost; numbers are json.Number. It makes no decision about
// what it reads, keeps no cache and never sleeps but through the Sleep of its Config.
package workspace

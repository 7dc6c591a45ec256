// Package bench measures what the product promises: how long a verification takes beside plain counts of the same rows,
// and how much memory its asking side needs. Ratios are taken within one run, for machines differ.
package bench

// Package bench measures what the product promises: how long a verification takes beside plain counts of the same rows,
// how much memory its asking side needs, and what a plan of many jobs and a start of the provider take, in whole
// processes. Ratios are taken within one run, for machines differ.
package bench

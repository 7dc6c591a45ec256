package coverage

// Judge is Check without the changes it proposes, which cost most of it: tests
// of the arithmetic alone go over hundreds of inputs.
func Judge(in Input) (Verdict, error) {
	in, err := in.withDefaults()
	if err != nil {
		return Verdict{}, err
	}
	j := judge{}
	v := j.verdict(in)
	v.FailedRunsTolerated = tolerated(in, v, j.wait)
	return v, nil
}

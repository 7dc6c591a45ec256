package reconcile

import (
	"math/rand/v2"
	"testing"
)

// block makes the group of a partition's sequences, as the warehouse would.
func block(size int64, seqs ...int64) TargetBlock {
	p, b := "0", seqs[0]/size
	t := TargetBlock{Partition: &p, Block: &b, Rows: int64(len(seqs)), Low: seqs[0], High: seqs[0]}
	for _, s := range seqs {
		t.Low, t.High = min(t.Low, s), max(t.High, s)
		t.Mix ^= (s & (size - 1)) * mixer
	}
	return t
}

func upTo(low, high int64, without []int64, with ...int64) []int64 {
	seqs := append([]int64(nil), with...)
next:
	for s := low; s <= high; s++ {
		for _, w := range without {
			if s == w {
				continue next
			}
		}
		seqs = append(seqs, s)
	}
	return seqs
}

func TestWhole(t *testing.T) {
	t.Parallel()
	m := NewMixes(DefaultBlock)
	far := int64(1) << 62
	tests := []struct {
		name string
		seqs []int64
		want bool
	}{
		{"one", upTo(7, 7, nil), true},
		{"a full block", upTo(0, DefaultBlock-1, nil), true},
		{"a full block far out", upTo(far, far+DefaultBlock-1, nil), true},
		{"its beginning", upTo(DefaultBlock, DefaultBlock+4000, nil), true},
		{"its end", upTo(DefaultBlock+4000, 2*DefaultBlock-1, nil), true},
		{"one missing", upTo(0, DefaultBlock-1, []int64{99}), false},
		{"one twice", upTo(0, DefaultBlock-1, nil, 99), false},
		{"one missing, one twice", upTo(0, DefaultBlock-1, []int64{99}, 100), false},
		{"two missing, two twice, equal sum", upTo(0, DefaultBlock-1, []int64{99, 102}, 100, 101), false},
		{"three missing, three twice, equal sum and sum of squares (Prouhet, Tarry and Escott)", upTo(0, DefaultBlock-1, []int64{1, 5, 6}, 2, 3, 7), false},
		{"four missing, four twice, equal up to the third power", upTo(0, DefaultBlock-1, []int64{0, 4, 7, 11}, 1, 2, 9, 10), false},
		{"a batch lost, another of the same length twice", upTo(0, DefaultBlock-1, upTo(1024, 2047, nil), upTo(4096, 5119, nil)...), false},
		{"two lost, one three times", upTo(0, DefaultBlock-1, []int64{8, 16}, 24, 24), false},
		{"negative: never held to be whole", upTo(-5, -2, nil), false},
		{"around zero", upTo(-5, 5, nil), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := m.Whole(block(DefaultBlock, tt.seqs...)); got != tt.want {
				t.Errorf("whole: %t, want %t", got, tt.want)
			}
		})
	}
}

// Every exchange of up to five lost keys for as many doubled ones in a small block, at random, is seen.
func TestWholeIsNotFooled(t *testing.T) {
	t.Parallel()
	const size = 64
	m := NewMixes(size)
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		n := 1 + r.IntN(5)
		order := r.Perm(size - 2)
		var lost, doubled []int64
		for i := range n {
			lost, doubled = append(lost, int64(order[i]+1)), append(doubled, int64(order[n+i]+1))
		}
		if m.Whole(block(size, upTo(0, size-1, lost, doubled...)...)) {
			t.Fatalf("lost %v, twice %v: held to be whole", lost, doubled)
		}
	}
}

// A source that lacks a sequence and holds another twice is not even, however far apart they lie and however many they are.
func TestEven(t *testing.T) {
	t.Parallel()
	even := func(low, high int64, lost []int64, twice ...int64) bool {
		e := Extent{SourceLow: low, SourceHigh: high}
		for _, s := range upTo(low, high, lost, twice...) {
			e.rows, e.mix = e.rows+1, e.mix^(s&wideMask)*wideMixer
		}
		return e.isEven()
	}
	for name, c := range map[string]struct {
		got, want bool
	}{
		"whole":                             {even(5, 40_000, nil), true},
		"negative":                          {even(-20_000, 20_000, nil), true},
		"where the mask begins anew":        {even(wideMask-20_000, wideMask+20_000, nil), true},
		"one alone":                         {even(7, 7, nil), true},
		"one missing, one twice":            {even(0, 40_000, []int64{3}, 4), false},
		"of one offset in two blocks":       {even(0, 40_000, []int64{3}, 3+DefaultBlock), false},
		"two of equal sum":                  {even(0, 40_000, []int64{10, 13}, 11, 12), false},
		"a rectangle of blocks and offsets": {even(0, 40_000, []int64{1, 2 + DefaultBlock}, 2, 1+DefaultBlock), false},
		"three of equal sums (Prouhet)":     {even(0, 40_000, []int64{1, 5, 6}, 2, 3, 7), false},
		"one missing":                       {even(0, 40_000, []int64{9}), false},
		"one twice":                         {even(0, 40_000, nil, 9), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %t", name, c.got)
		}
	}
}

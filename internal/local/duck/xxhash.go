//go:build cgo

package duck

import (
	"encoding/binary"
	"math/big"
	"math/bits"
)

// The primes of XXH64.
const (
	prime1 uint64 = 0x9E3779B185EBCA87
	prime2 uint64 = 0xC2B2AE3D27D4EB4F
	prime3 uint64 = 0x165667B19E3779F9
	prime4 uint64 = 0x85EBCA77C2B2AE63
	prime5 uint64 = 0x27D4EB2F165667C5
)

// hashSeed is the seed of Spark's xxhash64.
const hashSeed = 42

func hashRound(lane, input uint64) uint64 {
	return bits.RotateLeft64(lane+input*prime2, 31) * prime1
}

func hashMerge(h, lane uint64) uint64 {
	return (h^hashRound(0, lane))*prime1 + prime4
}

// hashBytes is XXH64 of bytes, as Spark hashes strings and binaries.
func hashBytes(b []byte, seed uint64) uint64 {
	n := uint64(len(b))
	var h uint64
	if len(b) >= 32 {
		l1, l2, l3, l4 := seed+prime1+prime2, seed+prime2, seed, seed-prime1
		for ; len(b) >= 32; b = b[32:] {
			l1, l2 = hashRound(l1, word(b)), hashRound(l2, word(b[8:]))
			l3, l4 = hashRound(l3, word(b[16:])), hashRound(l4, word(b[24:]))
		}
		h = bits.RotateLeft64(l1, 1) + bits.RotateLeft64(l2, 7) + bits.RotateLeft64(l3, 12) + bits.RotateLeft64(l4, 18)
		h = hashMerge(hashMerge(hashMerge(hashMerge(h, l1), l2), l3), l4)
	} else {
		h = seed + prime5
	}
	h += n
	for ; len(b) >= 8; b = b[8:] {
		h = bits.RotateLeft64(h^hashRound(0, word(b)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		h = bits.RotateLeft64(h^uint64(binary.LittleEndian.Uint32(b))*prime1, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, one := range b {
		h = bits.RotateLeft64(h^uint64(one)*prime5, 11) * prime1
	}
	return hashEnd(h)
}

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// hashInt is XXH64 of four bytes, as Spark hashes what fits into an INT.
func hashInt(v int32, seed uint64) uint64 {
	h := seed + prime5 + 4
	return hashEnd(bits.RotateLeft64(h^uint64(uint32(v))*prime1, 23)*prime2 + prime3)
}

// hashLong is XXH64 of eight bytes, as Spark hashes a BIGINT.
func hashLong(v int64, seed uint64) uint64 {
	h := seed + prime5 + 8
	return hashEnd(bits.RotateLeft64(h^hashRound(0, uint64(v)), 27)*prime1 + prime4)
}

func hashEnd(h uint64) uint64 {
	h = (h ^ h>>33) * prime2
	h = (h ^ h>>29) * prime3
	return h ^ h>>32
}

// twosComplement is the shortest big-endian form of a number, as Java's BigInteger.toByteArray gives it.
func twosComplement(n *big.Int) []byte {
	bytes := n.BitLen()/8 + 1
	if n.Sign() < 0 {
		bytes = new(big.Int).Not(n).BitLen()/8 + 1
		n = new(big.Int).Add(n, new(big.Int).Lsh(big.NewInt(1), uint(bytes)*8))
	}
	return n.FillBytes(make([]byte, bytes))
}

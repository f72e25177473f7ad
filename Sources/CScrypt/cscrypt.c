// One block keeps the processor waiting: each step of Salsa20/8 needs the one before. So several blocks go side by side
// through one thread, which takes a third more time for three than for one.
//
// It is in C for the vectors: four words of a block in a register, in the order in which Salsa20 uses them. Swift has
// vectors as well, which are slow past bearing in a debug build.
#include "cscrypt.h"

#include <stdint.h>
#include <string.h>

typedef uint32_t row __attribute__((vector_size(16)));
// `count` is a number that the compiler knows: then all chains are in registers.
#define EACH_LANE _Pragma("clang loop unroll(full)") for (size_t lane = 0; lane < count; lane++)
#define INLINE static inline __attribute__((always_inline))

// The words of 64 bytes in the order of their diagonals, so that a round is four additions of whole rows. Colin Percival's
// scrypt (crypto_scrypt_smix_sse2.c) has this order.
static const uint8_t diagonals[16] = {0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7, 12, 1, 6, 11};

static void arrange(uint8_t *bytes, size_t pairs) {
  for (size_t part = 0; part < 2 * pairs; part++, bytes += 64) {
    uint32_t words[16];
    for (size_t i = 0; i < 16; i++) {
      const uint8_t *word = bytes + 4 * diagonals[i];
      words[i] = (uint32_t)word[0] | (uint32_t)word[1] << 8 | (uint32_t)word[2] << 16 | (uint32_t)word[3] << 24;
    }
    memcpy(bytes, words, sizeof words);
  }
}

static void arrange_back(uint8_t *bytes, size_t pairs) {
  for (size_t part = 0; part < 2 * pairs; part++, bytes += 64) {
    uint32_t words[16];
    memcpy(words, bytes, sizeof words);
    for (size_t i = 0; i < 16; i++) {
      uint8_t *word = bytes + 4 * diagonals[i];
      for (size_t byte = 0; byte < 4; byte++) word[byte] = (uint8_t)(words[i] >> 8 * byte);
    }
  }
}

// Four rows: 64 bytes.
typedef struct {
  row a, b, c, d;
} part;

#define TURN(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define SHIFT(x, i, j, k, l) __builtin_shufflevector(x, x, i, j, k, l)

// Two of the eight rounds: one down the columns, one along the rows.
INLINE void two_rounds(part *x) {
  row a = x->a, b = x->b, c = x->c, d = x->d;
  b ^= TURN(a + d, 7);
  c ^= TURN(b + a, 9);
  d ^= TURN(c + b, 13);
  a ^= TURN(d + c, 18);
  b = SHIFT(b, 3, 0, 1, 2);
  c = SHIFT(c, 2, 3, 0, 1);
  d = SHIFT(d, 1, 2, 3, 0);
  d ^= TURN(a + b, 7);
  c ^= TURN(d + a, 9);
  b ^= TURN(c + d, 13);
  a ^= TURN(b + c, 18);
  x->a = a;
  x->b = SHIFT(b, 1, 2, 3, 0);
  x->c = SHIFT(c, 2, 3, 0, 1);
  x->d = SHIFT(d, 3, 0, 1, 2);
}

INLINE void combine(part *x, const part *other) {
  x->a ^= other->a;
  x->b ^= other->b;
  x->c ^= other->c;
  x->d ^= other->d;
}

// scryptBlockMix of `count` blocks, or of their XOR with `others`.
INLINE void mix_blocks(part *const *in, part *const *others, part *const *out, size_t count, size_t pairs) {
  part chain[CSCRYPT_LANES];
  EACH_LANE {
    chain[lane] = in[lane][2 * pairs - 1];
    if (others) combine(&chain[lane], &others[lane][2 * pairs - 1]);
  }
  for (size_t i = 0; i < 2 * pairs; i++) {
    // Parts with even numbers come first.
    size_t place = i / 2 + i % 2 * pairs;
    EACH_LANE {
      combine(&chain[lane], &in[lane][i]);
      if (others) combine(&chain[lane], &others[lane][i]);
      out[lane][place] = chain[lane];
    }
    for (int round = 0; round < 8; round += 2) {
      EACH_LANE two_rounds(&chain[lane]);
    }
    EACH_LANE {
      part *sum = &out[lane][place];
      chain[lane].a += sum->a;
      chain[lane].b += sum->b;
      chain[lane].c += sum->c;
      chain[lane].d += sum->d;
      *sum = chain[lane];
    }
  }
}

// The number of each lane's block in its table that comes next.
INLINE void choose(part *const *blocks, part *const *tables, part **chosen, size_t count, size_t cost, size_t pairs) {
  EACH_LANE {
    chosen[lane] = tables[lane] + (blocks[lane][2 * pairs - 1].a[0] & (cost - 1)) * 2 * pairs;
  }
}

INLINE void mix(part *const *blocks, part *const *tables, size_t count, size_t cost, size_t pairs) {
  size_t parts = 2 * pairs;
  part *from[CSCRYPT_LANES], *to[CSCRYPT_LANES];
  EACH_LANE {
    memcpy(tables[lane], blocks[lane], parts * sizeof(part));
    from[lane] = tables[lane];
    to[lane] = tables[lane] + parts;
  }
  for (size_t i = 1; i < cost; i++) {
    mix_blocks(from, NULL, to, count, pairs);
    EACH_LANE {
      from[lane] = to[lane];
      to[lane] += parts;
    }
  }
  mix_blocks(from, NULL, blocks, count, pairs);
  // Two steps a turn, to the spare block behind each table and back, since the cost is a power of two and so even.
  for (size_t i = 0; i < cost; i += 2) {
    choose(blocks, tables, from, count, cost, pairs);
    mix_blocks(blocks, from, to, count, pairs);
    choose(to, tables, from, count, cost, pairs);
    mix_blocks(to, from, blocks, count, pairs);
  }
}

size_t cscrypt_table_size(size_t cost, size_t pairs) {
  return (cost + 1) * 128 * pairs;
}

void cscrypt_mix(void *blocks, void *tables, size_t count, size_t cost, size_t pairs) {
  part *block[CSCRYPT_LANES], *table[CSCRYPT_LANES];
  for (size_t lane = 0; lane < count; lane++) {
    uint8_t *bytes = (uint8_t *)blocks + lane * 128 * pairs;
    arrange(bytes, pairs);
    block[lane] = (part *)bytes;
    table[lane] = (part *)((uint8_t *)tables + lane * cscrypt_table_size(cost, pairs));
  }
  switch (count) {
    case 1: mix(block, table, 1, cost, pairs); break;
    case 2: mix(block, table, 2, cost, pairs); break;
    default: mix(block, table, 3, cost, pairs); break;
  }
  for (size_t lane = 0; lane < count; lane++) arrange_back((uint8_t *)block[lane], pairs);
}

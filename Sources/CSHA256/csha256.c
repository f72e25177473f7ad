// The SHA instructions of a processor wait for each other: each needs what the one before has made. Two messages that go side
// by side through one thread take a third less time than one after the other.
//
// It is in C for these instructions, which Swift cannot name. Their order is that of Intel's "Intel SHA Extensions: New
// Instructions Supporting the Secure Hash Algorithm on Intel Architecture Processors" (2013).
#include "csha256.h"

#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline, target("sha,sse4.1,ssse3")))
#define EXTENDED __attribute__((target("sha,sse4.1,ssse3")))
// `lanes` is a number that the compiler knows: then all of it is in registers.
#define EACH_LANE _Pragma("clang loop unroll(full)") for (size_t lane = 0; lane < lanes; lane++)

#define BLOCK 64

static const uint32_t constants[64] __attribute__((aligned(16))) = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// A message on its way. The words of the state are in the order of the instructions: a, b, e, f and c, d, g, h.
typedef struct {
  __m128i abef, cdgh;
  const uint8_t *next;
  // Whole blocks that are left.
  size_t blocks;
  const csha256_message *message;
  uint8_t *hash;
} lane_state;

// Takes in the next `blocks` blocks of each lane.
INLINE void take_in(lane_state *state, size_t blocks, const size_t lanes) {
  const __m128i big_endian = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
  __m128i abef[2], cdgh[2];
  EACH_LANE {
    abef[lane] = state[lane].abef;
    cdgh[lane] = state[lane].cdgh;
  }
  for (size_t block = 0; block < blocks; block++) {
    // The last sixteen words of the schedule, four in each.
    __m128i words[2][4];
    __m128i before[2][2];
    EACH_LANE {
      before[lane][0] = abef[lane];
      before[lane][1] = cdgh[lane];
      const __m128i *input = (const __m128i *)(state[lane].next + block * BLOCK);
      _Pragma("clang loop unroll(full)") for (size_t i = 0; i < 4; i++) {
        words[lane][i] = _mm_shuffle_epi8(_mm_loadu_si128(input + i), big_endian);
      }
    }
    // Four rounds each.
    _Pragma("clang loop unroll(full)") for (size_t step = 0; step < 16; step++) {
      const __m128i constant = _mm_load_si128((const __m128i *)(constants + 4 * step));
      EACH_LANE {
        const __m128i now = words[lane][step % 4];
        __m128i *next = &words[lane][(step + 1) % 4], *last = &words[lane][(step + 3) % 4];
        const __m128i sum = _mm_add_epi32(now, constant);
        cdgh[lane] = _mm_sha256rnds2_epu32(cdgh[lane], abef[lane], sum);
        if (step >= 3 && step < 15) {
          *next = _mm_sha256msg2_epu32(_mm_add_epi32(*next, _mm_alignr_epi8(now, *last, 4)), now);
        }
        abef[lane] = _mm_sha256rnds2_epu32(abef[lane], cdgh[lane], _mm_shuffle_epi32(sum, 0x0e));
        if (step >= 1 && step < 13) *last = _mm_sha256msg1_epu32(*last, now);
      }
    }
    EACH_LANE {
      abef[lane] = _mm_add_epi32(abef[lane], before[lane][0]);
      cdgh[lane] = _mm_add_epi32(cdgh[lane], before[lane][1]);
    }
  }
  EACH_LANE {
    state[lane].abef = abef[lane];
    state[lane].cdgh = cdgh[lane];
    state[lane].next += blocks * BLOCK;
    state[lane].blocks -= blocks;
  }
}

EXTENDED static void take_in_one(lane_state *state, size_t blocks) { take_in(state, blocks, 1); }

EXTENDED static void take_in_two(lane_state *states, size_t blocks) { take_in(states, blocks, 2); }

EXTENDED static void begin(lane_state *state, const csha256_message *message, uint8_t *hash) {
  state->abef = _mm_set_epi32(0x6a09e667, (int)0xbb67ae85, 0x510e527f, (int)0x9b05688c);
  state->cdgh = _mm_set_epi32(0x3c6ef372, (int)0xa54ff53a, 0x1f83d9ab, 0x5be0cd19);
  state->next = message->bytes;
  state->blocks = message->count / BLOCK;
  state->message = message;
  state->hash = hash;
}

// Takes in what is left behind the whole blocks, and the length of the message in bits.
EXTENDED static void end(lane_state *state) {
  const size_t rest = state->message->count % BLOCK;
  uint8_t tail[2 * BLOCK] = {0};
  if (rest > 0) memcpy(tail, state->next, rest);
  tail[rest] = 0x80;
  const size_t blocks = rest < BLOCK - 8 ? 1 : 2;
  const uint64_t bits = (uint64_t)state->message->count << 3;
  for (size_t i = 0; i < 8; i++) tail[blocks * BLOCK - 1 - i] = (uint8_t)(bits >> (8 * i));
  state->next = tail;
  state->blocks = blocks;
  take_in_one(state, blocks);
  uint32_t abef[4], cdgh[4];
  _mm_storeu_si128((__m128i *)abef, state->abef);
  _mm_storeu_si128((__m128i *)cdgh, state->cdgh);
  // The first word is the highest of its register.
  const uint32_t words[8] = {abef[3], abef[2], cdgh[3], cdgh[2], abef[1], abef[0], cdgh[1], cdgh[0]};
  for (size_t i = 0; i < CSHA256_SIZE; i++) state->hash[i] = (uint8_t)(words[i / 4] >> (24 - 8 * (i % 4)));
}

bool csha256_is_supported(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return false;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & (1u << 29)) != 0;
}

EXTENDED void csha256_hash(const csha256_message *messages, size_t count, uint8_t *hashes) {
  lane_state lanes[2];
  size_t begun = 0, busy = 0;
  while (true) {
    while (busy < 2 && begun < count) {
      begin(&lanes[busy++], &messages[begun], hashes + begun * CSHA256_SIZE);
      begun++;
    }
    if (busy == 0) return;
    if (busy == 1) {
      take_in_one(lanes, lanes[0].blocks);
    } else {
      take_in_two(lanes, lanes[0].blocks < lanes[1].blocks ? lanes[0].blocks : lanes[1].blocks);
    }
    for (size_t lane = busy; lane-- > 0;) {
      if (lanes[lane].blocks > 0) continue;
      end(&lanes[lane]);
      lanes[lane] = lanes[--busy];
    }
  }
}

#else
bool csha256_is_supported(void) { return false; }

void csha256_hash(const csha256_message *messages, size_t count, uint8_t *hashes) {
  (void)messages, (void)count, (void)hashes;
  __builtin_trap();
}
#endif

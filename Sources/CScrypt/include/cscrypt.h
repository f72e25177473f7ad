// scryptROMix of RFC 7914, for several blocks at once.
#ifndef CSCRYPT_H
#define CSCRYPT_H

#include <stddef.h>

// So many blocks are mixed side by side at most.
#define CSCRYPT_LANES 3

// The bytes of the table that each block needs: `cost` + 1 blocks of `pairs` x 128 bytes.
size_t cscrypt_table_size(size_t cost, size_t pairs);

// Mixes `count` blocks, 1 to CSCRYPT_LANES, that lie one behind the other. `cost`: N, a power of two and 2 at least.
// `pairs`: r, 1 at least. `tables`: `count` tables one behind the other. Both lie at a multiple of 64 bytes.
void cscrypt_mix(void *blocks, void *tables, size_t count, size_t cost, size_t pairs);

#endif

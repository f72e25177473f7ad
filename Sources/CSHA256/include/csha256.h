// SHA-256 (FIPS 180-4) of many messages, two at a time.
#ifndef CSHA256_H
#define CSHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of a hash.
#define CSHA256_SIZE 32

typedef struct {
  const uint8_t *bytes;
  size_t count;
} csha256_message;

// Whether this processor has the instructions that it takes. Asking takes a virtual machine microseconds.
bool csha256_is_supported(void);

// Writes the hash of each of `count` messages to `hashes`, one behind the other. Only where it is supported.
void csha256_hash(const csha256_message *messages, size_t count, uint8_t *hashes);

#endif

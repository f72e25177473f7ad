#include "cheap.h"

#include <stdlib.h>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

void cheap_return_blocks(size_t bytes) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, (int)bytes);
  // Setting the one would leave the other at 128 KiB, for good: what the network has read would be given back and taken again
  // all the time.
  mallopt(M_TRIM_THRESHOLD, (int)bytes);
#else
  (void)bytes;
#endif
}

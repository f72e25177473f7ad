#include "cheap.h"

#include <stdlib.h>  // defines __GLIBC__

#ifdef __GLIBC__
#include <malloc.h>
#endif

void cheap_return_blocks(size_t bytes) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, (int)bytes);
#else
  (void)bytes;
#endif
}

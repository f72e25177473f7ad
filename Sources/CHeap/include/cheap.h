// A setting of the C library's heap that Swift cannot reach.
#ifndef CHEAP_H
#define CHEAP_H

#include <stddef.h>

// Gives blocks of at least so many bytes back to the system as soon as they are freed: mallopt(3), M_MMAP_THRESHOLD. By
// default glibc keeps ever larger ones, for each thread, for the next allocation. Up to so many bytes of smaller blocks are kept
// at the end of each heap (M_TRIM_THRESHOLD). Does nothing where the library is another.
void cheap_return_blocks(size_t bytes);

#endif

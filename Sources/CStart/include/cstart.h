// What must happen before the Swift runtime starts. It is in C, because Swift code runs too late for it.
#ifndef CSTART_H
#define CSTART_H

// The arguments as the kernel passed them. Swift reads them from /proc/self/cmdline; it has none when there is no /proc
// or when no descriptor is left.
int cstart_argument_count(void);
char **cstart_arguments(void);

#endif

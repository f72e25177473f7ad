// What must happen in the program before Swift's runtime starts. In C, because Swift code runs too late for it.
#ifndef CSTART_H
#define CSTART_H

// The arguments as the kernel handed them over. Swift reads them from /proc/self/cmdline, and has none where there is no
// /proc or no descriptor left.
int cstart_argument_count(void);
char **cstart_arguments(void);

#endif

#include "cstart.h"

#include <stdlib.h>

static int count;
static char **words;

int cstart_argument_count(void) { return count; }
char **cstart_arguments(void) { return words; }

#ifdef __linux__

static const char variable[] = "SWIFT_BACKTRACE";
static int is_ours;

// Runs before the Swift runtime starts. The runtime looks for the program that prints a stack after a crash, which we
// do not ship, and ends the process when /proc does not report where this program is. The variable turns that off.
__attribute__((constructor(101))) static void before_runtime(int argc, char **argv) {
  count = argc;
  words = argv;
  if (getenv(variable)) return;
  is_ours = setenv(variable, "enable=no,swift-backtrace=/", 0) == 0;
}

// Runs after the runtime has started. The programs that we start get the environment that we were given.
__attribute__((constructor)) static void after_runtime(void) {
  if (is_ours) unsetenv(variable);
}

#else

__attribute__((constructor)) static void before_main(int argc, char **argv) {
  count = argc;
  words = argv;
}

#endif

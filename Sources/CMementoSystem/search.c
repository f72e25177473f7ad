// Searching bytes: what the C library has for it, in a form that Swift can import.
#ifdef __linux__
#define _GNU_SOURCE
#endif
#include "csystem.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

ssize_t cs_find(const void *bytes, size_t count, const void *needle, size_t needle_count) {
  const char *found = memmem(bytes, count, needle, needle_count);
  return found ? found - (const char *)bytes : -1;
}

ssize_t cs_first_byte(const void *bytes, size_t count, uint8_t byte) {
  const char *found = count > 0 ? memchr(bytes, byte, count) : NULL;
  return found ? found - (const char *)bytes : -1;
}

ssize_t cs_last_byte(const void *bytes, size_t count, uint8_t byte) {
  const uint8_t *all = bytes;
#ifdef __linux__
  const uint8_t *found = count > 0 ? memrchr(all, byte, count) : NULL;
  return found ? found - all : -1;
#else
  while (count > 0) {
    if (all[--count] == byte) return (ssize_t)count;
  }
  return -1;
#endif
}

void *cs_regex_new(const char *pattern, int ignores_case, char *why, size_t why_size) {
  regex_t *regex = malloc(sizeof *regex);
  if (!regex) {
    strncpy(why, "out of memory", why_size);
    return NULL;
  }
  int code = regcomp(regex, pattern, REG_EXTENDED | REG_NEWLINE | (ignores_case ? REG_ICASE : 0));
  if (code == 0) return regex;
  regerror(code, regex, why, why_size);
  free(regex);
  return NULL;
}

void cs_regex_free(void *regex) {
  regfree(regex);
  free(regex);
}

int cs_regex_find(void *regex, const void *bytes, size_t count, size_t *start, size_t *end) {
  regmatch_t match = {.rm_so = 0, .rm_eo = (regoff_t)count};
  int code = regexec(regex, bytes ? bytes : "", 1, &match, REG_STARTEND);
  if (code == REG_NOMATCH) return 0;
  if (code != 0) return -1;
  *start = (size_t)match.rm_so;
  *end = (size_t)match.rm_eo;
  return 1;
}

#ifndef COEXIST_LIBFUZZER_H
#define COEXIST_LIBFUZZER_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's entry for programs that have a main of their own (llvm.org/docs/LibFuzzer.html).
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

#endif

#ifndef COEXIST_CZLIB_SHIM_H
#define COEXIST_CZLIB_SHIM_H

#include <zlib.h>

// deflateInit2 and inflateInit2 are macros that Swift cannot import.
static inline int coexist_inflate_init(z_stream *s, int window_bits) { return inflateInit2(s, window_bits); }
static inline int coexist_deflate_init(z_stream *s, int level, int window_bits) {
    return deflateInit2(s, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

#endif

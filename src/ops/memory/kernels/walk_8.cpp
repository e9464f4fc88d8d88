// Loops whose loads and stores have 8 bytes.
#include "ops/memory/kernels/kernels.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#define INVAR_WALK_STREAM(to, value) \
  _mm_stream_si64(reinterpret_cast<long long*>(to), static_cast<long long>(value))
#endif

#define INVAR_WALK_BYTES 8
#define INVAR_WALK_NAMESPACE words_of_8
#define INVAR_WALK_TARGET
#define INVAR_WALK_HOLD(value) "+r"(value)
#include "ops/memory/kernels/walk_body.hpp"

namespace invar::ops {

const WalkTable& walks_of_8() { return words_of_8::kWalks; }

}  // namespace invar::ops

// Loops whose loads and stores have 4 bytes.
#include "ops/memory/kernels/kernels.hpp"
#if defined(__x86_64__)
#include <immintrin.h>
#define INVAR_WALK_STREAM(to, value) \
  _mm_stream_si32(reinterpret_cast<int*>(to), static_cast<int>(value))
#endif

#define INVAR_WALK_BYTES 4
#define INVAR_WALK_NAMESPACE words_of_4
#define INVAR_WALK_TARGET
#define INVAR_WALK_HOLD(value) "+r"(value)
#include "ops/memory/kernels/walk_body.hpp"

namespace invar::ops {

const WalkTable& walks_of_4() { return words_of_4::kWalks; }

}  // namespace invar::ops

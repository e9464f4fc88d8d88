// Loops whose loads and stores have 16 bytes: SSE2 and NEON, which these processors always have.
#include "ops/memory/kernels/kernels.hpp"

#if defined(__x86_64__) || defined(__aarch64__)
#if defined(__x86_64__)
#include <immintrin.h>
#define INVAR_WALK_STREAM(to, value) \
  _mm_stream_si128(reinterpret_cast<__m128i*>(to), reinterpret_cast<__m128i>(value))
#define INVAR_WALK_HOLD(value) "+x"(value)
#else
#define INVAR_WALK_HOLD(value) "+w"(value)
#endif
#define INVAR_WALK_BYTES 16
#define INVAR_WALK_NAMESPACE words_of_16
#define INVAR_WALK_TARGET
#include "ops/memory/kernels/walk_body.hpp"
#endif

namespace invar::ops {

const WalkTable& walks_of_16() {
#if defined(__x86_64__) || defined(__aarch64__)
  return words_of_16::kWalks;
#else
  static constexpr WalkTable kNone{};
  return kNone;
#endif
}

}  // namespace invar::ops

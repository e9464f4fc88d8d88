// Loops whose loads and stores have 32 bytes: AVX2, whether this processor has it or not
// (walk_widths()).
#include "ops/memory/kernels/kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define INVAR_WALK_STREAM(to, value) \
  _mm256_stream_si256(reinterpret_cast<__m256i*>(to), reinterpret_cast<__m256i>(value))
#define INVAR_WALK_HOLD(value) "+x"(value)
#define INVAR_WALK_BYTES 32
#define INVAR_WALK_NAMESPACE words_of_32
#define INVAR_WALK_TARGET __attribute__((target("avx2")))
#include "ops/memory/kernels/walk_body.hpp"
#endif

namespace invar::ops {

const WalkTable& walks_of_32() {
#if defined(__x86_64__)
  return words_of_32::kWalks;
#else
  static constexpr WalkTable kNone{};
  return kNone;
#endif
}

}  // namespace invar::ops

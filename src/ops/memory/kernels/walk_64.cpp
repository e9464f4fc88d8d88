// Loops whose loads and stores have 64 bytes: AVX-512, whether this processor has it or not
// (walk_widths()).
#include "ops/memory/kernels/kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define INVAR_WALK_STREAM(to, value) \
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), reinterpret_cast<__m512i>(value))
#define INVAR_WALK_HOLD(value) "+v"(value)
#define INVAR_WALK_BYTES 64
#define INVAR_WALK_NAMESPACE words_of_64
#define INVAR_WALK_TARGET __attribute__((target("avx512f")))
#include "ops/memory/kernels/walk_body.hpp"
#endif

namespace invar::ops {

const WalkTable& walks_of_64() {
#if defined(__x86_64__)
  return words_of_64::kWalks;
#else
  static constexpr WalkTable kNone{};
  return kNone;
#endif
}

}  // namespace invar::ops

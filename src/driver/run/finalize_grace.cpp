#include "driver/run/finalize_grace.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::driver {
namespace {

constexpr auto kFinalizeGrace = std::chrono::seconds(10);

}  // namespace

std::chrono::seconds finalize_grace() {
  const char* text = std::getenv("INVAR_FINALIZE_GRACE_S");
  if (text == nullptr || *text == '\0') return kFinalizeGrace;
  constexpr std::uint64_t kMostS = 86'400;
  const auto seconds = base::parse_u64(text);
  if (!seconds || *seconds > kMostS) {
    throw base::UserError("INVAR_FINALIZE_GRACE_S",
                          "'" + std::string(text) + "' is not a number of seconds",
                          "whole seconds, at most a day");
  }
  return std::chrono::seconds(*seconds);
}

}  // namespace invar::driver

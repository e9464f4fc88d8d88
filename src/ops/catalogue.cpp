#include "ops/catalogue.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace invar::ops {

// The list is read twice: for the declarations (each constant is defined in its operation's file)
// and for the table. A generated list of a user's own operations would be read in the same way.
#define INVAR_SCHEDULE(name, constant)
#define INVAR_OPERATION(name, constant) extern const Operation constant;
#include "ops/catalogue.def"
#undef INVAR_OPERATION

namespace {

#define INVAR_OPERATION(name, constant) std::string_view(name),
constexpr std::array kNames{
#include "ops/catalogue.def"
};
#undef INVAR_OPERATION

#define INVAR_OPERATION(name, constant) &(constant),
constexpr std::array kOperations{
#include "ops/catalogue.def"
};
#undef INVAR_OPERATION

constexpr bool strictly_ascending(std::span<const std::string_view> names) {
  return std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end();
}
static_assert(strictly_ascending(kNames), "catalogue.def: names unique, in alphabetical order");

}  // namespace

std::span<const Operation* const> catalogue() { return kOperations; }

const Operation* find_operation(std::string_view name) {
  const auto found = std::lower_bound(kNames.begin(), kNames.end(), name);
  if (found == kNames.end() || *found != name) return nullptr;
  return kOperations[static_cast<std::size_t>(found - kNames.begin())];
}

}  // namespace invar::ops

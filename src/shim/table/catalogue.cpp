// The catalogue of operations (ops/catalogue.hpp) as the shim has it: mock-ups and reference
// algorithms of the engine's list, and what these stand for. No collective of the list itself is
// among them, nor its forms: they would be calls of the library.
#include "ops/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <string_view>
#include <vector>

#include "ops/call/scheduled.hpp"
#include "ops/mockups/mockup.hpp"
#include "ops/mockups/promises.hpp"

namespace invar::ops {

#define INVAR_OPERATION(name, constant) extern const Operation constant;
#define INVAR_SCHEDULE(name, constant) extern const Algorithm constant;
#include "ops/catalogue.def"
#undef INVAR_OPERATION
#undef INVAR_SCHEDULE

namespace {

struct ShimLine {
  std::string_view name = {};
  const Operation* operation = nullptr;
  const Algorithm* algorithm = nullptr;
  Equipped (*equip)(const Call&) = nullptr;
};

constexpr bool is_mockup(std::string_view name) { return name.find('=') != std::string_view::npos; }

// What is not a mock-up is not named by anything that is compiled, and need not be linked.
#define INVAR_OPERATION(text, constant)                       \
  ShimLine{.name = (text), .operation = [] {                  \
             if constexpr (is_mockup(text)) {                 \
               return &(constant);                            \
             } else {                                         \
               return static_cast<const Operation*>(nullptr); \
             }                                                \
           }()},
#define INVAR_SCHEDULE(text, constant) \
  ShimLine{.name = (text), .algorithm = &(constant), .equip = equip_scheduled<constant>},
constexpr std::array kShimLines{
#include "ops/catalogue.def"
};
#undef INVAR_OPERATION
#undef INVAR_SCHEDULE

// That it is done by messages is all that an algorithm of a barrier would have to know.
constexpr Promise kPromisedBarrier{
    .operation = "barrier", .sized = false, .in_place = false, .verify = nullptr};

constexpr std::array kPromises{
    kPromisedAllgather,
    kPromisedAllreduce,
    kPromisedAlltoall,
    kPromisedBarrier,
    kPromisedBcast,
    kPromisedExscan,
    kPromisedGather,
    kPromisedReduce,
    kPromisedReduceScatter,
    kPromisedScan,
    kPromisedReduceScatterBlock,
    kPromisedScatter,
};

Operation promised(const Promise& promise) {
  Operation operation = mockup({.of = promise,
                                .name = promise.operation,
                                .summary = "what others stand for",
                                .call = nullptr});
  operation.emulates = nullptr;
  return operation;
}

class ShimCatalogue {
 public:
  ShimCatalogue() {
    for (const Promise& promise : kPromises) promised_.push_back(promised(promise));
    for (const ShimLine& line : kShimLines) {
      if (line.operation != nullptr) all_.push_back(line.operation);
      if (line.algorithm == nullptr) continue;
      const auto collective = std::ranges::find_if(promised_, [&](const Operation& one) {
        return std::string_view(one.name) == line.algorithm->collective;
      });
      if (collective == promised_.end()) continue;  // of a collective that the shim does not know
      made_.push_back(scheduled(*line.algorithm, *collective, line.equip));
      all_.push_back(&made_.back().operation);
    }
    for (const Operation& operation : promised_) all_.push_back(&operation);
  }
  [[nodiscard]] std::span<const Operation* const> all() const { return all_; }

 private:
  std::deque<Operation> promised_ = {};
  std::deque<Scheduled> made_ = {};
  std::vector<const Operation*> all_ = {};
};

}  // namespace

std::span<const Operation* const> catalogue() {
  static const ShimCatalogue made;
  return made.all();
}

const Operation* find_operation(std::string_view name) {
  const auto found = std::ranges::find_if(
      catalogue(), [&](const Operation* one) { return std::string_view(one->name) == name; });
  return found == catalogue().end() ? nullptr : *found;
}

}  // namespace invar::ops

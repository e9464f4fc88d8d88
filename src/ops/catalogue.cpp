#include "ops/catalogue.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "ops/call/scheduled.hpp"

namespace invar::ops {

// The list is read twice: for the declarations (each constant is defined in its operation's file)
// and for the table. A generated list of a user's own operations would be read in the same way.
#define INVAR_OPERATION(name, constant) extern const Operation constant;
#define INVAR_SCHEDULE(name, constant) extern const Algorithm constant;
#include "ops/catalogue.def"
#undef INVAR_OPERATION
#undef INVAR_SCHEDULE

namespace {

#define INVAR_OPERATION(name, constant) std::string_view(name),
#define INVAR_SCHEDULE(name, constant) std::string_view(name),
constexpr std::array kNames{
#include "ops/catalogue.def"
};
#undef INVAR_OPERATION
#undef INVAR_SCHEDULE

// An operation, or an algorithm that is made into one.
struct Line {
  const Operation* operation = nullptr;
  const Algorithm* algorithm = nullptr;
  Equipped (*equip)(const Call&) = nullptr;
};

#define INVAR_OPERATION(name, constant) Line{.operation = &(constant)},
#define INVAR_SCHEDULE(name, constant) \
  Line{.algorithm = &(constant), .equip = equip_scheduled<constant>},
constexpr std::array kLines{
#include "ops/catalogue.def"
};
#undef INVAR_OPERATION
#undef INVAR_SCHEDULE

constexpr bool strictly_ascending(std::span<const std::string_view> names) {
  return std::adjacent_find(names.begin(), names.end(), std::greater_equal<>()) == names.end();
}
static_assert(strictly_ascending(kNames), "catalogue.def: names unique, in alphabetical order");

constexpr std::size_t kNone = kNames.size();

std::size_t line_of(std::string_view name) {
  const auto found = std::lower_bound(kNames.begin(), kNames.end(), name);
  if (found == kNames.end() || *found != name) return kNone;
  return static_cast<std::size_t>(found - kNames.begin());
}

// Why the engine can time nothing but what a process does alone; null: it has an MPI.
#ifdef INVAR_NO_MPI
constexpr const char* kNoMpi = INVAR_NO_MPI;
#else
constexpr const char* kNoMpi = nullptr;
#endif

// What works on memory alone does not, nor does what does nothing.
bool needs_mpi(const Operation& operation) {
  const bool does_nothing = operation.chain == record::Chain::kNone && !operation.sized &&
                            operation.roles.empty() &&
                            operation.messages == record::Messages::kNone;
  return operation.walks == 0 && !does_nothing;
}

// What algorithms are made into needs their collectives, which other files define.
class Table {
 public:
  Table() {
    for (std::size_t i = 0; i < kLines.size(); ++i) {
      const Line& line = kLines[i];
      operations_[i] = line.operation;
      if (line.algorithm == nullptr) continue;
      const std::size_t collective = line_of(line.algorithm->collective);
      if (collective == kNone || kLines[collective].operation == nullptr) {
        throw std::logic_error(std::string(kNames[i]) + " is an algorithm of no operation");
      }
      made_.push_back(scheduled(*line.algorithm, *kLines[collective].operation, line.equip));
      operations_[i] = &made_.back().operation;
    }
    for (const Operation*& operation : operations_) {
      if (kNoMpi == nullptr || !needs_mpi(*operation)) continue;
      missing_.push_back(*operation);
      missing_.back().missing = kNoMpi;
      operation = &missing_.back();
    }
  }
  [[nodiscard]] std::span<const Operation* const> all() const { return operations_; }

 private:
  std::deque<Scheduled> made_ = {};
  std::deque<Operation> missing_ = {};  // of what needs an MPI, where there is none
  std::array<const Operation*, kLines.size()> operations_ = {};
};

}  // namespace

std::span<const Operation* const> catalogue() {
  static const Table table;
  return table.all();
}

std::span<const Algorithm* const> algorithms() {
  static const std::vector<const Algorithm*> all = [] {
    std::vector<const Algorithm*> found;
    found.reserve(kLines.size());
    for (const Line& line : kLines) {
      if (line.algorithm != nullptr) found.push_back(line.algorithm);
    }
    return found;
  }();
  return all;
}

const Operation* find_operation(std::string_view name) {
  const std::size_t line = line_of(name);
  return line == kNone ? nullptr : catalogue()[line];
}

}  // namespace invar::ops

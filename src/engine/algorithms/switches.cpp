#include "engine/algorithms/switches.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

namespace invar::engine {
namespace {

// Writes numbers, and puts back what was there, the last one first.
class ToldNumbers final : public ops::Around {
 public:
  ToldNumbers(WrittenVariables& variables, const record::AlgorithmSwitch* told)
      : variables_(variables), told_(told) {
    if (told_ != nullptr) before_.reserve(told_->variables.size());
  }
  ~ToldNumbers() override = default;

  void begin() override {
    if (told_ == nullptr) return;
    try {
      for (const auto& [name, number] : told_->variables) {
        before_.push_back(variables_.write(name, number));
      }
    } catch (...) {
      end();
      throw;
    }
  }

  void end() noexcept override {
    if (told_ == nullptr) return;
    while (!before_.empty()) {
      const std::int64_t number = before_.back();
      before_.pop_back();
      const std::string& name = told_->variables[before_.size()].first;
      try {
        variables_.write(name, number);
      } catch (const std::exception& problem) {
        std::fprintf(stderr, "invar-engine: %s: all later cells run with it\n", problem.what());
      }
    }
  }

 private:
  WrittenVariables& variables_;
  const record::AlgorithmSwitch* told_;
  std::vector<std::int64_t> before_ = {};
};

class ToldNothing final : public ops::Around {
 public:
  void begin() override {}
  void end() noexcept override {}
};

}  // namespace

Switches::Switches(std::span<const std::string> texts, const std::string& place) {
  switches_.reserve(texts.size());
  for (const std::string& text : texts) switches_.push_back(record::read_switch(text, place));
}

const record::AlgorithmSwitch* Switches::find(const record::Cell& cell) const {
  const auto found = std::ranges::find_if(switches_, [&](const record::AlgorithmSwitch& one) {
    return one.operation == cell.operation && one.level == cell.algorithm;
  });
  return found == switches_.end() ? nullptr : &*found;
}

std::unique_ptr<ops::Around> Switches::calling(const record::Cell& cell) {
  return std::make_unique<ToldNumbers>(variables_, find(cell));
}

std::unique_ptr<ops::Around> Switches::making(const record::Cell& cell) {
  const record::AlgorithmSwitch* const told = find(cell);
  if (told == nullptr || !told->at_making) return nullptr;
  return std::make_unique<ToldNumbers>(variables_, told);
}

std::string Switches::making_key(const record::Cell& cell) const {
  const record::AlgorithmSwitch* const told = find(cell);
  return told == nullptr || !told->at_making ? "" : told->operation + ' ' + told->level;
}

std::unique_ptr<ops::Around> calling_untold() { return std::make_unique<ToldNothing>(); }

}  // namespace invar::engine

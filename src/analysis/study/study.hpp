// A study: one or several campaigns, opened once for a question. Every analysis takes one; nothing
// reads a campaign's file, makes rules or summarises visits by itself.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "analysis/study/health.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/summaries.hpp"
#include "design/campaign/campaign.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

class Study {
 public:
  // Throws UserError where the campaign's own copy of its file cannot be read, and with every
  // option that is out of range or unknown.
  explicit Study(store::Data data, const CompareOptions& options = {});
  // With what is known of the campaign already.
  Study(store::Data data, design::Campaign campaign, Rules rules, CompareOptions options = {});
  // Both together, opened no second time. There are verdicts, and times after an agreed start, only
  // where both campaigns allow them.
  Study(const Study& first, const Study& second);

  [[nodiscard]] std::size_t campaigns() const { return opened_.size(); }
  [[nodiscard]] const design::Campaign& campaign(std::size_t i = 0) const;
  // What a command asked for, and what follows from it and from the campaign.
  [[nodiscard]] const CompareOptions& options() const { return options_; }
  [[nodiscard]] const Rules& rules() const { return rules_; }

  // As it was measured, with the visits that got other suites' ways of measuring.
  [[nodiscard]] const store::Data& all(std::size_t i = 0) const;
  // The visits that the campaign measured as it says, but for those from which a decision chose
  // what else to measure. Cells keep their order.
  [[nodiscard]] const store::Data& data(std::size_t i = 0) const;

  // The summaries of data(i), made when first asked for, and kept: as the rules say, or by this
  // run-time. By the rules it is one kind of run-time for all campaigns: local if one of them lacks
  // global times.
  [[nodiscard]] const Summaries& summaries(std::size_t i = 0) const;
  [[nodiscard]] const Summaries& summaries_by(Runtime runtime, std::size_t i = 0) const;

  // The health of all campaigns together.
  [[nodiscard]] Health health() const;

 private:
  struct Opened;

  std::vector<std::shared_ptr<Opened>> opened_;
  CompareOptions options_ = {};
  Rules rules_ = {};
};

}  // namespace invar::analysis

// A study: one or several campaigns, opened once for a question. Every analysis takes one; nothing
// reads a campaign's file, makes rules or summarises visits by itself.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "analysis/answer/health.hpp"
#include "analysis/study/rules.hpp"
#include "analysis/study/summaries.hpp"
#include "design/campaign/campaign.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

class Study;

// The study's rules for these summaries of its first campaign: no verdicts where some visits had
// more ranks than cores, whatever the campaign says.
Rules judging_rules(const Study& study, const Summaries& summaries);

// What is wrong with a campaign's data. `own`: summaries of the visits that an answer is made of.
Health health_of(const store::Data& data, const Summaries& own);

class Study {
 public:
  // Throws UserError where the campaign's own copy of its file cannot be read, and with every
  // option that is out of range or unknown, also a time that no operation of the data has.
  explicit Study(store::Data data, const CompareOptions& options = {});
  // With what is known of the campaign already.
  Study(store::Data data, design::Campaign campaign, Rules rules, CompareOptions options = {});
  // Two sides that are compared with each other, each one campaign, or several, of which each is a
  // session; opened no second time. There are verdicts, and times after an agreed start, only where
  // all campaigns allow them; lost starts are kept or left out of a cell of all campaigns alike.
  // The options are the first one's. A regime that not all sessions name counts only as an option.
  // None of the sides is empty.
  Study(std::span<const Study> first, std::span<const Study> second);
  Study(const Study& first, const Study& second)
      : Study(std::span(&first, 1), std::span(&second, 1)) {}

  // The same campaigns, opened no second time, with this reference regime.
  [[nodiscard]] Study in_regime(const base::CanaryBand& regime) const;

  [[nodiscard]] std::size_t campaigns() const { return opened_.size(); }
  // Those of the first side come first.
  [[nodiscard]] std::size_t campaigns_of_first_side() const { return of_first_side_; }
  // A side has several campaigns: the unit is the session, of which each of them is one.
  [[nodiscard]] bool over_sessions() const { return campaigns() > 2; }
  [[nodiscard]] const design::Campaign& campaign(std::size_t i = 0) const;
  // What a command asked for, and what follows from it and from the campaign.
  [[nodiscard]] const CompareOptions& options() const { return options_; }
  [[nodiscard]] const Rules& rules() const { return rules_; }

  // As it was measured, with the visits that got other suites' ways of measuring.
  [[nodiscard]] const store::Data& all(std::size_t i = 0) const;
  // The visits that the campaign measured as it says, but for those from which a decision chose
  // what else to measure. Cells keep their order.
  [[nodiscard]] const store::Data& data(std::size_t i = 0) const;

  // What is made of lost starts in data(i); of several campaigns, in their cells together.
  [[nodiscard]] const StartSkews& starts(std::size_t i = 0) const;

  // The summaries of data(i), made when first asked for, and kept: as the rules say, of another
  // time, or of whole calls by this run-time. By the rules it is one kind of run-time for all
  // campaigns: local if one of them lacks global times.
  [[nodiscard]] const Summaries& summaries(std::size_t i = 0) const;
  [[nodiscard]] const Summaries& summaries_of(const TimeChoice& time, std::size_t i = 0) const;
  [[nodiscard]] const Summaries& summaries_by(Runtime runtime, std::size_t i = 0) const;

  // The health of all campaigns together.
  [[nodiscard]] Health health() const;

 private:
  struct Read;    // what a campaign is, whatever it is compared with
  struct Opened;  // and what is made of it here

  void decide_starts_together();
  [[nodiscard]] bool is_kept_elsewhere(const record::Cell& cell, std::size_t campaign) const;

  std::vector<std::shared_ptr<Opened>> opened_;
  std::size_t of_first_side_ = 1;
  CompareOptions options_ = {};
  Rules rules_ = {};
};

}  // namespace invar::analysis

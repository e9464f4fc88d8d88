// What the repetitions of every arm and cell look like: modes, memory, how they begin, whether
// means of them are normally distributed. It warns and never drops (docs/methods.md, "What is
// warned of").
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/study/summaries.hpp"
#include "record/cell.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

struct CellDiagnosis {
  record::Cell cell = {};
  std::string arm = {};
  std::size_t visits = 0;
  // How many visits were tested for modes (evenly spread, at most 40 of ten repetitions or more).
  std::size_t tested_visits = 0;
  std::size_t bimodal_visits = 0;
  // Median over visits of independent repetitions / repetitions, in (0, 1]. None where the clock's
  // step hides it.
  std::optional<double> effective_share = {};
  // Smallest of 10, 20, ..., 50: means of so many repetitions of one launch are normally
  // distributed as far as 500 of them tell. None: no number up to 50 does.
  std::optional<std::size_t> normal_means_from = {};
  std::optional<double> means_w = {};  // Shapiro and Wilk's W of means of 30; none: constant
};

// Linear in the visits; repetitions are looked at of a bounded number of visits.
std::vector<CellDiagnosis> diagnose(const store::Data& data, const Summaries& summaries,
                                    std::span<const std::uint32_t> arms);

// Means of the repetitions of one launch, those whose W is in the diagnosis.
struct SampleMeans {
  std::size_t size = 0;  // repetitions of a mean
  std::vector<double> means_ns = {};
};
// `visits`: of one arm and cell, launch by launch. None where no launch has repetitions enough.
std::optional<SampleMeans> told_means(std::span<const VisitSummary* const> visits, bool global);
// 500 means each of 10, 20 and 30 repetitions, as the paper's figure 2 has them.
std::vector<SampleMeans> means_by_size(std::span<const VisitSummary* const> visits, bool global);

// `of_means`: what is compared are means (other suites' numbers), so that it matters how far these
// are from normal.
std::vector<Warning> diagnosis_warnings(std::span<const CellDiagnosis> cells, bool of_means);

}  // namespace invar::analysis

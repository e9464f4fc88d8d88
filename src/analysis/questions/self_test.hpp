// `self-test`: a library against itself, with and without planted delays: is Invar right as often
// as it says, on this machine?
//
// The campaign's cells differ in `delay` also; its second arm plants it, so that the truth of every
// pair is known. Two arms, by turns or launch by launch, are equal without delay. Inside a
// launch: two cells of the first arm, which plants nothing, are equal; of the second arm one is
// slower.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/answer/health.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/questions/self_test_tables.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// One cell without delay, and what was planted into it.
struct SelfTestCell {
  record::Cell cell = {};
  double median_ns = 0;                // nothing planted
  std::vector<double> delays_ns = {};  // ascending
  std::vector<double> effects = {};    // delay / median_ns, by level
  std::vector<bool> testable = {};     // above the clock's resolution, by level
};

// One kind of pairing with tables of so many launch groups.
struct SelfTestTables {
  Pairing pairing = Pairing::kTurns;
  FalseVerdicts equal = {};
  std::vector<Power> power = {};  // by level; its cells are those of SelfTest
  std::size_t left_out = 0;       // of these, not measured in every launch group
};

struct SelfTest {
  std::string sentence = {};
  std::string scope = {};
  ComparedArm arm = {};
  std::size_t groups = 0;
  std::vector<SelfTestCell> cells = {};
  std::vector<double> effects = {};  // by level, median over the cells
  std::vector<SelfTestTables> tables = {};
  // Share of p <= alpha of Welch's t on the raw repetitions of one group, both arms equal: what
  // suites do that take repetitions for independent. Nobody's verdict here.
  double raw_welch_share = 0;
  // What chains of planted lengths take against their calibration: 1 is right. Worst launch.
  double delay_check = 1;
  std::vector<std::string> problems = {};  // why the method does not hold here; empty: it does
  std::vector<Warning> warnings = {};
  double alpha = 0.05;
  double min_effect = 0.02;
  std::filesystem::path dir = {};
  Health health = {};
};

// Throws what self_test_lack() says.
SelfTest self_test(const Study& study);
// The campaign is not a self-test, or there is nothing to judge: no complete group, no cell that
// all groups have.
std::optional<Lack> self_test_lack(const Study& study);

Answer answer_of(const SelfTest& result);

}  // namespace invar::analysis

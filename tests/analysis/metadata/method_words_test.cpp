// The text for a paper says what was done, and nothing else.
#include "analysis/metadata/method_words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/planted.hpp"
#include "analysis/planted_ticks.hpp"
#include "analysis/suite_data.hpp"
#include "store/version.hpp"

namespace invar::analysis {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Told {
  store::Data data = planted::data({.groups = 4});
  design::Campaign campaign = {.launches = {.min = 4, .max = 4}};
  Rules rules = {};
  Comparison comparison = {.comparisons = 3};
  Tally tally = {};
  StartSkews starts = {};
  Metadata metadata = {};

  [[nodiscard]] std::string text() const {
    const MethodSource source{.data = &data,
                              .campaign = &campaign,
                              .rules = &rules,
                              .metadata = &metadata,
                              .comparison = &comparison,
                              .repetitions = &tally,
                              .starts = &starts,
                              .name = "om"};
    std::string text;
    for (const std::string& one : method_text(std::span(&source, 1)).paragraphs) text += one + "\n";
    return text;
  }
};

store::Data with_placements(const std::vector<std::string>& placements) {
  planted::Plan plan{.cells = {}, .groups = 2};
  for (const std::string& placement : placements) {
    plan.cells.push_back(planted::cell("bcast", 8));
    plan.cells.back().placement = placement;
  }
  return planted::data(plan);
}

TEST(MethodWords, BuffersLieWhereTheCellsSay) {
  Told told;
  EXPECT_THAT(told.text(), HasSubstr(" Buffers lay at a place drawn anew for every visit. "));
  told.data = with_placements({"fixed:64"});
  EXPECT_THAT(told.text(), HasSubstr(" Buffers lay 64 B after the start of a page. "));
  EXPECT_THAT(told.text(), Not(HasSubstr("drawn anew")));
  told.data = with_placements({"same"});
  EXPECT_THAT(told.text(), HasSubstr(" Buffers lay always at the same place. "));
  told.data = with_placements({"random", "fixed:0"});
  EXPECT_THAT(told.text(), HasSubstr("Buffers lay at a place drawn anew for every visit or 0 B "
                                     "after the start of a page, by cell. "));
  told.data = planted::data({.cells = {planted::cell("barrier", {})}, .groups = 2});
  EXPECT_THAT(told.text(), Not(HasSubstr("Buffers")));
}

// For whoever has to run it again: which Invar, and what it ran on.
TEST(MethodWords, VersionsThatMeasuredAndAnalysedAreNamed) {
  Told told;
  const std::string now = store::version_text();
  EXPECT_THAT(told.text(), HasSubstr("Measured with Invar and analysed with Invar " + now + " ["));
  told.data.made_by = {now};
  EXPECT_THAT(told.text(), HasSubstr("Measured and analysed with Invar " + now + " ["));
  told.data.made_by = {"0.0.9", "0.1.0 (commit 1a2b)"};
  EXPECT_THAT(told.text(), HasSubstr("Measured with Invar 0.0.9 and 0.1.0 (commit 1a2b) and "
                                     "analysed with Invar " +
                                     now + " ["));
}

TEST(MethodWords, DistributionFlagsAndConfigureLineAreTold) {
  Told told;
  const auto one = [](const char* text) {
    Values values;
    values.texts.insert(text);
    return values;
  };
  EXPECT_THAT(told.text(), Not(HasSubstr("configured with")));
  told.metadata.facts = {{"kernel.release", one("6.1")}, {"kernel.distribution", one("Debian 12")}};
  told.metadata.arms = {{.labels = {"openmpi"},
                         .facts = {{"compiler", one("g++ 12.2")},
                                   {"compiler_flags", one("-O2")},
                                   {"configured", one("'--with-ucx'")}}}};
  EXPECT_THAT(told.text(), HasSubstr("under Linux 6.1 (Debian 12)"));
  EXPECT_THAT(told.text(),
              HasSubstr("by its own compiler wrapper (g++ 12.2, with -O2). openmpi was "
                        "configured with '--with-ucx'."));
}

TEST(MethodWords, VisitsAndRoundsAreThoseOfTheData) {
  Told told;
  told.campaign.rounds = 99;
  told.campaign.repetitions = 99;
  EXPECT_THAT(told.text(), HasSubstr("each cell was visited in 4 rounds"));
  EXPECT_THAT(told.text(), HasSubstr("A visit has, after its warm-up, 15 timed repetitions. "));
  for (store::Launch& launch : told.data.groups[0].launches) launch.visits.resize(6);
  EXPECT_THAT(told.text(), HasSubstr("each cell was visited in 2 to 4 rounds"));
}

TEST(MethodWords, BatchesAreNoRepetitionsOfTheirOwn) {
  Told told;
  for (store::Group& group : told.data.groups) {
    for (store::Launch& launch : group.launches) {
      for (store::Visit& visit : launch.visits) {
        if (visit.line.cell == 0) visit.line.calls = 12;
      }
    }
  }
  EXPECT_THAT(told.text(),
              HasSubstr("15 timed repetitions, or 15 timed batches of 12 calls (32 visits), which "
                        "are too short for the clock one by one; the time of a batch is divided by "
                        "the number of its calls. "));
}

TEST(MethodWords, OtherSuitesVisitsAreTakenAsTheyWere) {
  Told told;
  told.data = suite_data::data({.schemes = {"batch"}, .calls = 50});
  told.rules.own_visits = false;
  const std::string alone = told.text();
  EXPECT_THAT(alone, HasSubstr("A visit has, after its warm-up, 1 timed batch of 50 calls, as the "
                               "suite does it whose numbers these are"));
  EXPECT_THAT(alone, HasSubstr("synchronised by barrier: "));
  EXPECT_THAT(alone, Not(HasSubstr("round-time")));
  EXPECT_THAT(alone, Not(HasSubstr("too short for the clock")));
  told.rules.own_visits = true;
  const std::string beside = told.text();
  EXPECT_THAT(beside, HasSubstr("A visit has, after its warm-up, 50 timed repetitions. "));
  EXPECT_THAT(beside, HasSubstr(" 6 more visits measured as other suites do it do not enter"));
}

TEST(MethodWords, VisitsAtTheRetryCapAreTold) {
  Told told;
  EXPECT_THAT(told.text(), Not(HasSubstr("limit of repeats")));
  store::Visit& visit = told.data.groups[0].launches[0].visits[0];
  visit.line.retry_cap_reached = true;
  visit.records = visit.records.first(5);
  EXPECT_THAT(told.text(), HasSubstr(", 15 timed repetitions. 1 visit reached the limit of repeats "
                                     "for late repetitions and holds fewer. "));
}

// Where most were too far apart all count, and with them what was made in their place.
TEST(MethodWords, VisitsThatKeepAllTheirStartsHoldNoFewer) {
  Told told;
  const auto plant = [&](std::uint32_t valid, std::uint32_t apart, std::uint32_t late) {
    for (store::Group& group : told.data.groups) {
      for (store::Launch& launch : group.launches) {
        for (store::Visit& visit : launch.visits) {
          visit.line.retry_cap_reached = true;
          visit.line.warm_up = 2;
          visit.line.valid = valid;
          visit.line.lost = visit.line.apart = apart;
          visit.line.records = 2 + valid + apart + late;
          // The records are the test's own.
          for (const record::Timing& timing : visit.records) {
            if (timing.repetition >= 2 && timing.repetition < 2 + apart) {
              const_cast<record::Timing&>(timing).flags |= record::kLost | record::kApart;
            }
          }
        }
      }
    }
    told.starts = StartSkews(told.data);
  };
  plant(5, 10, 0);
  EXPECT_THAT(told.text(), HasSubstr(", 15 timed repetitions. "));
  EXPECT_THAT(told.text(), Not(HasSubstr("limit of repeats")));
  plant(5, 10, 20);
  EXPECT_THAT(told.text(), HasSubstr("96 visits reached the limit of repeats for late repetitions"))
      << "most of what was made was of no use";
}

TEST(MethodWords, UnfinishedCampaignsAreCalledThat) {
  Told told;
  EXPECT_THAT(told.text(), HasSubstr("The number of launch groups was fixed beforehand. "));
  told.data.ended = false;
  told.data.planned_groups = 9;
  EXPECT_THAT(told.text(), HasSubstr("The campaign is not finished: there are 4 complete launch "
                                     "groups of 9. "));
  EXPECT_THAT(told.text(), Not(HasSubstr("was fixed beforehand")));
  told.campaign.launches = {.min = 1, .max = 60};
  EXPECT_THAT(told.text(), HasSubstr("was to follow from the time that groups took"));
  told.campaign.stopping = design::Stopping::kLooks;
  EXPECT_THAT(told.text(), HasSubstr("was to follow from looks"));
  told.data.ended = true;
  EXPECT_THAT(told.text(), HasSubstr("and of visits followed from looks"));
}

TEST(MethodWords, EverythingLeftOutIsListed) {
  Told told;
  told.tally = {.kept = 90, .warm_up = 6, .late = 3, .past_window = 2, .global_invalid = 5};
  told.data.damaged_groups = {7};
  EXPECT_THAT(told.text(),
              HasSubstr("left out were 6 warm-ups, 3 that a rank began late (repeated), 2 beyond "
                        "their window and 5 without a valid global time; nothing"));
  EXPECT_THAT(told.text(), HasSubstr(" 1 launch group with damaged data left out."));
}

TEST(MethodWords, OneLaunchGroupSpeaksOfNoOtherOne) {
  Told told;
  EXPECT_THAT(told.text(), Not(HasSubstr("one launch group only")));
  told.data = planted::data({.groups = 1});
  EXPECT_THAT(told.text(), HasSubstr(" There is one launch group only: intervals speak of it and "
                                     "not of the next one, and there are no verdicts."));
}

TEST(MethodWords, WithoutVerdictsThereIsNoFamilyOfTests) {
  Told told;
  EXPECT_THAT(told.text(), HasSubstr("over 3 comparisons"));
  told.comparison.comparisons = 0;
  told.comparison.no_verdict = "the ranks were not pinned";
  for (const Method method : {Method::kInvar, Method::kLaunchTest}) {
    told.comparison.method = method;
    const std::string text = told.text();
    EXPECT_THAT(text, HasSubstr("the ranks were not pinned."));
    EXPECT_THAT(text, Not(HasSubstr("corrected")));
    EXPECT_THAT(text, Not(HasSubstr("over 0 comparisons")));
    EXPECT_THAT(text, Not(HasSubstr("equivalent")));
  }
}

TEST(MethodWords, AHeadlineThatIsNotTheWholeSaysWhoseTicksMakeIt) {
  Told told;
  EXPECT_THAT(told.text(), Not(HasSubstr("The time of")));
  told.data = planted::handovers({.groups = 2}, {"one way", "whole"});
  EXPECT_THAT(told.text(), HasSubstr(" The time of handover is 'one way': from the start of rank 1 "
                                     "to the end of rank 2, on one clock."));
  told.data = planted::handovers({.groups = 2}, {"posting", "whole"});
  EXPECT_THAT(told.text(), HasSubstr(" The time of handover is 'posting': from the start of rank 1 "
                                     "to the mark 'posted'."));
}

}  // namespace
}  // namespace invar::analysis

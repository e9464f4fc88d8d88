// What one finished campaign contributes to `reproduce`: the numbers that its user takes from it.
#pragma once

#include <string>
#include <vector>

#include "analysis/reproduce/reproduce.hpp"
#include "analysis/study/study.hpp"
#include "analysis/suites/preset_values.hpp"
#include "store/reader.hpp"

namespace invar::analysis {

// What `compare` prints of each of these cells (times of a campaign with one arm, and of cells that
// one arm alone has: what `show` prints), [cell][arm]. Cells are found by their levels, arms are
// those of the data.
RepeatValues own_values(const Study& study, const std::vector<record::Cell>& cells);

// What `preset` reported: of the first launch, and the mean over all launches. A launch is a run of
// the suite.
struct SuiteValues {
  RepeatValues one_run = {};
  RepeatValues same_time = {};
  bool any = false;  // there is a number at all
};
SuiteValues suite_values(const PresetValues& values, const design::Preset& preset,
                         const std::vector<record::Cell>& cells);

// Wall time of all launch groups, failed ones included, in seconds.
double machine_seconds(const store::Data& data);

// A campaign without its records, so that many can be held against each other.
struct CampaignHead {
  store::Data data = {};
  design::Campaign campaign = {};
};

CampaignHead head_of(const Study& study);

// What differs between two campaigns that should be the same one twice: design, cells, engine,
// analysis, arms with their libraries' versions, settings and files, ranks and hosts. Name and
// seed may differ.
std::vector<std::string> campaign_differences(const CampaignHead& first, const CampaignHead& other);

}  // namespace invar::analysis

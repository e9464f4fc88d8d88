#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stats/golden.hpp"

namespace invar::stats {

/// d[group][cell] of tests/golden/aa_groups: a library against itself, the true d is 0.
inline std::vector<std::vector<double>> real_groups(const std::string& library) {
  std::vector<std::vector<double>> groups;
  for (const golden::Row& row : golden::read("aa_groups/" + library + ".csv")) {
    std::vector<double> d;
    for (const auto& [column, text] : row) {
      if (column != "group") {
        d.push_back(std::stod(text));
      }
    }
    groups.push_back(d);
  }
  EXPECT_EQ(groups.size(), 300U);
  EXPECT_EQ(groups[0].size(), 20U);
  return groups;
}

}  // namespace invar::stats

// Files of tests/golden, and the faults that a call reports.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"

namespace invar::test {

inline std::string golden(const std::string& name) {
  const auto text = base::read_file(std::string(INVAR_GOLDEN_DIR) + "/" + name);
  EXPECT_TRUE(text.has_value()) << "tests/golden/" << name << " cannot be read";
  return text.value_or("");
}

// "place:line:column: what; remedy" of every fault, in order; empty if there is none.
template <typename Call>
std::vector<std::string> faults_or_none_of(Call call) {
  try {
    call();
  } catch (const base::UserError& error) {
    EXPECT_EQ(error.status(), base::Exit::kUsage);
    std::vector<std::string> texts;
    for (const base::Fault& fault : error.faults()) texts.push_back(fault.text());
    return texts;
  }
  return {};
}

// The same; fails the test if there is none.
template <typename Call>
std::vector<std::string> faults_of(Call call) {
  std::vector<std::string> texts = faults_or_none_of(call);
  if (texts.empty()) ADD_FAILURE() << "no fault was reported";
  return texts;
}

}  // namespace invar::test

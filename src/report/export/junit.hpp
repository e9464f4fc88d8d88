// Test cases in the XML of JUnit, which continuous integration reads.
#pragma once

#include <span>
#include <string>

#include "analysis/study/outcome.hpp"

namespace invar::report {

// One suite of this name. Every case has its text: as its failure, its error, or why it was
// skipped; as its output where it passed.
std::string junit_xml(const std::string& suite, std::span<const analysis::TestCase> cases);

}  // namespace invar::report

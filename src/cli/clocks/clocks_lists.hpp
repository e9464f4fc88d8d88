// `invar clocks list`: experiments, algorithms with their parameters, simulated networks.
#pragma once

#include <string>

namespace invar::cli {

std::string clock_lists_text();
std::string clock_lists_csv();

}  // namespace invar::cli

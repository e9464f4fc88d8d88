// What is wrong with a campaign that is shown all the same, told beside its answer.
#pragma once

#include <span>
#include <string>

#include "report/anonymise/anonymise.hpp"

namespace invar::cli {

// A line each on standard error. `names`: as they are given away; null: as they are.
void tell_problems(const std::string& campaign, std::span<const std::string> problems,
                   report::Anonymiser* names = nullptr);

}  // namespace invar::cli

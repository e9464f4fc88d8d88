// The cards of a page: what a reader wants to know before the first figure.
#pragma once

#include <string>
#include <vector>

#include "analysis/page/page.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// Libraries, observations, decided cells, worst variation between launches; and what reproduce,
// self-test and clocks say in a number: computed from everything else on the page.
std::vector<PageCard> cards_of(const Page& page);

// The words of every campaign on the page.
MethodText method_of(const Page& page, const std::vector<Study>& campaigns,
                     const std::vector<Metadata>& metadata);

// "openmpi 4.1.4" of "openmpi" and "Open MPI v4.1.4, package: ...": the first number with dots.
// Without one the version as it is.
std::string short_name(const std::string& library, const std::string& version);

}  // namespace invar::analysis

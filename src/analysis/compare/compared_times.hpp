// Which times of their operations a comparison's rows are of, in words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/compare/comparison.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// Some row speaks of something else than whole calls: then every row says what it speaks of.
bool name_times(std::span<const ComparedCell> rows);

// ", time 'one way'" where all rows speak of one time that is not the whole; else empty.
std::string time_scope(std::span<const ComparedCell> rows);

// Rows whose sides are of different times although they were not asked for as such; headlines of
// which a preset, which knows whole calls only, tells nothing.
std::vector<Warning> time_warnings(const Study& study, std::span<const ComparedCell> rows);

}  // namespace invar::analysis

// `self-test` as text, CSV and JSON (docs/formats.md).
#pragma once

#include <string>

#include "analysis/questions/self_test.hpp"
#include "base/json_writer.hpp"

namespace invar::report {

std::string self_test_table(const analysis::SelfTest& result);
// A row for every pairing, size of tables, level and cell; level 0 is without a delay.
std::string self_test_csv(const analysis::SelfTest& result);
std::string self_test_json(const analysis::SelfTest& result);
// The same object as a value of a larger one.
void write_self_test(base::JsonWriter& json, const analysis::SelfTest& result);

}  // namespace invar::report

#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "stats/types.hpp"

// Reads the answers of R that tests/golden/stats.R has written.
namespace invar::stats::golden {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

using Row = std::map<std::string, std::string>;

inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::string part;
  std::istringstream stream(text + separator);
  while (std::getline(stream, part, separator)) {
    parts.push_back(part);
  }
  return parts;
}

/// Rows of tests/golden/<path>, by column name. No quoting: these files contain numbers and words
/// only.
inline std::vector<Row> read(const std::string& path) {
  std::ifstream file(std::string(INVAR_GOLDEN_DIR) + "/" + path);
  std::string line;
  if (!std::getline(file, line)) {
    throw std::runtime_error("cannot read golden file " + path);
  }
  const std::vector<std::string> columns = split(line, ',');
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line, ',');
    if (fields.size() != columns.size()) {
      throw std::runtime_error("a golden file has a line with a wrong number of fields: " + line);
    }
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      row[columns[i]] = fields[i];
    }
    rows.push_back(row);
  }
  return rows;
}

/// Empty field: does not exist.
inline std::optional<double> number(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(std::stod(text));
}

inline std::vector<double> numbers(const std::string& text) {
  std::vector<double> values;
  std::istringstream stream(text);
  for (std::string word; stream >> word;) {
    values.push_back(std::stod(word));
  }
  return values;
}

struct Samples {
  std::vector<double> x;
  std::vector<double> y;
};

/// The samples of stats_samples.csv: kind is "one" or "two".
inline const Samples& samples(const std::string& kind, const std::string& name) {
  static const std::map<std::string, Samples> all = [] {
    std::map<std::string, Samples> result;
    for (const Row& row : read("stats_samples.csv")) {
      result[row.at("kind") + "/" + row.at("case")] = {numbers(row.at("x")), numbers(row.at("y"))};
    }
    return result;
  }();
  return all.at(kind + "/" + name);
}

inline Alternative alternative(const std::string& text) {
  if (text == "less") {
    return Alternative::kLess;
  }
  return text == "greater" ? Alternative::kGreater : Alternative::kTwoSided;
}

/// Equal up to a relative difference (absolute below 1e-300, where p-values end).
inline void expect_close(double actual, double expected, double relative, const std::string& what) {
  if (std::isinf(expected)) {
    EXPECT_EQ(actual, expected) << what;
    return;
  }
  EXPECT_LE(std::abs(actual - expected), relative * std::abs(expected) + 1e-300)
      << what << ": " << actual << " instead of " << expected;
}

inline void expect_close(std::optional<double> actual, std::optional<double> expected,
                         double relative, const std::string& what) {
  ASSERT_EQ(actual.has_value(), expected.has_value()) << what;
  if (expected) {
    expect_close(*actual, *expected, relative, what);
  }
}

}  // namespace invar::stats::golden

// Words of the commands that make a campaign from options and not from a file.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "design/recipes/quick_order.hpp"
#include "record/cell.hpp"

namespace invar::cli {

struct QuickWords {
  std::string operation = {};
  std::string size = {};
  bool adaptive_sizes = false;  // `size` may ask for sizes that are chosen under way
  std::string ranks = {};       // empty: one a core
  std::string sync = {};
  bool sync_written = false;   // else it is the command's usual one
  bool oversubscribe = false;  // more ranks than cores, by what they need
  std::string dither = std::to_string(record::Cell().dither_ns) + "ns";
  std::string budget = {};
  std::string seed = {};  // empty: drawn from the time
  std::string regime = {};
  std::string alpha = {};              // empty: the usual one
  std::string min_effect = {};         // the same
  std::string arrival = {};            // empty: of nobody on purpose
  std::vector<std::string> with = {};  // "cache=warm,cold-flush"
};

// All but the arms. Faults are added, each with its option.
design::QuickOrder parse_quick_words(const QuickWords& words, base::Faults& faults);

// The flag, with a field of its own and what it stands for in its help.
void add_oversubscribe_option(CLI::App& command, QuickWords& words);

// None if one of them is faulty, which is added with its `place`.
std::optional<std::vector<design::Arm>> parse_arms(const std::vector<std::string>& texts,
                                                   const std::string& place, base::Faults& faults);

}  // namespace invar::cli

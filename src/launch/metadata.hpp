// What a campaign was measured on, put together from its manifest and its launches' env.json, and
// what differs between two of them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "store/reader.hpp"

namespace invar::launch {

// Every fact by name, "kernel.release" or "arm openmpi: version", with the different values that it
// had over the launches. With several hosts the name begins with "host 2: ".
struct Metadata {
  std::map<std::string, std::set<std::string>> facts = {};
  std::size_t launches = 0;
  // Launches whose env.json is missing or cannot be read.
  std::vector<std::string> unreadable = {};
};

Metadata read_metadata(const store::Data& data);

// Adds the facts of one env.json. False if it cannot be read.
bool add_environment(std::string_view env_json, const std::string& arm, Metadata& metadata);

// 0: what changes results most (the library itself, the processor, its frequency), up to 4: what is
// only worth knowing. -1: what changes from launch to launch by nature (load, uptime, counters).
int importance(const std::string& fact);

struct MetadataDifference {
  std::string fact = {};
  std::string first = {};  // values, joined by "; "; empty: absent
  std::string second = {};
  int importance = 0;
};

// Facts whose values differ, the important ones first.
std::vector<MetadataDifference> compare_metadata(const Metadata& first, const Metadata& second);

// The values of a fact on one line, shortened: "performance", "3.1 to 4.2 (12 values)".
std::string values_text(const std::set<std::string>& values);

}  // namespace invar::launch

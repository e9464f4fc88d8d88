#include "store/reproduction.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/json_whole.hpp"
#include "base/json_writer.hpp"
#include "store/files.hpp"
#include "store/json_text.hpp"
#include "store/manifest/manifest.hpp"
#include "store/manifest/manifest_text.hpp"

namespace invar::store {
namespace {

void write_names(base::JsonWriter& json, const char* key, const std::vector<std::string>& names) {
  json.key(key).begin_array();
  for (const std::string& name : names) json.value(name);
  json.end_array();
}

// A name becomes that of a directory.
bool is_plain(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
}

}  // namespace

bool holds_repeats(const std::filesystem::path& dir) {
  std::error_code error;
  return std::filesystem::exists(dir / kReproduction, error) &&
         !std::filesystem::exists(dir / kManifest, error) &&
         !std::filesystem::exists(dir / kManifestCopy, error);
}

std::string reproduction_json(const Reproduction& reproduction) {
  base::JsonWriter json;
  json.begin_object()
      .field("schema", kSchema)
      .field("created", utc_time_text())
      .field("times", reproduction.repeats.size())
      .field("budget_s", reproduction.budget_s);
  // Directories of earlier versions have none.
  if (reproduction.campaign_crc) json.field("campaign_crc", *reproduction.campaign_crc);
  json.field("seed", reproduction.seed);
  write_names(json, "methods", reproduction.methods);
  write_names(json, "computed", reproduction.computed);
  json.key("repeats").begin_array();
  for (const Reproduction::Repeat& repeat : reproduction.repeats) {
    json.begin_object().field("seed", repeat.seed);
    write_names(json, "order", repeat.order);
    json.end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

Reproduction read_reproduction(std::string_view text, const std::string& place) {
  const auto refuse = [&](const std::string& what) {
    throw base::UserError(place, what, "it is written by 'invar reproduce' and not to be edited");
  };
  Reproduction read;
  try {
    const nlohmann::json json = parse_json(text);
    if (base::whole<int>(json.at("schema")) != kSchema)
      refuse("another schema than this version knows");
    read.budget_s = json.at("budget_s").get<double>();
    if (json.contains("campaign_crc")) {
      read.campaign_crc = base::whole<std::uint32_t>(json.at("campaign_crc"));
    }
    read.seed = base::whole<std::uint64_t>(json.at("seed"));
    read.methods = json.at("methods").get<std::vector<std::string>>();
    read.computed = json.at("computed").get<std::vector<std::string>>();
    for (const nlohmann::json& repeat : json.at("repeats")) {
      read.repeats.push_back({.seed = base::whole<std::uint64_t>(repeat.at("seed")),
                              .order = repeat.at("order").get<std::vector<std::string>>()});
    }
    if (base::whole<std::size_t>(json.at("times")) != read.repeats.size()) refuse("lacks repeats");
  } catch (const nlohmann::json::exception& error) {
    refuse("cannot be read: " + without_code(error.what()));
  }
  const bool plain = std::ranges::all_of(read.methods, is_plain);
  if (!plain || read.methods.empty() || read.methods.front() != "invar" ||
      read.repeats.size() < 2 || !(read.budget_s > 0)) {
    refuse("makes no sense");
  }
  for (const Reproduction::Repeat& repeat : read.repeats) {
    if (!std::is_permutation(repeat.order.begin(), repeat.order.end(), read.methods.begin(),
                             read.methods.end())) {
      refuse("has a repeat with other methods");
    }
  }
  return read;
}

std::filesystem::path repeat_dir(const std::filesystem::path& dir, std::size_t repeat,
                                 const std::string& method) {
  const std::string number = std::to_string(repeat);
  return dir / (number.size() < 2 ? "0" + number : number) / method;
}

}  // namespace invar::store

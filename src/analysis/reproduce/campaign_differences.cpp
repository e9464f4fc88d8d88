// campaign_differences: are two campaigns the same one, made twice?
#include <algorithm>
#include <filesystem>
#include <map>

#include "analysis/reproduce/reproduce_values.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "design/campaign/campaign.hpp"
#include "record/launch_spec.hpp"

namespace invar::analysis {
namespace {

// "[design] rounds" -> "6": every key of a campaign as it is stored, but for those that tell one
// repeat from another. Arms are compared by what really ran.
std::map<std::string, std::string> keys_of(design::Campaign campaign) {
  campaign.name = "-";
  campaign.seed = 0;
  campaign.arms.clear();
  // The first repeat chooses it, the others have it from there.
  campaign.analysis.regime.reset();
  std::map<std::string, std::string> keys;
  std::map<std::string, int> tables;
  std::string table;
  const std::string toml = design::campaign_toml(campaign);
  for (const std::string_view line : base::split(toml, '\n')) {
    if (line.starts_with("[")) {
      table = line;
      const int number = ++tables[table];
      if (line.starts_with("[[")) table += " " + std::to_string(number);
      continue;
    }
    const std::size_t equals = line.find(" = ");
    if (equals == std::string_view::npos) continue;
    const std::string key =
        (table.empty() ? "" : table + " ") + std::string(line.substr(0, equals));
    keys[key] = line.substr(equals + 3);
  }
  return keys;
}

void add_keys(const design::Campaign& first, const design::Campaign& other,
              std::vector<std::string>& differences) {
  const std::map<std::string, std::string> a = keys_of(first);
  const std::map<std::string, std::string> b = keys_of(other);
  for (const auto& [key, value] : a) {
    const auto same = b.find(key);
    if (same == b.end()) {
      differences.push_back(key + " is " + value + " against nothing");
    } else if (same->second != value) {
      differences.push_back(key + " is " + value + " against " + same->second);
    }
  }
  for (const auto& [key, value] : b) {
    if (!a.contains(key)) differences.push_back(key + " is nothing against " + value);
  }
}

// Random sizes are drawn from the seed: the same request may give other cells.
void add_cells(const store::Data& first, const store::Data& other,
               std::vector<std::string>& differences) {
  constexpr std::size_t kNamed = 5;
  const auto lacks = [](const store::Data& has, const store::Data& looked) {
    const record::CellTexts text(has.cells);
    std::vector<std::string> names;
    for (const record::Cell& cell : has.cells) {
      if (!record::counterpart(cell, has.cells, looked.cells)) names.push_back(text(cell));
    }
    return names;
  };
  const std::vector<std::string> missing = lacks(first, other);
  const std::vector<std::string> added = lacks(other, first);
  if (!missing.empty()) {
    differences.push_back("it lacks " + base::first_items(missing, kNamed, "; ", "cell"));
  }
  if (!added.empty()) {
    differences.push_back("only it has " + base::first_items(added, kNamed, "; ", "cell"));
  }
}

std::string settings_text(const store::ArmRecord& arm) {
  std::vector<std::string> texts;
  texts.reserve(arm.settings.size());
  for (const auto& [name, value] : arm.settings) texts.push_back(name + "=" + value);
  return texts.empty() ? "none" : base::join(texts, ", ");
}

// "/home/me/.invar/profiles/mpich/invar-engine"; whoever has another home has it elsewhere.
bool is_engine(const std::string& file) {
  return std::filesystem::path(file).filename() == record::kEngineName;
}

// Files of `arm` that `other` can be asked about: earlier versions have not kept their engines.
std::map<std::string, std::string> files_of(const store::ArmRecord& arm,
                                            const store::ArmRecord& other) {
  const bool kept =
      std::ranges::any_of(other.checksums, [](const auto& file) { return is_engine(file.first); });
  std::map<std::string, std::string> files;
  for (const auto& [file, checksum] : arm.checksums) {
    if (!is_engine(file)) {
      files.emplace(file, checksum);
    } else if (kept) {
      files.emplace("the engine", checksum);
    }
  }
  return files;
}

void add_arm(const store::ArmRecord& a, const store::ArmRecord& b,
             std::vector<std::string>& differences) {
  const auto compare = [&](const char* what, const std::string& x, const std::string& y) {
    if (x == y) return;
    differences.push_back("arm '" + a.label + "': " + what + " " + (x.empty() ? "none" : x) +
                          " against " + (y.empty() ? "none" : y));
  };
  compare("library", a.library, b.library);
  compare("version", a.library_version, b.library_version);
  compare("settings", settings_text(a), settings_text(b));
  compare("program", a.program, b.program);
  compare("parse", a.program_parse, b.program_parse);
  const std::map<std::string, std::string> files_a = files_of(a, b);
  const std::map<std::string, std::string> files_b = files_of(b, a);
  for (const auto& [file, checksum] : files_a) {
    const auto same = files_b.find(file);
    compare(file.c_str(), checksum, same == files_b.end() ? "" : same->second);
  }
  for (const auto& [file, checksum] : files_b) {
    if (!files_a.contains(file)) compare(file.c_str(), "", checksum);
  }
}

void add_arms(const store::Data& first, const store::Data& other,
              std::vector<std::string>& differences) {
  const auto labels = [](const store::Data& data) {
    std::vector<std::string> all;
    for (const store::ArmRecord& arm : data.arms) all.push_back(arm.label);
    return all;
  };
  const std::vector<std::string> a = labels(first);
  const std::vector<std::string> b = labels(other);
  if (a != b) {
    differences.push_back("the arms are " + list_text(a) + " against " + list_text(b));
    return;
  }
  for (std::size_t i = 0; i < first.arms.size(); ++i) {
    add_arm(first.arms[i], other.arms[i], differences);
  }
}

}  // namespace

CampaignHead head_of(const Study& study) {
  CampaignHead head{.data = study.all(), .campaign = study.campaign()};
  head.data.groups.clear();
  head.data.mapped.reset();
  return head;
}

std::vector<std::string> campaign_differences(const CampaignHead& first,
                                              const CampaignHead& other) {
  std::vector<std::string> differences;
  add_keys(first.campaign, other.campaign, differences);
  if (differences.empty()) add_cells(first.data, other.data, differences);
  add_arms(first.data, other.data, differences);
  if (first.data.scope != other.data.scope) {
    differences.push_back("it ran on " + first.data.scope + " against " + other.data.scope);
  }
  return differences;
}

}  // namespace invar::analysis

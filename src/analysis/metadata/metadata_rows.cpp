#include "analysis/metadata/metadata_rows.hpp"

#include <algorithm>
#include <map>

#include "analysis/metadata/metadata_compare.hpp"
#include "analysis/words/words.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// The values of one fact in all campaigns; null: not recorded there.
using Columns = std::vector<const Values*>;

struct Entry {
  std::string group = {};
  int group_rank = 0;
  std::string key = {};
  Weight weight = Weight::kRest;
  Columns columns = {};
};

int rank_of(Weight weight) {
  // What changes from launch to launch by nature says least.
  return weight == Weight::kNature ? 100 : 10 + static_cast<int>(weight);
}

Values text_values(std::string text) {
  Values values;
  values.numeric = false;
  values.texts.insert(std::move(text));
  return values;
}

// Facts of one arm in every form that they have.
Facts all_facts(const ArmFacts& arm) {
  Facts facts = arm.facts;
  facts["arms"] = text_values(list_text(arm.labels));
  for (const auto& [name, checksums] : arm.files) {
    for (const std::string& checksum : checksums) facts["file " + name].texts.insert(checksum);
    facts["file " + name].numeric = false;
  }
  for (const auto& [name, values] : arm.variables) facts["variable " + name] = values;
  return facts;
}

Weight weight_of_arm_row(const std::string& key, const Values& values) {
  if (key == "arms") return Weight::kRest;
  if (key.starts_with("file ")) return Weight::kLibrary;
  constexpr std::string_view kVariable = "variable ";
  if (key.starts_with(kVariable)) {
    return weight_of_variable(std::string_view(key).substr(kVariable.size()), values.text());
  }
  return weight_of_arm_fact(key, values);
}

class Collector {
 public:
  explicit Collector(std::size_t campaigns) : campaigns_(campaigns) {}

  // Values must outlive this.
  void add(const std::string& group, int group_rank, const std::string& key, Weight weight,
           std::size_t campaign, const Values& values) {
    const auto [place, fresh] = places_.try_emplace({group, key}, entries_.size());
    if (fresh) {
      entries_.push_back({.group = group,
                          .group_rank = group_rank,
                          .key = key,
                          .weight = weight,
                          .columns = Columns(campaigns_, nullptr)});
    }
    entries_[place->second].columns[campaign] = &values;
  }

  [[nodiscard]] std::vector<MetadataRow> rows() {
    std::vector<MetadataRow> rows;
    std::vector<int> ranks;
    std::vector<std::size_t> order;
    for (const Entry& entry : entries_) {
      MetadataRow row{.group = entry.group, .key = entry.key};
      for (const Values* values : entry.columns) {
        row.values.push_back(values != nullptr ? std::optional(values->text()) : std::nullopt);
      }
      row.matters = entry.weight != Weight::kRest && entry.weight != Weight::kNature;
      row.differs = differs(entry);
      order.push_back(rows.size());
      ranks.push_back(entry.group_rank);
      rows.push_back(std::move(row));
    }
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      const auto rank = [&](std::size_t i) {
        return std::tuple(ranks[i], std::string_view(rows[i].group), !rows[i].differs,
                          !rows[i].matters);
      };
      return rank(a) < rank(b);
    });
    std::vector<MetadataRow> sorted;
    sorted.reserve(rows.size());
    for (const std::size_t i : order) sorted.push_back(std::move(rows[i]));
    return sorted;
  }

 private:
  [[nodiscard]] static bool differs(const Entry& entry) {
    // What changes from launch to launch differs anyway.
    if (entry.weight == Weight::kNature) return false;
    static const Values none;
    const auto at = [&](std::size_t i) -> const Values& {
      return entry.columns[i] != nullptr ? *entry.columns[i] : none;
    };
    for (std::size_t i = 1; i < entry.columns.size(); ++i) {
      if (facts_differ(entry.key, at(0), at(i))) return true;
    }
    return false;
  }

  std::size_t campaigns_;
  std::vector<Entry> entries_ = {};
  std::map<std::pair<std::string, std::string>, std::size_t> places_ = {};
};

}  // namespace

std::vector<MetadataRow> metadata_rows(std::span<const Metadata> campaigns) {
  Collector collector(campaigns.size());
  std::vector<std::vector<Facts>> arms(campaigns.size());
  std::vector<std::vector<Values>> own(campaigns.size());
  for (std::size_t i = 0; i < campaigns.size(); ++i) {
    const Metadata& metadata = campaigns[i];
    // Nothing may move once the collector points at it.
    arms[i].reserve(metadata.arms.size());
    own[i].reserve(5);
    for (const ArmFacts& arm : metadata.arms) {
      arms[i].push_back(all_facts(arm));
      for (const auto& [key, values] : arms[i].back()) {
        collector.add("library " + arm.name(), 0, key, weight_of_arm_row(key, values), i, values);
      }
    }
    const auto add_own = [&](const char* key, Weight weight, std::string text) {
      own[i].push_back(text_values(std::move(text)));
      collector.add(group_of(weight), rank_of(weight), key, weight, i, own[i].back());
    };
    add_own("scope", Weight::kPlaces, metadata.scope);
    if (!metadata.sessions.empty()) {
      add_own("sessions", Weight::kNature, base::join(metadata.sessions, ", "));
    }
    if (!metadata.hosts.empty()) {
      add_own("hosts", Weight::kRest,
              base::join(std::vector(metadata.hosts.begin(), metadata.hosts.end()), ", "));
    }
    if (!metadata.host_differences.empty()) {
      add_own("hosts not alike", Weight::kProcessor,
              base::join(
                  std::vector(metadata.host_differences.begin(), metadata.host_differences.end()),
                  "; "));
    }
    for (const auto& [key, values] : metadata.facts) {
      const Weight weight = weight_of(key);
      collector.add(group_of(weight), rank_of(weight), key, weight, i, values);
    }
    if (metadata.canary) {
      const bool chain = metadata.canary->kind == base::CanaryKind::kChain;
      add_own(chain ? "chain, median [5 %, 95 %]" : "canary, median [5 %, 95 %]", Weight::kState,
              metadata.canary->text());
    }
  }
  std::vector<MetadataRow> rows = collector.rows();
  // Two canaries are never the same to the last digit.
  for (MetadataRow& row : rows) {
    if (!row.key.starts_with("canary,") && !row.key.starts_with("chain,")) continue;
    row.differs = std::ranges::any_of(campaigns, [&](const Metadata& other) {
      return canaries_differ(campaigns.front(), other);
    });
  }
  return rows;
}

}  // namespace invar::analysis

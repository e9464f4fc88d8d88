// [design]: how many launches, rounds and repetitions, and in which order.
#include <algorithm>

#include "base/text.hpp"
#include "design/campaign/campaign_tables.hpp"

namespace invar::design {
namespace {

// Bounds that no sensible campaign meets: what is beyond them is a typing mistake.
constexpr Bounds kLaunchBounds{1, 100'000};
constexpr Bounds kRoundBounds{1, 1'000'000};
constexpr Bounds kRepetitionBounds{1, 100'000'000};

// A number, or { min = .., max = .. }.
void read_launches(TomlTable& design, Launches& launches) {
  const toml::node* node = design.find("launches");
  if (node == nullptr) return;
  const auto* range = node->as_table();
  if (range == nullptr) {
    if (node->is_array()) {
      design.document().fault(*node, design.named("launches") + " is a list",
                              "write a number, or { min = 3, max = 60 }");
    } else if (design.number("launches", launches.min, kLaunchBounds)) {
      launches.max = launches.min;
    }
    return;
  }
  TomlTable table(design.document(), *range, "'launches'", {"min", "max"});
  const bool has_min = table.number("min", launches.min, kLaunchBounds);
  const bool has_max = table.number("max", launches.max, kLaunchBounds);
  if (has_min && has_max && launches.min > launches.max) {
    design.document().fault(*node,
                            "launches has min = " + std::to_string(launches.min) +
                                " above max = " + std::to_string(launches.max),
                            "swap them");
  } else if (launches.min > launches.max) {
    // Only one was written: the other one's default follows it.
    (has_min ? launches.max : launches.min) = has_min ? launches.min : launches.max;
  }
}

// A number, or { predict = .., range = .. }. After `rounds`.
void read_repetitions(TomlTable& design, Campaign& campaign) {
  const toml::node* node = design.find("repetitions");
  if (node == nullptr) return;
  TomlDocument& document = design.document();
  const auto* written = node->as_table();
  if (written == nullptr) {
    if (node->is_array()) {
      document.fault(*node, design.named("repetitions") + " is a list",
                     "write a number, or { predict = \"rse,cov-mean\" }");
    } else {
      design.number("repetitions", campaign.repetitions, kRepetitionBounds);
    }
    return;
  }
  const TomlTable table(document, *written, "'repetitions'", rule_keys());
  RepetitionRule rule;
  bool all_read = true;
  for (const std::string& key : rule_keys()) {
    const toml::node* item = table.find(key);
    if (item == nullptr) continue;
    const auto* text = item->as_string();
    const std::string said = text != nullptr ? text->get() : document.written(*item);
    for (RuleComplaint& complaint : read_rule_key(key, said, rule)) {
      all_read = false;
      document.fault(*item, key + ": " + complaint.what, std::move(complaint.remedy));
    }
  }
  // What is wrong was said, and what else is wrong with such a campaign can be.
  predict_repetitions(campaign, rule);
  campaign.prediction_at = TomlDocument::position(*node);
  if (!all_read) return;
  for (RuleComplaint& complaint : rule_conflicts(rule)) {
    const toml::node* item = table.find(complaint.key);
    document.fault(item == nullptr ? *node : *item, complaint.key + ": " + complaint.what,
                   std::move(complaint.remedy));
  }
}

// Factors of cells: "delay", or a list of them.
void read_together(TomlTable& table, Campaign& campaign) {
  const toml::node* node = table.find("together");
  if (node == nullptr) return;
  const auto read = [&](const toml::node& item) {
    const auto* key = item.as_string();
    if (key == nullptr || record::find_cell_factor(key->get()) == nullptr) {
      table.document().fault(
          item, table.document().written(item) + " in 'together' is not a factor of cells",
          (key == nullptr ? "" : base::did_you_mean(key->get(), record::cell_factor_words())));
    } else if (std::ranges::find(campaign.together, key->get()) != campaign.together.end()) {
      table.document().fault(item, "'" + key->get() + "' stands twice in 'together'",
                             "write it once");
    } else {
      campaign.together.push_back(key->get());
    }
  };
  const auto* list = node->as_array();
  if (list == nullptr) {
    read(*node);
  } else {
    if (list->empty()) {
      table.document().fault(*node, "'together' is empty", "write a factor, or leave it out");
    }
    for (const toml::node& item : *list) read(item);
  }
  if (!campaign.shuffled) {
    table.document().fault(*node,
                           "'together' says how cells are shuffled, and the order is as written",
                           "leave one of the two out");
  }
}

}  // namespace

void predict_repetitions(Campaign& campaign, const RepetitionRule& rule) {
  campaign.prediction = rule;
  campaign.repetitions = share_of_a_visit(rule.max, campaign.rounds);
}

void read_design(TomlTable& table, Campaign& campaign) {
  std::string word = "fixed";
  table.word("stopping", word, {"fixed", "looks"});
  if (word == "looks") {
    campaign.stopping = Stopping::kLooks;
    campaign.launches = kLookLaunches;
  }
  read_launches(table, campaign.launches);
  if (campaign.stopping == Stopping::kLooks &&
      (campaign.launches.min != kLookLaunches.min || campaign.launches.max > kLookLaunches.max)) {
    table.document().fault(*table.find("launches"),
                           "stopping = \"looks\" looks after 3, 5, 8, 12, 20 and 30 launches",
                           "leave 'launches' out, or write { max = 12 } for fewer looks");
  }
  double budget_s = 0;
  if (table.duration("budget", budget_s)) {
    if (budget_s > 0) {
      campaign.budget_s = budget_s;
    } else {
      table.document().fault(*table.find("budget"), "the budget is 0",
                             "write a time, as in \"150s\", or leave it out for all launches");
    }
  }
  table.number("rounds", campaign.rounds, kRoundBounds);
  read_repetitions(table, campaign);
  word = "shuffled";
  table.word("order", word, {"shuffled", "as-written"});
  campaign.shuffled = word == "shuffled";
  read_together(table, campaign);
}

}  // namespace invar::design

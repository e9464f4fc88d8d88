// [[race]] and [[entry]]: what is raced in which cell, and what came of it.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/campaign/campaign_keys.hpp"
#include "design/campaign/campaign_tables.hpp"
#include "tuning/candidate.hpp"
#include "tuning/decision_table.hpp"

namespace invar::design {
namespace {

// Sizes as plans have them: whole bytes.
constexpr Bounds kWholeBytes{0, std::uint64_t{1} << 62U};
constexpr Bounds kSomeRanks{1, 10'000'000};

// Nothing, and a fault, for what is not a candidate.
std::optional<tuning::Candidate> read_candidate(TomlTable& table, std::string_view key,
                                                std::string& text) {
  if (!table.text(key, text)) return std::nullopt;
  const base::Parsed<tuning::Candidate> candidate = tuning::parse_candidate(text);
  if (!candidate.value) {
    table.document().fault(*table.find(key), table.named(key) + ": " + candidate.error,
                           "write \"default\", \"algorithm:binomial\", ...");
    text.clear();
  }
  return candidate.value;
}

// Calls read(TomlTable) with every table of a list of them.
template <typename Read>
void with_entries(TomlTable& table, std::string_view key, const TableKeys& keys,
                  const std::string& form, Read read) {
  const toml::node* node = table.find(key);
  if (node == nullptr) return;
  const auto* list = node->as_array();
  if (list == nullptr) {
    table.document().fault(*node, table.named(key) + " is not a list", "write " + form);
    return;
  }
  for (const toml::node& item : *list) {
    const auto* entry = item.as_table();
    if (entry == nullptr) {
      table.document().fault(item, table.named(key) + " has " + table.document().written(item),
                             "write " + form);
      continue;
    }
    TomlTable one(table.document(), *entry, keys.table, keys.keys);
    read(one, item);
  }
}

void read_candidates(TomlTable& table, RaceBlock& block) {
  const std::string form = "candidates = [{ is = \"default\", arm = \"openmpi\" }, ...]";
  std::set<std::string> seen;
  with_entries(
      table, "candidates", kRaceCandidateKeys, form, [&](TomlTable& one, const toml::node& item) {
        RaceCandidate& candidate = block.candidates.emplace_back();
        if (one.require("is", "write " + form)) {
          const auto parsed = read_candidate(one, "is", candidate.is);
          const bool first = block.candidates.size() == 1;
          if (parsed && (parsed->kind == tuning::CandidateKind::kAsGiven) != first) {
            one.document().fault(item,
                                 first ? "the first candidate is not \"default\", the arm as given"
                                       : "\"default\" is not the first candidate",
                                 "write it first, because all others are compared with it");
          } else if (parsed && !seen.insert(candidate.is).second) {
            one.document().fault(item, "candidate '" + candidate.is + "' stands twice",
                                 "write it once");
          }
        }
        if (one.require("arm", "write the label of the arm whose launches run it")) {
          one.text("arm", candidate.arm);
        }
      });
  if (block.candidates.size() < 2) {
    table.document().fault(block.at, "a race has two candidates at least", "write " + form);
  }
}

}  // namespace

void read_race(TomlTable& table, RaceBlock& block) {
  if (table.require("operation", "write operation = \"bcast\"")) {
    table.text("operation", block.operation);
  }
  std::uint64_t size_bytes = 0;
  if (table.number("size", size_bytes, kWholeBytes)) block.size_bytes = size_bytes;
  if (table.require("ranks", "write ranks = 4")) table.number("ranks", block.ranks, kSomeRanks);
  if (table.require("family", "write the name of a [[family]]")) table.text("family", block.family);
  if (table.require("candidates", "write candidates = [{ is = \"default\", arm = \"openmpi\" }]")) {
    read_candidates(table, block);
  }
  const std::string left_form = "not-raced = [{ is = \"algorithm:chain\", why = \"...\" }]";
  with_entries(table, "not-raced", kLeftCandidateKeys, left_form,
               [&](TomlTable& one, const toml::node& /*item*/) {
                 LeftCandidate& left = block.not_raced.emplace_back();
                 if (one.require("is", "write " + left_form)) read_candidate(one, "is", left.is);
                 if (one.require("why", "write " + left_form)) one.text("why", left.why);
               });
}

void check_races(TomlDocument& document, const Campaign& campaign) {
  std::vector<std::string> families;
  for (const FamilyBlock& family : campaign.families) families.push_back(family.name);
  std::vector<std::string> labels;
  for (const Arm& arm : campaign.arms)
    labels.push_back(arm.label.empty() ? arm.library : arm.label);
  const auto known = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::set<std::string> seen;
  for (const RaceBlock& race : campaign.races) {
    if (!race.family.empty() && !known(families, race.family)) {
      document.fault(race.at, "there is no family '" + race.family + "'",
                     base::did_you_mean(race.family, families));
    } else if (!race.family.empty() && !seen.insert(race.family).second) {
      document.fault(race.at, "two races have the family '" + race.family + "'",
                     "give each its own");
    }
    // Whose files are written, and what a confirmation compares with, is the campaign's first arm.
    if (!labels.empty() && !race.candidates.empty() &&
        race.candidates.front().is == tuning::kAsGivenText &&
        known(labels, race.candidates.front().arm) &&
        race.candidates.front().arm != labels.front()) {
      document.fault(race.at,
                     "\"default\" runs in '" + race.candidates.front().arm +
                         "', and the arm as given is the campaign's first one, '" + labels.front() +
                         "'",
                     "write that arm first");
    }
    for (const RaceCandidate& candidate : race.candidates) {
      // Without [[arm]] every library of the machine is one.
      if (labels.empty() || candidate.arm.empty() || known(labels, candidate.arm)) continue;
      document.fault(race.at, "there is no arm '" + candidate.arm + "'",
                     base::did_you_mean(candidate.arm, labels));
    }
  }
}

void read_entry(TomlTable& table, EntryBlock& block) {
  if (table.require("operation", "write operation = \"bcast\"")) {
    table.text("operation", block.entry.operation);
  }
  if (table.require("ranks", "write ranks = 4")) {
    table.number("ranks", block.entry.ranks, kSomeRanks);
  }
  if (table.require("from", "write from = 8: bytes of a block")) {
    table.number("from", block.entry.from_bytes, kWholeBytes);
  }
  if (table.require("to", "write to = 1024: bytes of a block, included")) {
    table.number("to", block.entry.to_bytes, kWholeBytes);
  }
  std::string text;
  if (table.require("candidate", "write candidate = \"algorithm:binomial\"")) {
    if (const auto read = read_candidate(table, "candidate", text)) block.entry.candidate = *read;
  }
}

void check_entries(TomlDocument& document, const Campaign& campaign) {
  if (campaign.entries.empty() || document.any_fault()) return;
  std::vector<tuning::Entry> entries;
  entries.reserve(campaign.entries.size());
  for (const EntryBlock& block : campaign.entries) entries.push_back(block.entry);
  try {
    static_cast<void>(tuning::DecisionTable(std::move(entries)));
  } catch (const base::UserError& error) {
    for (const base::Fault& fault : error.faults()) {
      document.fault(campaign.entries.front().at, fault.what, fault.remedy);
    }
  }
}

}  // namespace invar::design

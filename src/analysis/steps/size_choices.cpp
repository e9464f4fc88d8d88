#include "analysis/steps/size_choices.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/json_whole.hpp"
#include "base/json_writer.hpp"
#include "store/json_text.hpp"

namespace invar::analysis {
namespace {

using ChoiceJson = nlohmann::json;

// In the order of SizePhase.
constexpr std::array<std::string_view, 4> kPhases{"choose", "evidence", "judge", "given"};

std::optional<double> number_or_none(const ChoiceJson& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

SizeCandidate candidate_of(const ChoiceJson& json) {
  return {.cell = base::whole<std::uint32_t>(json.at("curve")),
          .arm = json.at("arm").get<std::string>(),
          .low_bytes = base::whole<std::uint64_t>(json.at("low")),
          .middle_bytes = base::whole<std::uint64_t>(json.at("middle")),
          .high_bytes = base::whole<std::uint64_t>(json.at("high")),
          .groups = base::whole<std::uint64_t>(json.at("groups")),
          .deviation = json.at("deviation").get<double>(),
          .p = number_or_none(json.at("p")),
          .p_adjusted = number_or_none(json.at("p_adjusted")),
          .beyond = json.at("beyond").get<bool>()};
}

ChosenJump jump_of(const ChoiceJson& json) {
  return {.cell = base::whole<std::uint32_t>(json.at("curve")),
          .arm = json.at("arm").get<std::string>(),
          .low_bytes = base::whole<std::uint64_t>(json.at("low")),
          .high_bytes = base::whole<std::uint64_t>(json.at("high"))};
}

ChosenBend bend_of(const ChoiceJson& json) {
  return {.cell = base::whole<std::uint32_t>(json.at("curve")),
          .arm = json.at("arm").get<std::string>(),
          .low_bytes = base::whole<std::uint64_t>(json.at("low")),
          .middle_bytes = base::whole<std::uint64_t>(json.at("middle")),
          .high_bytes = base::whole<std::uint64_t>(json.at("high"))};
}

EvidenceCells evidence_of(const ChoiceJson& json) {
  return {.cell = base::whole<std::uint32_t>(json.at("curve")),
          .low_bytes = base::whole<std::uint64_t>(json.at("low")),
          .high_bytes = base::whole<std::uint64_t>(json.at("high")),
          .low_cell = base::whole<std::uint32_t>(json.at("low_cell")),
          .high_cell = base::whole<std::uint32_t>(json.at("high_cell"))};
}

ChosenPlace place_of(const ChoiceJson& json) {
  return {.cell = base::whole<std::uint32_t>(json.at("curve")),
          .tolerance = json.at("tolerance").get<double>()};
}

template <typename T>
std::vector<T> parsed_list(const ChoiceJson& json, const char* key, T (*of)(const ChoiceJson&)) {
  std::vector<T> all;
  for (const ChoiceJson& one : json.at(key)) all.push_back(of(one));
  return all;
}

SizeChoice choice_of(const ChoiceJson& json) {
  const auto word = json.at("phase").get<std::string>();
  const auto* phase = std::ranges::find(kPhases, word);
  if (phase == kPhases.end()) {
    throw ChoiceJson::type_error::create(302, "unknown phase '" + word + "'", &json);
  }
  return {.round = base::whole<std::uint32_t>(json.at("round")),
          .phase = static_cast<SizePhase>(phase - kPhases.begin()),
          .groups = json.contains("groups") ? base::whole<std::size_t>(json.at("groups")) : 0,
          .places = parsed_list(json, "places", place_of),
          .candidates = parsed_list(json, "candidates", candidate_of),
          .jumps = parsed_list(json, "jumps", jump_of),
          .bends = parsed_list(json, "bends", bend_of),
          .evidence = parsed_list(json, "evidence", evidence_of)};
}

void write(base::JsonWriter& json, const SizeCandidate& candidate) {
  json.field("curve", candidate.cell)
      .field("arm", candidate.arm)
      .field("low", candidate.low_bytes)
      .field("middle", candidate.middle_bytes)
      .field("high", candidate.high_bytes)
      .field("groups", candidate.groups)
      .field("deviation", candidate.deviation)
      .field("p", candidate.p)
      .field("p_adjusted", candidate.p_adjusted)
      .field("beyond", candidate.beyond);
}

void write(base::JsonWriter& json, const ChosenJump& jump) {
  json.field("curve", jump.cell)
      .field("arm", jump.arm)
      .field("low", jump.low_bytes)
      .field("high", jump.high_bytes);
}

void write(base::JsonWriter& json, const ChosenBend& bend) {
  json.field("curve", bend.cell)
      .field("arm", bend.arm)
      .field("low", bend.low_bytes)
      .field("middle", bend.middle_bytes)
      .field("high", bend.high_bytes);
}

void write(base::JsonWriter& json, const EvidenceCells& cells) {
  json.field("curve", cells.cell)
      .field("low", cells.low_bytes)
      .field("high", cells.high_bytes)
      .field("low_cell", cells.low_cell)
      .field("high_cell", cells.high_cell);
}

void write(base::JsonWriter& json, const ChosenPlace& place) {
  json.field("curve", place.cell).field("tolerance", place.tolerance);
}

template <typename T>
void write_list(base::JsonWriter& json, std::string_view key, const std::vector<T>& all) {
  json.key(key).begin_array();
  for (const T& one : all) {
    json.begin_object();
    write(json, one);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string size_choice_text(const SizeChoice& choice) {
  base::JsonWriter json;
  json.begin_object()
      .field("round", choice.round)
      .field("phase", kPhases.at(static_cast<std::size_t>(choice.phase)));
  if (choice.groups > 0) json.field("groups", choice.groups);
  write_list(json, "places", choice.places);
  write_list(json, "candidates", choice.candidates);
  write_list(json, "jumps", choice.jumps);
  write_list(json, "bends", choice.bends);
  write_list(json, "evidence", choice.evidence);
  json.end_object();
  return json.text();
}

std::optional<SizeChoice> last_size_choice(std::span<const store::DecidedLine> decided) {
  const store::DecidedLine* last = nullptr;
  for (const store::DecidedLine& line : decided) {
    if (line.decision == kSizesDecision) last = &line;
  }
  if (last == nullptr) return std::nullopt;
  try {
    return choice_of(store::parse_json(last->fields));
  } catch (const ChoiceJson::exception& error) {
    throw base::UserError("the decision '" + std::string(kSizesDecision) + "'",
                          "its fields cannot be read: " + store::without_code(error.what()),
                          "go on with the version that began the campaign");
  }
}

bool is_choosing_sizes(std::span<const store::DecidedLine> decided) {
  const std::optional<SizeChoice> last = last_size_choice(decided);
  // A line of no round has looked at nothing, and where sizes are chosen at breaks of fits no group
  // is named: all of them judge.
  const bool keeps_groups = std::ranges::any_of(decided, [](const store::DecidedLine& line) {
    return line.decision == kSizesDecision && !line.not_judging.empty();
  });
  return last && keeps_groups && last->round > 0 && !last->is_final();
}

}  // namespace invar::analysis

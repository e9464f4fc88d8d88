#include "analysis/tuning/added_races.hpp"

#include <cstdint>

#include "base/error.hpp"
#include "base/json_whole.hpp"
#include "base/json_writer.hpp"
#include "store/json_text.hpp"
#include "tuning/candidate.hpp"

namespace invar::analysis {
namespace {

using AddedJson = nlohmann::json;

design::RaceBlock race_of(const AddedJson& json) {
  design::RaceBlock race{.operation = json.at("operation").get<std::string>(),
                         .ranks = base::whole<std::uint32_t>(json.at("ranks")),
                         .family = json.at("family").get<std::string>()};
  if (!json.at("size").is_null()) race.size_bytes = base::whole<std::uint64_t>(json.at("size"));
  for (const AddedJson& candidate : json.at("candidates")) {
    race.candidates.push_back({.is = candidate.at("is").get<std::string>(),
                               .arm = candidate.at("arm").get<std::string>()});
    const auto parsed = tuning::parse_candidate(race.candidates.back().is);
    if (!parsed.value) {
      throw base::UserError("the decision '" + std::string(kSwitchingDecision) + "'", parsed.error,
                            "go on with the version that began the campaign");
    }
  }
  if (race.candidates.size() < 2) {
    throw base::UserError("the decision '" + std::string(kSwitchingDecision) + "'",
                          "a race has fewer than two candidates",
                          "go on with the version that began the campaign");
  }
  return race;
}

}  // namespace

std::string added_races_text(std::span<const design::RaceBlock> races) {
  base::JsonWriter json;
  json.begin_object().key("races").begin_array();
  for (const design::RaceBlock& race : races) {
    json.begin_object()
        .field("operation", race.operation)
        .field("size", race.size_bytes)
        .field("ranks", race.ranks)
        .field("family", race.family)
        .key("candidates")
        .begin_array();
    for (const design::RaceCandidate& candidate : race.candidates) {
      json.begin_object().field("is", candidate.is).field("arm", candidate.arm).end_object();
    }
    json.end_array().end_object();
  }
  json.end_array().end_object();
  return json.text();
}

std::vector<design::RaceBlock> added_races(std::span<const store::DecidedLine> decided) {
  std::vector<design::RaceBlock> races;
  for (const store::DecidedLine& line : decided) {
    if (line.decision != kSwitchingDecision) continue;
    try {
      const auto fields = store::parse_json<AddedJson>(line.fields);
      for (const AddedJson& race : fields.at("races")) races.push_back(race_of(race));
    } catch (const AddedJson::exception& error) {
      throw base::UserError("the decision '" + line.decision + "'",
                            "its fields cannot be read: " + store::without_code(error.what()),
                            "go on with the version that began the campaign");
    }
  }
  return races;
}

}  // namespace invar::analysis

#include "report/kit/machine_json.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace invar::report {
namespace {

void write_regimes(base::JsonWriter& json, const analysis::Regimes& regimes) {
  json.key("regimes").begin_array();
  for (const analysis::Regime& one : regimes.found) {
    json.begin_object()
        .field("name", one.name)
        .field("median_ns", one.median_ns)
        .field("low_ns", one.low_ns)
        .field("high_ns", one.high_ns)
        .field("share", one.share)
        .key("campaign_shares")
        .begin_array();
    for (const double share : one.campaign_shares) json.value(share);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_perturbations(base::JsonWriter& json,
                         const std::vector<analysis::Perturbation>& perturbations) {
  json.key("perturbations").begin_array();
  for (const analysis::Perturbation& one : perturbations) {
    json.begin_object().field("group", one.group).key("blocks").begin_array();
    for (const std::uint32_t block : one.blocks) json.value(block);
    json.end_array()
        .field("slowdown", one.slowdown)
        .field("visits", one.visits)
        .field("begin_s", one.begin_s)
        .field("end_s", one.end_s)
        .end_object();
  }
  json.end_array();
}

}  // namespace

void write_machine(base::JsonWriter& json, const analysis::Regimes& regimes,
                   const std::vector<analysis::Perturbation>& perturbations) {
  write_regimes(json, regimes);
  const std::string& why = regimes.why_none;
  json.field("regimes_missing", why.empty() ? std::nullopt : std::optional(why));
  write_perturbations(json, perturbations);
}

}  // namespace invar::report

// Open MPI's rules in JSON (from 6.0 on) as coll/tuned reads them, written apart from their writer.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include <nlohmann/json.hpp>

namespace invar::tuning {

class RulesJsonReader {
 public:
  explicit RulesJsonReader(const std::string& text)
      : collectives_(nlohmann::json::parse(text).at("collectives")) {}

  // "ALGORITHM/FANOUT/SEGMENT"; "default" where its own function decides.
  [[nodiscard]] std::string decide(const std::string& operation, std::uint32_t ranks,
                                   std::uint64_t bytes) const {
    if (!collectives_.contains(operation)) return "default";
    for (const auto& communicators : collectives_.at(operation)) {
      if (!holds(communicators, "comm_size_min", "comm_size_max", ranks)) continue;
      for (const auto& rule : communicators.at("rules")) {
        if (!holds(rule, "msg_size_min", "msg_size_max", bytes)) continue;
        const auto algorithm = rule.at("alg").get<long>();
        if (algorithm == 0) return "default";
        return std::to_string(algorithm) + '/' + std::to_string(rule.value("faninout", 0L)) + '/' +
               std::to_string(rule.value("seg_size", 0L));
      }
      return "default";  // only the first one that fits is looked at
    }
    return "default";
  }

 private:
  static bool holds(const nlohmann::json& rule, const char* least, const char* most,
                    std::uint64_t value) {
    return rule.value(least, std::uint64_t{0}) <= value &&
           value <= rule.value(most, std::uint64_t{std::numeric_limits<std::int64_t>::max()});
  }

  nlohmann::json collectives_;
};

}  // namespace invar::tuning

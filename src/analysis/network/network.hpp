// The network models of a campaign: one for every arm, in the machine's reference regime, and
// beside it those of the other regimes. A plain value that a test can construct and any renderer
// can print.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answer/answer.hpp"
#include "analysis/compare/comparison.hpp"
#include "analysis/network/network_data.hpp"
#include "analysis/network/network_model.hpp"
#include "analysis/study/lack.hpp"
#include "analysis/study/study.hpp"

namespace invar::analysis {

// In one of the machine's other regimes, or in all together.
struct RegimeModel {
  std::string regime = {};
  NetworkModel model = {};
};

struct Network {
  std::string sentence = {};
  std::string scope = {};
  std::vector<ComparedArm> arms = {};       // none: imported
  std::vector<NetworkModel> models = {};    // by arm, then by place
  std::vector<NetworkData> data = {};       // what each of these was made of
  std::vector<RegimeModel> elsewhere = {};  // by regime, likewise
  std::vector<Warning> warnings = {};
  Regimes regimes = {};                           // of the machine
  std::optional<ReferenceRegime> reference = {};  // none: nothing splits
  bool shows_regimes = false;                     // the models of all of them are shown
  std::string asked = {};                         // with other options than usual: asked_words
  double alpha = 0.05;
  double min_effect = 0.02;
  std::string no_verdict = {};  // why these are no figures; empty: they are
  std::string source = {};      // of imported data: what they are; empty: a campaign's
  std::filesystem::path dir = {};
  std::size_t hosts = 0;    // of a launch; 0: imported
  std::uint32_t cores = 0;  // of a host where it was measured; 0: not recorded
  Health health = {};
};

// Throws what network_lack() says.
Network network(const Study& study);
// No cell measures round trips of enough sizes; no complete launch group, or no valid repetition.
std::optional<Lack> network_lack(const Study& study);

// From somebody else's measurements, which have no launches. `source`: what they are called.
Network network_of(const NetworkData& data, const ModelOptions& options, const std::string& source);

// From models, elsewhere, regimes, scope and no_verdict alone.
std::string network_sentence(const Network& found);

Answer answer_of(const Network& found);

}  // namespace invar::analysis

#include "analysis/network/network.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/compare/reference_frame.hpp"
#include "analysis/compare/reference_regime.hpp"
#include "analysis/machine/diagnostics.hpp"
#include "analysis/machine/host_cores.hpp"
#include "analysis/study/scope.hpp"
#include "analysis/study/select.hpp"
#include "analysis/words/regimes_clause.hpp"
#include "analysis/words/words.hpp"
#include "base/file.hpp"

namespace invar::analysis {
namespace {

constexpr std::string_view kMeasureIt =
    "invar network ARM... measures all that a model needs; in a campaign the sizes of a ping-pong "
    "are { loguniform = [\"1\", \"1MiB\"], count = 200 }";

// Sizes of round trips that some arm has.
std::size_t sizes_of_round_trips(const Study& study) {
  std::set<std::uint64_t> sizes;
  for (const VisitSummary& visit : study.summaries_of({}).visits) {
    const record::Cell& cell = study.data().cells[visit.cell];
    const SeriesInfo& info = info_of(SeriesKind::kRoundTrip);
    if (cell.operation == info.operation && info.takes(cell) && cell.size_bytes) {
      sizes.insert(*cell.size_bytes);
    }
  }
  return sizes.size();
}

bool has_sizes_enough(const NetworkData& data) {
  std::set<std::uint64_t> sizes;
  for (const SeriesObservation& one : data.find({.kind = SeriesKind::kRoundTrip})->observations) {
    if (!data.held_out.contains(one.size_bytes)) sizes.insert(one.size_bytes);
  }
  return sizes.size() >= kLeastSizesOfSeries;
}

// What sizes at breaks narrow them to; where a campaign adds none, what they usually do.
NearestSizes nearest_sizes(const design::Campaign& campaign) {
  for (const design::CellsBlock& block : campaign.cells) {
    for (const design::AdaptiveSizes& one : block.adaptive) {
      if (one.rule != design::RefinementRule::kBreaks) continue;
      return {.bytes = one.separation_bytes, .share = one.separation_share};
    }
  }
  return {};
}

ModelOptions model_options(const Rules& rules, const design::Campaign& campaign) {
  return {.confidence = 1 - rules.decision.alpha,
          .min_effect = rules.decision.min_effect,
          .nearest = nearest_sizes(campaign)};
}

// Different ones.
std::size_t hosts_of(const store::Data& data) {
  return std::set<std::string>(data.hosts.begin(), data.hosts.end()).size();
}

// As its first launch recorded them.
std::uint32_t cores_of_host(const store::Data& data) {
  for (const store::Group& group : data.groups) {
    for (const store::Launch& launch : group.launches) {
      if (launch.dir.empty()) continue;
      const std::optional<std::string> text = base::read_file((launch.dir / "env.json").string());
      if (text) return recorded_cores(*text);
    }
  }
  return 0;
}

class NetworkReader {
 public:
  explicit NetworkReader(const Study& study) : study_(study), data_(study.data()), frame_(study) {}

  Network read() {
    Network found{.arms = compared_arms(data_, frame_.arms()),
                  .regimes = frame_.regimes(),
                  .reference = reference_regime(frame_.contest()),
                  .shows_regimes = study_.options().regimes,
                  .asked = asked_words(study_.options()),
                  .alpha = frame_.rules().decision.alpha,
                  .min_effect = frame_.rules().decision.min_effect,
                  .no_verdict = frame_.rules().no_verdict,
                  .dir = data_.dir,
                  .hosts = hosts_of(data_),
                  .cores = cores_of_host(data_)};
    found.models = models(frame_.reference_visits(), found.warnings, &found.data);
    read_elsewhere(found);
    found.scope = frame_.scope();
    frame_.append_warnings(found.warnings);
    found.health = health_of(study_.all(), frame_.summaries());
    found.sentence = network_sentence(found);
    return found;
  }

 private:
  // Models of all arms that have round trips of enough sizes. `warnings`: gets what making them
  // warns of. `kept`: gets the data that each was made of. Null: nobody asks.
  std::vector<NetworkModel> models(const TakenVisits& takes, std::vector<Warning>& warnings,
                                   std::vector<NetworkData>* kept) const {
    std::vector<NetworkModel> made;
    for (NetworkData& data : network_data(study_, takes)) {
      if (!has_sizes_enough(data)) {
        warnings.emplace_back(data.arm + ": round trips of too few sizes for a model",
                              Gravity::kDoubt);
        continue;
      }
      made.push_back(network_model(data, model_options(frame_.rules(), study_.campaign())));
      for (Warning& warning : made.back().warnings) warnings.push_back(std::move(warning));
      made.back().warnings.clear();
      if (kept != nullptr) kept->push_back(std::move(data));
    }
    return made;
  }

  // What other regimes' warnings say, the reference's have said.
  void read_elsewhere(Network& found) const {
    std::vector<Warning> unsaid;
    frame_.for_each_elsewhere([&](const std::string& name, const TakenVisits& takes) {
      for (NetworkModel& model : models(takes, unsaid, nullptr)) {
        if (model.groups < kRegimeGroups) continue;
        found.elsewhere.push_back({.regime = name, .model = std::move(model)});
      }
    });
  }

  const Study& study_;
  const store::Data& data_;
  ReferenceFrame frame_;
};

}  // namespace

std::optional<Lack> network_lack(const Study& study) {
  const store::Data& data = study.data();
  if (std::optional<Lack> lack = lack_of_groups(data)) return lack;
  const SeriesInfo& needed = info_of(SeriesKind::kRoundTrip);
  const bool any = std::ranges::any_of(data.cells, [&](const record::Cell& cell) {
    return cell.operation == needed.operation && needed.takes(cell) && cell.size_bytes;
  });
  if (!any) {
    return Lack{.faults = {{.place = data.dir.string(),
                            .what = "no cell measures round trips (operation = \"pingpong\")",
                            .remedy = std::string(kMeasureIt)}}};
  }
  const Summaries& summaries = study.summaries_of({});
  if (std::optional<Lack> lack = lack_of_repetitions(data, summaries)) return lack;
  const std::size_t sizes = sizes_of_round_trips(study);
  if (sizes < kLeastSizesOfSeries) {
    return Lack{.faults = {{.place = data.dir.string(),
                            .what = "round trips of " + count_text(sizes, "size") +
                                    ", and a line with a break needs " +
                                    std::to_string(kLeastSizesOfSeries),
                            .remedy = std::string(kMeasureIt)}}};
  }
  return lack_of_regime(data, summaries, study.rules());
}

Network network(const Study& study) {
  require(network_lack(study));
  return NetworkReader(study).read();
}

Network network_of(const NetworkData& data, const ModelOptions& options,
                   const std::string& source) {
  Network found{
      .alpha = 1 - options.confidence, .min_effect = options.min_effect, .source = source};
  found.models.push_back(network_model(data, options));
  found.data.push_back(data);
  found.warnings = std::move(found.models.front().warnings);
  found.models.front().warnings.clear();
  found.scope = source + ", intervals from stretches of time, because there are no launches";
  found.sentence = network_sentence(found);
  return found;
}

}  // namespace invar::analysis

#include "analysis/study/rules.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/canary_band.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "design/campaign/gate.hpp"
#include "design/factors/adaptive_sizes.hpp"
#include "design/factors/launch_factors.hpp"
#include "design/factors/levels.hpp"
#include "design/factors/size_samples.hpp"
#include "record/synchronisation.hpp"

namespace invar::analysis {
namespace {

template <typename T>
struct Choice {
  const char* word;
  T value;
};

constexpr std::array<Choice<Runtime>, 3> kRuntimes{
    {{"auto", Runtime::kAuto}, {"local", Runtime::kLocal}, {"global", Runtime::kGlobal}}};
constexpr std::array<Choice<stats::Correction>, 2> kCorrections{
    {{"bh", stats::Correction::kBenjaminiHochberg}, {"holm", stats::Correction::kHolm}}};

constexpr std::array<Choice<stats::Alternative>, 3> kAlternatives{
    {{"two-sided", stats::Alternative::kTwoSided},
     {"less", stats::Alternative::kLess},
     {"greater", stats::Alternative::kGreater}}};

template <typename T, std::size_t N>
T choose(const std::string& word, const std::array<Choice<T>, N>& choices, const char* option,
         base::Faults& faults) {
  std::vector<std::string> known;
  for (const Choice<T>& choice : choices) {
    if (word == choice.word) return choice.value;
    known.emplace_back(choice.word);
  }
  faults.add(option, "unknown value '" + word + "'", base::did_you_mean(word, known));
  return choices.front().value;
}

void choose_method(const std::string& word, Rules& rules, base::Faults& faults) {
  if (word == "invar") return;
  rules.preset = design::find_preset(word);
  if (const auto test = design::launch_test_of(word)) {
    rules.method = Method::kLaunchTest;
    rules.test = *test;
  } else if (rules.preset != nullptr) {
    rules.method = Method::kReported;
  } else {
    faults.add("--method", "unknown value '" + word + "'",
               base::did_you_mean(word, design::method_names()));
  }
}

// What the campaign's file says of a direction belongs to its method: another one that is asked for
// and has none leaves it out.
void choose_alternative(const design::AnalysisOptions& written, const CompareOptions& options,
                        Rules& rules, base::Faults& faults) {
  const bool tests = rules.method == Method::kLaunchTest;
  if (!options.alternative && !tests) return;
  rules.alternative = choose(options.alternative.value_or(written.alternative), kAlternatives,
                             "--alternative", faults);
  if (rules.alternative == stats::Alternative::kTwoSided) return;
  if (!tests) {
    faults.add("--alternative", design::no_direction_text(options.method.value_or(written.method)),
               "take --method wilcoxon, t or ks, or leave --alternative out");
  } else if (options.gate && rules.alternative == stats::Alternative::kGreater) {
    faults.add("--fail-on",
               "a gate asks whether an arm is slower than the first one, and 'greater' claims that "
               "the first one is",
               "write --alternative less");
  }
}

// The looks of a sequential campaign ended cells by the answers to one question: to another one
// these data were chosen by their own results.
void choose_gate(const design::AnalysisOptions& written, const CompareOptions& options,
                 Rules& rules, base::Faults& faults) {
  rules.gate = options.gate ? options.gate->margin : written.gate;
  if (rules.method != Method::kInvar) {
    if (options.gate && options.gate->margin) {
      faults.add("--fail-on",
                 "method '" + options.method.value_or(written.method) + "' has no test of a margin",
                 "leave --method out, or write --fail-on slower");
    }
    rules.gate.reset();
  } else if (rules.sequential && rules.gate != written.gate && !options.with_others) {
    const std::string asked = written.gate ? "for " + design::gate_words({.margin = written.gate})
                                           : std::string("who is faster");
    faults.add("--fail-on", "the looks of this campaign asked " + asked,
               written.gate ? "write --fail-on " + design::gate_words({.margin = written.gate})
                            : "race again with this --fail-on, or with a fixed number of launches");
  }
}

// Likewise of what the sides of a comparison are.
void choose_against(const design::AnalysisOptions& written, const CompareOptions& options,
                    Rules& rules, base::Faults& faults) {
  const std::string against = options.against.value_or(written.against);
  if (against.empty()) return;
  rules.against = record::find_cell_factor(against);
  rules.against_times = against == kAgainstTimes;
  if (rules.against == nullptr && !rules.against_times) {
    std::vector<std::string> known = record::cell_factor_words();
    known.emplace_back(kAgainstTimes);
    faults.add("--against", "'" + against + "' is not a factor of cells",
               base::did_you_mean(against, known));
  } else if (rules.against_times && options.gate) {
    faults.add("--fail-on",
               "a gate asks whether an arm is slower, and times of one arm are compared",
               "leave --against time out, or --fail-on");
  } else if (rules.sequential && against != written.against) {
    faults.add(
        "--against",
        "the looks of this campaign compared " +
            (written.against.empty() ? std::string("arms") : "levels of '" + written.against + "'"),
        "race again with this --against, or with a fixed number of launches");
  } else if (rules.method != Method::kInvar) {
    faults.add("--against",
               "method '" + options.method.value_or(written.method) + "' compares arms only",
               "leave one of the two out");
  }
}

void choose_named_time(const CompareOptions& options, Rules& rules, base::Faults& faults) {
  if (!options.time) return;
  rules.time = {.kind = TimeChoice::Kind::kNamed, .name = *options.time};
  if (rules.method != Method::kInvar) {
    faults.add("--time",
               rules.preset == nullptr ? std::string("tests over launches are of whole calls")
                                       : "a suite has times of its own: method '" +
                                             std::string(rules.preset->name) + "'",
               "leave --time out, or take --method invar");
  }
}

// What only our method does; asked of another one it would be ignored.
void refuse_what_is_ours(const CompareOptions& options, const Rules& rules, const std::string& name,
                         base::Faults& faults) {
  if (rules.method == Method::kInvar) return;
  struct Ours {
    const char* option;
    bool given;
    const char* why;
  };
  const std::array<Ours, 4> all{
      {{"--correction", options.correction.has_value(), "corrects nothing for many comparisons"},
       {"--min-effect", options.min_effect.has_value(), "has no difference that is too small"},
       {"--regime", options.regime.has_value(), "does not know the machine's regimes"},
       {"--regimes", options.regimes, "does not know the machine's regimes"}}};
  for (const Ours& one : all) {
    if (!one.given) continue;
    faults.add(one.option, "method '" + name + "' " + one.why,
               std::string("leave ") + one.option + " out, or take --method invar");
  }
  if (rules.method == Method::kReported && options.alpha) {
    faults.add("--alpha", "method '" + name + "' has no interval and no test",
               "leave --alpha out, or take --method invar, wilcoxon, t or ks");
  }
}

}  // namespace

std::string asked_words(const CompareOptions& options) {
  std::string text;
  const auto add = [&](const char* option, const std::optional<std::string>& word) {
    if (word) text += std::string(" ") + option + " " + base::shell_quoted(*word);
  };
  const auto worded = [](const auto& value, const auto& words) {
    return value ? std::optional<std::string>(words(*value)) : std::nullopt;
  };
  if (!options.arms.empty()) add("--arms", base::join(options.arms, ","));
  add("--method", options.method);
  add("--alternative", options.alternative);
  add("--correction", options.correction);
  add("--runtime", options.runtime);
  add("--alpha", worded(options.alpha, base::shortest_text));
  add("--min-effect", worded(options.min_effect, design::percent_words));
  add("--regime", worded(options.regime, base::band_text));
  add("--against", options.against);
  add("--time", options.time);
  add("--fail-on", worded(options.gate, design::gate_words));
  return text;
}

Rules make_rules(const design::Campaign& campaign, const CompareOptions& options) {
  base::Faults faults;
  const design::AnalysisOptions& written = campaign.analysis;
  Rules rules;
  rules.measured = written.presets;
  rules.own_visits = written.own_visits;
  choose_method(options.method.value_or(written.method), rules, faults);
  rules.runtime = choose(options.runtime.value_or(written.runtime), kRuntimes, "--runtime", faults);
  rules.correction =
      choose(options.correction.value_or(written.correction), kCorrections, "--correction", faults);
  rules.decision.alpha = options.alpha.value_or(written.alpha);
  rules.decision.min_effect = options.min_effect.value_or(written.min_effect);
  if (!(rules.decision.alpha > 0 && rules.decision.alpha < 1)) {
    faults.add("--alpha", "must lie between 0 and 1", "the usual value is 0.05");
  }
  if (!(rules.decision.min_effect >= 0 && std::isfinite(rules.decision.min_effect))) {
    faults.add("--min-effect", "must be at least 0 %", "the usual value is 2%");
  }
  rules.sequential = campaign.stopping == design::Stopping::kLooks;
  choose_alternative(written, options, rules, faults);
  choose_gate(written, options, rules, faults);
  choose_against(written, options, rules, faults);
  choose_named_time(options, rules, faults);
  refuse_what_is_ours(options, rules, options.method.value_or(written.method), faults);
  faults.throw_if_any();
  // What the campaign asks of its arms is not a question about the times of one.
  if (rules.against_times) rules.gate.reset();

  rules.regime = options.regime ? options.regime : written.regime;
  rules.window_s = campaign.engine.window_s;
  for (const design::SizeSample& sample : design::size_samples(campaign)) {
    rules.parts = std::max(rules.parts, sample.parts);
  }
  rules.guidelines = campaign.analysis.question == design::Question::kGuidelines;
  rules.races = campaign.analysis.question == design::Question::kTune;
  rules.confirms = campaign.analysis.question == design::Question::kTuneConfirm;
  rules.compares_cells =
      rules.guidelines || rules.races || campaign.analysis.question == design::Question::kFactors ||
      campaign.analysis.question == design::Question::kSyncBias ||
      // Means over matchings, and pairs of several against each other.
      campaign.analysis.question == design::Question::kAllPairs ||
      campaign.analysis.question == design::Question::kBisection ||
      // Steps: neighbouring sizes against each other. (Overlap has families.)
      campaign.analysis.question == design::Question::kP2p || design::has_adaptive_sizes(campaign);
  const design::EngineOptions& engine = campaign.engine;
  rules.pairing = engine.pairing == "launches" ? Pairing::kLaunches : Pairing::kTurns;
  for (const design::CellsBlock& block : campaign.cells) {
    for (const std::string& sync : design::levels_of(campaign, block, "sync")) {
      rules.agreed_start = rules.agreed_start && record::synchronisation(sync).agreed_start;
    }
  }
  // What a program prints is not a time in the campaign's clock: with one, all times are local.
  rules.agreed_start = rules.agreed_start && !campaign.has_program();
  if (engine.oversubscribe) {
    rules.no_verdict = "more ranks than cores (oversubscribe = true)";
  } else if (design::any_unpinned(campaign)) {
    rules.no_verdict = "the ranks were not pinned (pinning = \"none\")";
  }
  return rules;
}

design::Campaign campaign_of(const store::Data& data) {
  // Its first line has the text, or the whole manifest says nothing.
  if (data.campaign_toml.empty() && !data.damage.empty()) {
    const store::DataFault& first = data.damage.front();
    throw base::CommandError(
        base::Exit::kDamaged,
        {{.place = data.dir.string(),
          .what = "its manifest is damaged: " + first.place + ": " + first.what,
          .remedy = "see 'invar verify'"}});
  }
  return design::read_sealed_campaign(data.campaign_toml, (data.dir / "campaign.toml").string());
}

}  // namespace invar::analysis

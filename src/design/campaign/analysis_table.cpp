// [analysis]: what is asked, and how it is decided.
#include <algorithm>

#include "base/text.hpp"
#include "design/campaign/campaign_tables.hpp"
#include "design/campaign/gate.hpp"
#include "design/campaign/launch_test.hpp"
#include "design/campaign/presets.hpp"

namespace invar::design {
namespace {

void read_presets(TomlTable& table, AnalysisOptions& analysis) {
  const toml::node* node = table.find("presets");
  if (node == nullptr) return;
  analysis.positions.keys.emplace("presets", table.position("presets"));
  const auto* list = node->as_array();
  if (list == nullptr) {
    table.document().fault(*node, table.named("presets") + " is not a list",
                           "write presets = [\"osu\", \"imb\"]");
    return;
  }
  for (const toml::node& item : *list) {
    const auto* name = item.as_string();
    const std::string written = name == nullptr ? table.document().written(item) : name->get();
    if (name == nullptr || find_preset(written) == nullptr) {
      table.document().fault(item, "there is no preset '" + written + "'",
                             base::did_you_mean(written, preset_names()));
    } else if (std::ranges::find(analysis.presets, written) != analysis.presets.end()) {
      table.document().fault(item, "preset '" + written + "' stands twice", "write it once");
    } else {
      analysis.presets.push_back(written);
    }
  }
}

void read_question(TomlTable& table, AnalysisOptions& analysis, Writer writer) {
  std::string name;
  if (!table.text("question", name)) return;
  analysis.positions.keys.emplace("question", table.position("question"));
  if (const QuestionInfo* known = find_question(name)) {
    analysis.question = known->question;
    return;
  }
  table.document().fault(
      *table.find("question"), "unknown question '" + name + "'",
      writer == Writer::kInvar ? kNewerInvar : base::did_you_mean(name, question_names()));
}

void read_fail_on(TomlTable& table, AnalysisOptions& analysis) {
  std::string written;
  if (!table.text("fail-on", written)) return;
  analysis.positions.keys.emplace("fail-on", table.position("fail-on"));
  Gate gate;
  if (const auto complaint = read_gate(written, gate)) {
    table.document().fault(*table.find("fail-on"), complaint->what, complaint->remedy);
  } else if (!gate.margin) {
    table.document().fault(*table.find("fail-on"), "by how much an arm may be slower is missing",
                           "write fail-on = \"slower:5%\"; any difference is a matter of "
                           "--fail-on slower");
  }
  analysis.gate = gate.margin;
}

}  // namespace

void read_analysis(TomlTable& table, AnalysisOptions& analysis, Writer writer) {
  read_question(table, analysis, writer);
  table.word("method", analysis.method, method_names());
  table.word("alternative", analysis.alternative, alternative_names());
  analysis.positions.keys.emplace("alternative", table.position("alternative"));
  read_presets(table, analysis);
  table.word("runtime", analysis.runtime, {"auto", "local", "global"});
  analysis.positions.keys.emplace("runtime", table.position("runtime"));
  if (table.percent("min-effect", analysis.min_effect) && !(analysis.min_effect < 1)) {
    table.document().fault(*table.find("min-effect"), "min-effect is 100% or more",
                           "write the smallest difference that matters, as in \"2%\"");
  }
  if (table.real("alpha", analysis.alpha) && !(analysis.alpha > 0 && analysis.alpha < 1)) {
    table.document().fault(*table.find("alpha"), "alpha must lie between 0 and 1",
                           "write the share of false claims you accept, as in 0.05");
  }
  table.word("correction", analysis.correction, {"bh", "holm"});
  table.truth("own-visits", analysis.own_visits);
  analysis.positions.keys.emplace("own-visits", table.position("own-visits"));
  if (std::string written; table.text("regime", written)) {
    const base::Parsed<base::CanaryBand> band = base::parse_band(written);
    analysis.regime = band.value;
    if (!band.value) {
      table.document().fault(*table.find("regime"), band.error,
                             "write the shortest and the longest canary, as in \"100ns:300ns\"");
    }
  }
  read_fail_on(table, analysis);
  if (!table.text("against", analysis.against)) return;
  analysis.positions.keys.emplace("against", table.position("against"));
  if (record::find_cell_factor(analysis.against) == nullptr) {
    table.document().fault(*table.find("against"),
                           "'" + analysis.against + "' is not a factor of cells",
                           base::did_you_mean(analysis.against, record::cell_factor_words()));
    analysis.against.clear();
  }
}

}  // namespace invar::design

#include "report/answers/factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/words/words.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "report/kit/numbers.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

using analysis::FactorResult;
using analysis::Factors;
using analysis::FactorsTarget;
using analysis::LevelEffect;

// "+12.3 %", "-0.04 %": three significant digits.
std::string change_text(double ratio) {
  const double percent = 100 * (ratio - 1);
  const double size = std::abs(percent);
  return fmt::format("{:+.{}f} %", percent, size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
}

std::string change_interval(const std::optional<stats::Interval>& interval) {
  if (!interval) return "";
  const auto end = [](double ratio) {
    const std::string text = change_text(ratio);
    return text.substr(0, text.size() - 2);
  };
  return "[" + end(interval->low) + ", " + end(interval->high) + "]";
}

std::string sd_interval(const std::optional<stats::Interval>& interval) {
  if (!interval) return "";
  return "[" + log_sd_text(interval->low) + ", " + log_sd_text(interval->high) + "]";
}

std::string share_text(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string test_text(const std::optional<analysis::FactorTest>& test) {
  return test && test->test.p ? p_text(*test->test.p) : "";
}

std::string influence_text(const std::optional<analysis::Influence>& influence) {
  return influence ? std::string(to_string(*influence)) : "";
}

void add_rows(const FactorResult& factor, TextTable& table) {
  // Of two levels F is the square of the effect's own t.
  const std::string f = factor.effects.size() == 1 ? "" : test_text(factor.anova);
  const std::string rank = test_text(factor.rank_test);
  if (factor.effects.empty()) {
    std::vector<std::string> fields{factor.factor, "", log_sd_text(factor.sd)};
    if (!fields.back().empty()) fields.back() = "sd " + fields.back();
    const bool judged = factor.anova && factor.anova->p_adjusted;
    const std::string p = judged ? p_text(*factor.anova->p_adjusted) : "";
    for (const std::string& field : {sd_interval(factor.sd_interval), p, share_text(factor.share),
                                     f, rank, influence_text(factor.influence)}) {
      fields.push_back(field);
    }
    table.add_row(std::move(fields));
    return;
  }
  bool first = true;
  for (const LevelEffect& effect : factor.effects) {
    const bool known = effect.groups > 0;
    table.add_row({first ? factor.factor : "", effect.level + " / " + effect.reference,
                   known ? change_text(effect.ratio) : "no data", change_interval(effect.interval),
                   effect.p_adjusted ? p_text(*effect.p_adjusted) : "",
                   first ? share_text(factor.share) : "", first ? f : "", first ? rank : "",
                   influence_text(effect.influence)});
    first = false;
  }
}

std::string target_table(const FactorsTarget& target) {
  TextTable table;
  table.add_column("factor", Align::kLeft);
  table.add_column("level", Align::kLeft);
  table.add_column("effect", Align::kRight);
  table.add_column("", Align::kLeft, true);
  table.add_column("p", Align::kLeft);
  table.add_column("variance", Align::kRight);
  table.add_column("p (F)", Align::kLeft);
  table.add_column("p (ranks)", Align::kLeft);
  table.add_column("", Align::kLeft);
  for (const FactorResult& factor : target.factors) add_rows(factor, table);
  // Said of two factors or more only: one has nothing to interact with.
  const auto crossed = std::ranges::count_if(
      target.factors, [](const FactorResult& factor) { return !factor.effects.empty(); });
  if (crossed > 1) {
    table.add_row({"together", target.no_interactions, "", "", "",
                   target.interactions ? share_text(*target.interactions) : "", "", "", ""});
  }
  return table.text();
}

std::string title(const FactorsTarget& target) {
  return target.cell.operation +
         (target.cell.size_bytes ? ", " + base::size_text(*target.cell.size_bytes) : "");
}

}  // namespace

std::string factors_table(const Factors& factors) {
  std::string text = wrapped("", printable(factors.sentence));
  for (const FactorsTarget& target : factors.targets) {
    text += "\n" + printable(title(target)) + ":\n" + target_table(target);
  }
  text += "\n";
  text += wrapped(
      "  ", fmt::format("effect: a level's time against the reference's, {}, over {}, the other "
                        "factors alike; {}p (F) and p (ranks) as they are; sd: "
                        "of log medians; variance: share "
                        "of that of all log times; together: what factors do beyond the sum of "
                        "their effects; {} run-time",
                        analysis::percent_text(1 - factors.alpha),
                        analysis::count_text(factors.groups, "launch group"),
                        factors.tests > 0 ? "p corrected for " +
                                                analysis::count_text(factors.tests, "test") + ", "
                                          : std::string(),
                        factors.global_runtime ? "global" : "local"));
  for (const std::string& warning : factors.warnings) text += wrapped("  look at: ", warning);
  return text + "  data: " + printable(base::shell_quoted(factors.dir.string())) + "\n";
}

}  // namespace invar::report

#include <utility>

#include "analysis/metadata/environment.hpp"
#include "base/text.hpp"

namespace invar::analysis {
namespace {

// Facts were no objects of a section each in schema 1.
constexpr int kEnvironmentSchema = 2;

constexpr std::size_t kValueWidth = 100;

// A value of a terminal's page; whole characters.
std::string shown_value(const std::string& value, bool all) {
  if (all || value.size() <= kValueWidth) return value;
  std::size_t end = kValueWidth;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80U) --end;
  return value.substr(0, end) + "...";
}

// "two: 2 ranks, 1 host, 6 launches of 2 arms, session 2026-11-22.618795c4."
std::string sentence_of(const Environment& environment) {
  if (!environment.experiment.empty()) {
    return environment.dir + ": an experiment with clocks, " + environment.experiment + ".";
  }
  return environment.dir + ": " + environment.scope + ", " +
         base::count_text(environment.launches, "launch") + " of " +
         base::count_text(environment.arms, "arm") +
         (environment.sessions.size() == 1 ? ", session " : ", sessions ") +
         base::join(environment.sessions, ", ") + ".";
}

}  // namespace

Answer answer_of(const Environment& environment) {
  Answer answer{.question = "env",
                .schema = kEnvironmentSchema,
                .sentence = sentence_of(environment),
                .scope = environment.scope,
                .facts = {{"dir", environment.dir}},
                .warnings = environment.warnings,
                .health = environment.health};
  if (environment.experiment.empty()) {
    answer.facts.push_back(
        {"sessions", List(environment.sessions.begin(), environment.sessions.end())});
    answer.facts.push_back({"launches", environment.launches});
  } else {
    answer.facts.push_back({"experiment", environment.experiment});
  }
  TidyTable facts{.id = "facts",
                  .columns = {{.name = "section"}, {.name = "name"}, {.name = "value"}}};
  for (const EnvironmentFact& fact : environment.facts) {
    facts.rows.push_back({fact.section, fact.name, fact.value});
  }
  answer.tables.push_back(std::move(facts));
  for (const EnvironmentFact& fact : environment.facts) {
    if (answer.tables.back().title != fact.section) {
      answer.tables.push_back({.title = fact.section,
                               .columns = {{.name = "name"}, {.name = "value"}},
                               .shown = {{.column = "name"}, {.column = "value"}}});
    }
    answer.tables.back().rows.push_back({fact.name, shown_value(fact.value, environment.all)});
  }
  return answer;
}

Answer answer_of(const EnvironmentDifferences& differences) {
  Answer answer{.question = "env",
                .schema = kEnvironmentSchema,
                .sentence = differences_sentence(differences.differences) + ".",
                .facts = {{"first", differences.first}, {"second", differences.second}},
                .warnings = differences.warnings,
                .health = differences.health};
  TidyTable all{.id = "differences",
                .columns = {{.name = "weight", .kind = Kind::kCount},
                            {.name = "fact"},
                            {.name = "first"},
                            {.name = "second"},
                            {.name = "remark"}}};
  std::vector<TidyTable> shown;
  std::size_t rest = 0;
  for (const MetadataDifference& one : differences.differences) {
    all.rows.push_back({static_cast<int>(one.weight), one.fact, one.first, one.second, one.remark});
    if (!matters(one) && !differences.all) {
      ++rest;
      continue;
    }
    const std::string heading = one.weight == Weight::kLibrary ? "library" : section_of(one.weight);
    if (shown.empty() || shown.back().title != heading) {
      shown.push_back({.title = heading,
                       .columns = {{.name = "fact"}, {.name = "campaign"}, {.name = "value"}},
                       .shown = {{.column = "fact"}, {.column = "campaign"}, {.column = "value"}}});
    }
    // Two lines of one difference: values are long, and are read one below the other.
    shown.back().rows.push_back({one.fact + (one.remark.empty() ? "" : " (" + one.remark + ")"),
                                 differences.first, shown_value(one.first, differences.all)});
    shown.back().rows.push_back({"", differences.second, shown_value(one.second, differences.all)});
  }
  answer.tables.push_back(std::move(all));
  for (TidyTable& table : shown) answer.tables.push_back(std::move(table));
  if (rest > 0) {
    answer.notes.push_back(
        std::to_string(rest) + " recorded " + (rest == 1 ? "fact differs" : "facts differ") +
        " too and should not matter (--all shows " + (rest == 1 ? "it" : "them") + ")");
  }
  return answer;
}

}  // namespace invar::analysis

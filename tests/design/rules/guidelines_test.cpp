#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "base/text.hpp"
#include "design/rules/guideline.hpp"

namespace invar::design {
namespace {

using record::PartInfo;
using record::PartSize;
using testing::ElementsAre;
using testing::HasSubstr;

Guideline only(std::string_view text) {
  const std::vector<Guideline> guidelines = parse_guidelines(text, "own.rules");
  EXPECT_EQ(guidelines.size(), 1U);
  return guidelines.front();
}

std::vector<std::string> rule_faults_of(std::string_view text) {
  std::vector<std::string> texts;
  try {
    parse_guidelines(text, "own.rules");
  } catch (const base::UserError& error) {
    for (const base::Fault& fault : error.faults()) texts.push_back(fault.text());
  }
  return texts;
}

std::vector<Guideline> of_file(const std::string& name) {
  const auto text = base::read_file(INVAR_SOURCE_DIR "/rules/" + name);
  return parse_guidelines(text.value_or(""), name);
}

TEST(Guidelines, PatternHasNamePartsToleranceAndReason) {
  const Guideline rule =
      only("GL10: bcast(n) <= scatter(n/p) + allgather(n/p) tolerance 5%  # van de Geijn\n");
  EXPECT_EQ(rule.name, "GL10");
  EXPECT_EQ(rule.kind, GuidelineKind::kPattern);
  EXPECT_EQ(rule.operation, "bcast");
  EXPECT_THAT(rule.parts,
              ElementsAre(PartInfo{.operation = "scatter", .size = PartSize::kShare},
                          PartInfo{.operation = "allgather", .size = PartSize::kShare}));
  EXPECT_DOUBLE_EQ(rule.tolerance, 0.05);
  EXPECT_EQ(rule.why, "van de Geijn");
  EXPECT_TRUE(rule.composite());
}

TEST(Guidelines, OtherKindsNameTheirOperation) {
  EXPECT_EQ(only("monotone(reduce)").kind, GuidelineKind::kMonotone);
  EXPECT_EQ(only("monotone(reduce)").operation, "reduce");
  EXPECT_EQ(only(" s : split( allgather )").kind, GuidelineKind::kSplit);
  EXPECT_EQ(only("split(allgather)").tolerance, 0);
}

TEST(Guidelines, RuleWithoutNameIsCalledAfterWhatItSays) {
  EXPECT_EQ(only("monotone(reduce)").name, "monotone-reduce");
  EXPECT_EQ(only("allreduce(n) <= allreduce@ring(n)").name, "allreduce-allreduce-ring");
  EXPECT_EQ(only("bcast(n)<=scatter(n/p)+allgather(n/p)").name, "bcast-scatter-allgather");
  EXPECT_EQ(only("bcast(n) <= bcast=full-lane(n)").name, "bcast-bcast-full-lane");
}

TEST(Guidelines, CommentsAndEmptyLinesAreNoRules) {
  EXPECT_EQ(parse_guidelines("# head\n\n  \r\nmonotone(scan)\r\n# tail", "x").size(), 1U);
}

TEST(Guidelines, StatementIsTheRuleWithoutWhatBelongsToIt) {
  EXPECT_EQ(statement_of(only("a: gather(n)<=reduce(p * n) tolerance 1% # x")),
            "gather(n) <= reduce(p*n)");
  EXPECT_EQ(statement_of(only("a: monotone( gather )")), "monotone(gather)");
}

TEST(Guidelines, WrittenRuleReadsTheSame) {
  for (const char* text : {"GL3: gather(n) <= allgather(n)  # why # not", "monotone(reduce)",
                           "x: split(scan) tolerance 2.5%"}) {
    const Guideline rule = only(text);
    EXPECT_EQ(only(guideline_text(rule)), rule) << text;
  }
}

TEST(Guidelines, EveryFaultIsToldWithItsPlace) {
  const std::vector<std::string> faults = rule_faults_of(
      "a: bcast(n) <= scatter(n/q)\n"
      "b: bcast(2n) <= scatter(n)\n"
      "monoton(reduce)\n"
      "bcast(n) < scatter(n)\n"
      "bcast(n)\n"
      "c: bcast(n) <= \n"
      "bcast(n) <= scatter(n) tolerence 5%\n"
      "bcast(n) <= scatter(n) tolerance 5\n"
      "bcast(n) <= scatter(n) tolerance 2000%\n"
      "bcast(n) <= scatter(n) tolerance 5% more\n"
      "split(re duce)\n"
      "bcast n <= scatter(n)\n"
      "bcast(n) <= bcast(n)\n"
      "ok: monotone(scan)\n"
      "ok: monotone(scatter)\n"
      "-x: monotone(scatter)\n"
      "bcast() <= scatter(n)\n");
  ASSERT_EQ(faults.size(), 16U);
  const char* expected[] = {
      "own.rules:1:24: unknown size 'n/q'",
      "own.rules:2:10: the left side's size is '2n', and n is the size of its block; write "
      "bcast(n), "
      "also of an operation without a size",
      "own.rules:3:1: there is no guideline 'monoton'; did you mean 'monotone'?",
      "own.rules:4:10: '<' means nothing here",
      "own.rules:5:9: the line ends where '<=' and the right side should be",
      "own.rules:6:16: the line ends where an operation should be",
      "own.rules:7:24: 'tolerence' is not known behind a rule; did you mean 'tolerance'?",
      "own.rules:8:34: '5' is not a percentage",
      "own.rules:9:34: a tolerance of 2000% lets everything pass",
      "own.rules:10:37: 'more' stands behind the rule's end",
      "own.rules:11:7: 're duce' is not an operation",
      "own.rules:12:7: 'n' stands where '(' should be",
      "own.rules:13:13: both sides are bcast(n)",
      "own.rules:15:1: two rules have the name 'ok', this one and that of line 14",
      "own.rules:16:1: rule '-x' is not a name",
      "own.rules:17:7: nothing stands between the brackets"};
  for (std::size_t i = 0; i < faults.size(); ++i) EXPECT_THAT(faults[i], HasSubstr(expected[i]));
}

TEST(Guidelines, LinesThatCanBeReadAreReadBesideThoseThatCannot) {
  base::Faults faults;
  const std::vector<Guideline> rules =
      parse_guidelines("monotone(scan)\nbcast(n) <= \nsplit(scan)\n", "own.rules", faults);
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[1].at.line, 3);
  EXPECT_FALSE(faults.empty());
}

TEST(Guidelines, FileWithoutRulesIsAFault) {
  EXPECT_THAT(rule_faults_of("# nothing\n"), ElementsAre(HasSubstr("own.rules: it has no rules")));
}

TEST(Guidelines, UnknownOperationIsToldWithTheOneThatIsMeant) {
  const std::vector<std::string> known{"bcast", "scatter", "allgather", "allreduce"};
  const std::vector<Guideline> rules = parse_guidelines(
      "bcast(n) <= scater(n/p) + allgather(n/p)\n monotone(allredcue)\nbcast(n) <= bcast@x(n)\n",
      "own.rules");
  const std::vector<base::Fault> faults = unknown_operations(rules, known, "own.rules");
  ASSERT_EQ(faults.size(), 2U);
  EXPECT_EQ(faults[0].text(),
            "own.rules:1:13: there is no operation 'scater'; did you mean 'scatter'?");
  EXPECT_EQ(faults[1].text(),
            "own.rules:2:11: there is no operation 'allredcue'; did you mean 'allreduce'?");
}

// There are hundreds.
TEST(Guidelines, OperationsAreNotListedWhereNoneIsMeant) {
  const std::vector<std::string> known{"bcast", "scatter"};
  const std::vector<Guideline> rules = parse_guidelines("monotone(nothing)", "own.rules");
  EXPECT_EQ(unknown_operations(rules, known, "own.rules").at(0).text(),
            "own.rules:1:10: there is no operation 'nothing'; 'invar ops' lists operations");
}

TEST(Guidelines, SharesAreRoundedUpToWholeElements) {
  EXPECT_EQ(part_bytes(PartSize::kBlock, 12, 4, 2), 12U);
  EXPECT_EQ(part_bytes(PartSize::kShare, 12, 4, 2), 8U);
  EXPECT_EQ(part_bytes(PartSize::kShare, 1, 1, 16), 1U);
  EXPECT_EQ(part_bytes(PartSize::kShare, 0, 1, 16), 0U);
  EXPECT_EQ(part_bytes(PartSize::kAll, 12, 4, 3), 36U);
  EXPECT_EQ(part_bytes(PartSize::kOne, 12, 4, 3), 4U);
}

TEST(RulesFiles, PgmpiHasTheGuidelinesOfThePaper) {
  const std::vector<Guideline> rules = of_file("pgmpi.rules");
  std::size_t counts[3] = {};
  for (const Guideline& rule : rules) ++counts[static_cast<std::size_t>(rule.kind)];
  // Paper 003, table II: monotony and split-robustness of nine functions, fifteen patterns.
  EXPECT_THAT(counts, ElementsAre(15, 9, 9));
}

TEST(RulesFiles, AllRulesHasThoseOfPgmpi) {
  std::set<std::string> texts;
  for (const Guideline& rule : of_file("all.rules")) texts.insert(guideline_text(rule));
  for (const Guideline& rule : of_file("pgmpi.rules")) {
    EXPECT_TRUE(texts.contains(guideline_text(rule))) << guideline_text(rule);
  }
}

// What a rule means is found by what mock-ups say of themselves.
TEST(RulesFiles, NamesInThemAreOperationsOfTheCatalogue) {
  const std::string list = base::read_file(INVAR_SOURCE_DIR "/src/ops/catalogue.def").value_or("");
  std::vector<std::string> names{"sendrecv"};  // a part of mock-ups
  for (const std::string_view line : base::split(list, '\n')) {
    const std::vector<std::string_view> parts = base::split(line, '"');
    if (line.starts_with("INVAR_") && parts.size() > 1) names.emplace_back(parts[1]);
  }
  for (const char* file : {"pgmpi.rules", "all.rules", "references.rules"}) {
    for (const Guideline& rule : of_file(file)) {
      EXPECT_THAT(names, testing::Contains(rule.operation)) << file;
      for (const PartInfo& part : rule.parts) {
        EXPECT_THAT(names, testing::Contains(part.operation)) << file;
      }
    }
  }
}

TEST(RulesFiles, ReferencesCompareOperationsWithTheirAlgorithms) {
  for (const Guideline& rule : of_file("references.rules")) {
    ASSERT_EQ(rule.parts.size(), 1U);
    EXPECT_TRUE(rule.parts.front().operation.starts_with(rule.operation + '@'));
    EXPECT_EQ(rule.parts.front().size, PartSize::kBlock);
  }
}

}  // namespace
}  // namespace invar::design

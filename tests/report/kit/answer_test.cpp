// Any answer in every format: a question that nobody here knows, with a table of every kind of
// column, a value that is absent in each, and an interval.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_page.hpp"
#include "report/kit/answer_text.hpp"
#include "report/kit/reporters.hpp"

namespace invar::report {
namespace {

using analysis::Answer;
using analysis::Kind;
using analysis::List;
using analysis::Record;
using analysis::TidyTable;
using analysis::Word;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

record::Cell cell_of(const char* operation, std::optional<std::uint64_t> size_bytes) {
  record::Cell cell;
  cell.operation = operation;
  cell.size_bytes = size_bytes;
  return cell;
}

TidyTable costs() {
  return {.id = "costs",
          .columns = {{.name = "cell", .kind = Kind::kCell},
                      {.name = "arm"},
                      {.name = "time_ns", .kind = Kind::kTime, .low = "low_ns", .high = "high_ns"},
                      {.name = "low_ns", .kind = Kind::kTime},
                      {.name = "high_ns", .kind = Kind::kTime},
                      {.name = "share", .kind = Kind::kShare},
                      {.name = "block_bytes", .kind = Kind::kBytes},
                      {.name = "launches", .kind = Kind::kCount},
                      {.name = "verdict", .kind = Kind::kVerdict}},
          .rows = {{cell_of("bcast", 65536), "a, b", 1090.0, 1080.0, 1100.0, 0.25, 8192, 7,
                    Word{.name = "faster", .words = "a faster"}},
                   {cell_of("barrier", {}),
                    {},
                    {},
                    {},
                    {},
                    {},
                    {},
                    {},
                    Word{.name = {}, .words = "no verdict"}}},
          .shown = {{.column = "cell"},
                    {.header = "time", .column = "time_ns", .absent = "not measured"},
                    {.header = "share", .column = "share", .absent = "-", .decimals = 1},
                    {.header = "block", .column = "block_bytes"},
                    {.header = "verdict", .column = "verdict"}}};
}

Answer example() {
  return {.question = "costs",
          .sentence = "a costs less: 2 ranks, 1 host.",
          .scope = "2 ranks, 1 host",
          .facts = {{"alpha", 0.05},
                    {"arms", List{Record{{"label", "a"}, {"groups", 3}}}},
                    {"budget_s", std::optional<double>()}},
          .tables = {costs()},
          .head = "2 ranks",
          .notes = {"time: median over launches"},
          .remarks = {{"why", "it is shorter"}},
          .warnings = {"few launches"},
          .next = {{"data", "om"}, {"again", "invar race"}}};
}

TEST(AnswerText, SentenceIsFirstThenTablesThenHowToReadThemAndWhatToDo) {
  EXPECT_EQ(answer_text(example()),
            "a costs less: 2 ranks, 1 host.\n"
            "\n"
            "  2 ranks\n"
            "\n"
            "  operation   size     time                         share   block   verdict\n"
            "  bcast       64 KiB        1.09 us [1.08, 1.10]   25.0 %   8 KiB   a faster\n"
            "  barrier              not measured                     -           no verdict\n"
            "\n"
            "  time: median over launches\n"
            "  why: it is shorter\n"
            "  look at: few launches\n"
            "  data: om   again: invar race\n");
}

TEST(AnswerText, RatesAndSizesWithIntervalsHaveUnitsThatReadWell) {
  TidyTable table{
      .id = "rates",
      .columns = {{.name = "rate_per_s", .kind = Kind::kRate, .low = "low", .high = "high"},
                  {.name = "low", .kind = Kind::kRate},
                  {.name = "high", .kind = Kind::kRate},
                  {.name = "half_bytes", .kind = Kind::kBytes, .low = "from", .high = "to"},
                  {.name = "from", .kind = Kind::kBytes},
                  {.name = "to", .kind = Kind::kBytes}},
      .rows = {{4.21e6, 4.1e6, 4.33e6, 8192, 7711, 9216},
               {850e3, {}, {}, 64, {}, {}},
               {12.0, {}, {}, {}, {}, {}}},
      .shown = {{.header = "messages/s", .column = "rate_per_s"},
                {.header = "half at", .column = "half_bytes", .absent = "-"}}};
  const std::string text = table_text(table);
  EXPECT_THAT(text, HasSubstr("4.21 M [4.10 M, 4.33 M]"));
  EXPECT_THAT(text, HasSubstr("8 KiB [7711 B, 9 KiB]"));
  EXPECT_THAT(text, HasSubstr(" 850 k"));
  EXPECT_THAT(text, HasSubstr(" 64 B"));
  EXPECT_THAT(text, HasSubstr(" 12.0"));
}

TEST(AnswerText, CommandsThatShowMoreStandOnLinesOfTheirOwn) {
  Answer answer = example();
  answer.next.insert(answer.next.begin(), {"more", "invar compare om --pairs all", true});
  EXPECT_THAT(answer_text(answer), testing::EndsWith("  more: invar compare om --pairs all\n"
                                                     "  data: om   again: invar race\n"));
}

TEST(AnswerText, WhatPutsTheVerdictsInDoubtStandsBelowTheSentence) {
  Answer answer = example();
  answer.warnings.emplace_back("results failed", analysis::Gravity::kDoubt);
  EXPECT_THAT(answer_text(answer),
              StartsWith("a costs less: 2 ranks, 1 host.\nin doubt: results failed\n"));
  EXPECT_THAT(answer_talk(answer), HasSubstr("\nin doubt: results failed\n"));
  EXPECT_THAT(analysis::texts_of(answer.warnings), ElementsAre("results failed", "few launches"));
}

TEST(AnswerText, ThreeReasonsForDoubtAreToldAndTheOthersCounted) {
  Answer answer = example();
  for (const char* reason : {"first", "second", "third", "fourth", "fifth"}) {
    answer.warnings.emplace_back(reason, analysis::Gravity::kDoubt);
  }
  EXPECT_THAT(answer_text(answer), HasSubstr("in doubt: third\nin doubt: 2 more reasons: "
                                             "--verbose\n"));
  EXPECT_THAT(answer_talk(answer), HasSubstr("in doubt: 2 more reasons: --verbose\n"));
  EXPECT_THAT(answer_text(answer, true), HasSubstr("in doubt: fourth\nin doubt: fifth\n"));
}

TEST(AnswerText, ThreeRemarksStandBelowTheTablesAndWhatIsBorneOnlyForWhoAsks) {
  Answer answer = example();
  answer.warnings = {
      {"late ones repeated", analysis::Gravity::kBorne}, "one", "two", "three", "four"};
  const std::string text = answer_text(answer);
  EXPECT_THAT(text, HasSubstr("look at: three\n  2 more remarks: --verbose\n"));
  EXPECT_THAT(text, Not(HasSubstr("late ones")));
  EXPECT_THAT(text, Not(HasSubstr("four")));
  const std::string all = answer_text(answer, true);
  EXPECT_THAT(all, HasSubstr("late ones"));
  EXPECT_THAT(all, HasSubstr("four"));
  EXPECT_THAT(all, Not(HasSubstr("--verbose")));
}

TEST(AnswerMarkdown, HasAsManyRemarksAsATerminal) {
  Answer answer = example();
  answer.warnings = {
      {"late ones repeated", analysis::Gravity::kBorne}, "one", "two", "three", "four"};
  for (const char* reason : {"first", "second", "third", "fifth"}) {
    answer.warnings.emplace_back(reason, analysis::Gravity::kDoubt);
  }
  const std::string text = answer_markdown(answer);
  EXPECT_THAT(text, HasSubstr("> in doubt: third\n\n> in doubt: 1 more reason: --verbose\n\n"
                              "> look at: one\n"));
  EXPECT_THAT(text, HasSubstr("> look at: three\n\n> 2 more remarks: --verbose\n"));
  EXPECT_THAT(text, Not(HasSubstr("four")));
  const std::string all = answer_markdown(answer, true);
  for (const char* told : {"late ones repeated", "four", "fifth"}) {
    EXPECT_THAT(all, HasSubstr(told));
  }
  EXPECT_THAT(all, Not(HasSubstr("--verbose")));
}

TEST(AnswerText, NoAnswerIsLongerThanAScreenUnlessItIsAskedFor) {
  for (const std::size_t rows : {1U, 4U, 40U, 47U, 60U, 500U}) {
    for (const std::size_t tables : {1U, 2U, 4U, 12U}) {
      Answer answer = example();
      answer.tables.front().rows.resize(rows, answer.tables.front().rows.front());
      answer.tables.resize(tables, answer.tables.front());
      const std::string text = answer_text(answer);
      const auto lines = [](const std::string& of) { return std::ranges::count(of, '\n'); };
      EXPECT_LE(lines(text), static_cast<std::ptrdiff_t>(kMostLines))
          << rows << " rows, " << tables << " tables";
      const std::string all = answer_text(answer, true);
      EXPECT_GT(lines(all), static_cast<std::ptrdiff_t>(rows * tables));
      if (lines(all) <= static_cast<std::ptrdiff_t>(kMostLines))
        EXPECT_EQ(text, all);
      else
        EXPECT_THAT(text, testing::ContainsRegex("more (row|table)s?: --verbose"));
    }
  }
}

TEST(AnswerText, OfATableThatIsCutTheRowsThatSayMostAreKeptInTheirOrder) {
  Answer answer = example();
  TidyTable& table = answer.tables.front();
  table.rows.resize(100, table.rows.front());
  table.rows[80].at(5) = 0.8;
  table.rows[90].at(5) = 0.9;
  EXPECT_THAT(answer_text(answer), Not(HasSubstr("90.0 %"))) << "without weights the first ones";
  table.weights.assign(table.rows.size(), 0);
  table.weights[80] = 1;
  table.weights[90] = 2;
  const std::string text = answer_text(answer);
  EXPECT_LE(std::ranges::count(text, '\n'), static_cast<std::ptrdiff_t>(kMostLines));
  ASSERT_THAT(text, HasSubstr("80.0 %"));
  ASSERT_THAT(text, HasSubstr("90.0 %"));
  EXPECT_LT(text.find("25.0 %"), text.find("80.0 %")) << "there was room for some of the others";
  EXPECT_LT(text.find("80.0 %"), text.find("90.0 %"));
  EXPECT_LT(text.find("90.0 %"), text.find("more rows: --verbose"));
  EXPECT_EQ(answer_text(answer, true).find("more rows"), std::string::npos);
}

TEST(AnswerText, RowsThatWeighLessThanNothingAreForWhoAsks) {
  analysis::Answer answer{.sentence = "S."};
  analysis::TidyTable table{.title = "Numbers", .columns = {{.name = "name"}}};
  for (const char* name : {"one", "hidden", "two", "hidden too"}) {
    table.rows.push_back({name});
    table.weights.push_back(std::string(name).starts_with("hidden") ? -1 : 0);
  }
  table.shown = {{.header = "name", .column = "name"}};
  answer.tables.push_back(table);
  EXPECT_THAT(answer_text(answer, false),
              HasSubstr("Numbers:\n  name\n  one\n  two\n  ... 2 more rows: --verbose\n"));
  EXPECT_THAT(answer_text(answer, true), HasSubstr("one\n  hidden\n  two\n  hidden too\n"));
  // Where there is no room for the others either, all that are left out are counted.
  for (int i = 0; i < 200; ++i) {
    answer.tables[0].rows.push_back({"more"});
    answer.tables[0].weights.push_back(0);
  }
  const std::string cut = answer_text(answer, false);
  std::size_t kept = 0;
  for (std::size_t at = 0; (at = cut.find("  more\n", at)) != std::string::npos; ++at) ++kept;
  EXPECT_GT(kept, 10U);
  EXPECT_THAT(cut, Not(HasSubstr("hidden")));
  EXPECT_THAT(cut,
              HasSubstr("\n  ... " + std::to_string(200 - kept + 2) + " more rows: --verbose\n"));
}

TEST(AnswerText, TableThatIsForMachinesOnlyIsNotShown) {
  Answer answer = example();
  answer.tables.front().shown.clear();
  EXPECT_THAT(answer_text(answer), Not(HasSubstr("operation")));
  EXPECT_THAT(answer_text(answer), StartsWith("a costs less"));
}

TEST(AnswerText, EscapeSequencesAreHarmlessWhereverTheyStand) {
  Answer answer = example();
  answer.sentence = answer.head = answer.notes[0] = answer.remarks[0].text = answer.warnings[0] =
      answer.next[0].text = answer.tables[0].title = "bad \x1b]0;title\x07";
  answer.tables[0].rows[0][8] = Word{.name = {}, .words = "\x1b[2J"};
  EXPECT_THAT(answer_text(answer), Not(HasSubstr("\x1b")));
  EXPECT_THAT(answer_talk(answer), Not(HasSubstr("\x1b")));
}

TEST(AnswerJson, SaysAllThatIsWrongWithTheData) {
  analysis::Answer answer = example();
  answer.health = {.damaged = 1,
                   .unfinished = 2,
                   .failed_groups = 3,
                   .failed_cells = 4,
                   .dropped_arms = 5,
                   .missed_runs = 6,
                   .empty_visits = 7,
                   .without_data = 8,
                   .refuted = true};
  const auto all = nlohmann::json::parse(R"({"damaged": 1, "unfinished": 2, "failed_groups": 3,
      "failed_cells": 4, "dropped_arms": 5, "missed_runs": 6, "empty_visits": 7,
      "without_data": 8, "refuted": true})");
  EXPECT_EQ(nlohmann::json::parse(answer_json(answer))["health"], all);
  base::JsonWriter json;
  write_answer_data(json, answer);
  EXPECT_EQ(nlohmann::json::parse(json.text())["health"], all);
}

TEST(AnswerJson, RowsAreObjectsAndWhatIsAbsentIsNull) {
  const auto json = nlohmann::ordered_json::parse(answer_json(example()));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  EXPECT_THAT(keys, ElementsAre("schema", "sentence", "scope", "alpha", "arms", "budget_s", "costs",
                                "warnings", "health"));
  EXPECT_TRUE(json["budget_s"].is_null());
  EXPECT_EQ(json["arms"][0]["groups"], 3);
  const auto& first = json["costs"][0];
  EXPECT_EQ(first["operation"], "bcast");
  EXPECT_EQ(first["factors"]["sync"], "round-time");
  EXPECT_EQ(first["high_ns"], 1100);
  EXPECT_EQ(first["verdict"], "faster");
  for (const char* key : {"size_bytes", "arm", "time_ns", "low_ns", "launches", "verdict"}) {
    EXPECT_TRUE(json["costs"][1][key].is_null()) << key;
  }
}

TEST(AnswerJson, TableThatMayBeMissingSaysWhy) {
  Answer answer = example();
  answer.tables[0].missing = "";
  EXPECT_TRUE(nlohmann::json::parse(answer_json(answer))["costs_missing"].is_null());
  answer.tables[0].missing = "no launch";
  EXPECT_EQ(nlohmann::json::parse(answer_json(answer))["costs_missing"], "no launch");
}

TEST(AnswerCsv, CellIsAColumnAFactorAndWhatIsAbsentIsEmpty) {
  const auto rows = base::read_csv(answer_csv(example()), "test");
  ASSERT_EQ(rows.size(), 3U);
  for (const base::CsvRow& row : rows) EXPECT_EQ(row.fields.size(), rows[0].fields.size());
  const auto field = [&](std::size_t line, const char* name) {
    const auto at = std::ranges::find(rows[0].fields, name);
    return rows[line].fields.at(static_cast<std::size_t>(at - rows[0].fields.begin()));
  };
  EXPECT_EQ(field(1, "size_bytes"), "65536");
  EXPECT_EQ(field(1, "arm"), "a, b");
  EXPECT_EQ(field(1, "time_ns"), "1090");
  EXPECT_EQ(field(1, "verdict"), "faster");
  for (const char* name : {"size_bytes", "arm", "time_ns", "share", "launches", "verdict"}) {
    EXPECT_EQ(field(2, name), "") << name;
  }
}

TEST(AnswerCsv, AnyTableCanBeAskedForByItsName) {
  Answer answer = example();
  answer.tables.push_back({.id = "looks", .columns = {{.name = "look"}}, .rows = {{1}, {2}}});
  EXPECT_EQ(answer_csv(answer, "looks"), "look\n1\n2\n");
  EXPECT_THROW(answer_csv(answer, "none"), std::invalid_argument);
}

TEST(Reporters, WhatAFormatHasNoRoomForIsSaidBesideItSentenceFirst) {
  for (const Reporter& one : reporters()) {
    const Printed printed = one.print(example(), "", false);
    const std::string both = printed.talk + printed.out;
    EXPECT_THAT(both, HasSubstr("a costs less: 2 ranks, 1 host.")) << one.name;
    EXPECT_THAT(both, HasSubstr("few launches")) << one.name;
    EXPECT_EQ(&reporter(one.format), &one);
  }
  EXPECT_EQ(reporter(Format::kCsv).print(example(), "", false).talk,
            "a costs less: 2 ranks, 1 host.\n  why: it is shorter\n  look at: few launches\n");
}

}  // namespace
}  // namespace invar::report

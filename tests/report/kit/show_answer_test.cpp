#include "analysis/questions/show.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/csv.hpp"
#include "report/kit/answer_machine.hpp"
#include "report/kit/answer_text.hpp"

namespace invar::report {
namespace {

analysis::Show example_show() {
  analysis::Show show;
  show.sentence = "1 cell of 1 arm, 480 observations: 2 ranks, 1 host, this session.";
  show.by = {"operation", "size_bytes", "arm"};
  analysis::ShownGroup group;
  group.levels = {{"operation", "bcast"}, {"size_bytes", "1024"}, {"arm", "7"}};
  group.launches = 8;
  group.visits = 32;
  group.observations = 480;
  group.median = {.median_ns = 1090, .interval_ns = stats::Interval{1080, 1100, 0.95}};
  group.mean_ns = 1120;
  group.min_ns = 990;
  group.q1_ns = 1050;
  group.q3_ns = 1130;
  group.p95_ns = 1300;
  group.p99_ns = 2200;
  group.sd_launches = 0.018;
  show.groups = {group};
  show.dir = "om";
  return show;
}

TEST(ShowTable, HasALineAGroup) {
  EXPECT_THAT(
      answer_text(answer_of(example_show())),
      testing::HasSubstr(
          "  bcast      1 KiB  7           8   480  1.09 us [1.08, 1.10]  1.12 us  0.990 us  "
          "1.05 us  1.13 us  1.30 us  2.20 us        1.8 %\n"));
}

TEST(ShowTable, BandwidthIsThereForWhoWantsIt) {
  analysis::Show show = example_show();
  EXPECT_THAT(answer_text(answer_of(show)), testing::Not(testing::HasSubstr("GB/s")));
  show.has_bandwidth = true;
  show.groups.front().moved = 1024;
  show.groups.push_back(show.groups.front());
  show.groups.back().moved.reset();  // it pools several
  const std::string text = answer_text(answer_of(show));
  EXPECT_THAT(text, testing::HasSubstr("1.09 us [1.08, 1.10]  0.94  1.12 us"));
  EXPECT_THAT(text, testing::HasSubstr("GB/s: of messages all bytes that a call moves"));
  const auto json = nlohmann::json::parse(answer_json(answer_of(show)));
  EXPECT_DOUBLE_EQ(json["groups"][0]["bandwidth_gb_s"], 1024.0 / 1090);
  EXPECT_TRUE(json["groups"][1]["bandwidth_gb_s"].is_null());
}

TEST(ShowJson, NumbersAreNumbersAndWhatDoesNotExistIsNull) {
  const auto json = nlohmann::json::parse(answer_json(answer_of(example_show())));
  EXPECT_EQ(json["schema"], 1);
  const auto& group = json["groups"][0];
  EXPECT_EQ(group["size_bytes"], 1024);
  EXPECT_EQ(group["arm"], "7");  // a label stays text
  EXPECT_DOUBLE_EQ(group["p99_ns"], 2200);
  EXPECT_TRUE(group["sd_log_visits"].is_null());
}

TEST(ShowCsv, HasAFieldForEveryColumn) {
  const auto rows = base::read_csv(answer_csv(answer_of(example_show())), "test");
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].fields.size(), rows[1].fields.size());
  EXPECT_EQ(rows[0].fields.back(), "estimate");
  EXPECT_EQ(rows[1].fields.back(), "median");
  EXPECT_EQ(rows[0].fields.end()[-2], "sd_log_visits");
  EXPECT_EQ(rows[1].fields.end()[-2], "");
}

}  // namespace
}  // namespace invar::report

#include "record/journal.hpp"

#include <gtest/gtest.h>

namespace invar::record {
namespace {

VisitLine visit() {
  return {.visit = 12,
          .cell = 3,
          .turn = 11,
          .round = 1,
          .block = 5,
          .calls = 1,
          .first_record = 770,
          .records = 70,
          .records_crc = 0xabc,
          .warm_up = 20,
          .valid = 49,
          .late = 1,
          .repeated = 1,
          .begin_ps = 5'000'000'000,
          .end_ps = 5'300'000'000,
          .canary_ps = {268'000, 281'000},
          .slack_ps = 1'000'000};
}

// A line without its checksum.
std::string body(const std::string& line) { return line.substr(0, line.find(",\"line_crc\"")); }

TEST(JournalLine, VisitIsOneJsonObject) {
  EXPECT_EQ(body(journal_line(visit())),
            R"({"type":"visit","visit":12,"cell":3,"turn":11,"round":1,"block":5,"calls":1,)"
            R"("first_record":770,"records":70,"records_crc":"00000abc","first_rank_record":0,)"
            R"("rank_records":0,"rank_records_crc":"00000000","warm_up":20,"valid":49,"late":1,)"
            R"("repeated":1,"interrupted":0,"retry_cap_reached":false,"begin_ps":5000000000,)"
            R"("end_ps":5300000000,"canary_ps":[268000,281000],"empty_ps":null,)"
            R"("slack_ps":1000000,"involuntary_switches":0,"run_delay_ns":0,"steal_ticks":null,)"
            R"("slept_cpu_ns":0,"send_offset_bytes":0,"recv_offset_bytes":0)");
}

TEST(JournalLine, OtherCanariesAreToldOnlyWhereThereAreSome) {
  VisitLine line = visit();
  line.chain_ps = {1'000'400, 1'031'200};
  EXPECT_NE(body(journal_line(line))
                .find(R"("canary_ps":[268000,281000],"chain_ps":[1000400,1031200],"empty_ps")"),
            std::string::npos);
  line.across_ps = {512'000};
  line.canary_ps.clear();
  EXPECT_NE(
      body(journal_line(line))
          .find(R"("canary_ps":[],"across_ps":[512000],"chain_ps":[1000400,1031200],"empty_ps")"),
      std::string::npos);
}

TEST(JournalLine, MarksAndScratchAreToldOnlyWhereThereAreSome) {
  VisitLine line = visit();
  line.first_mark_record = 30;
  line.mark_records = 210;
  line.mark_records_crc = 0xdef;
  line.scratch_offset_bytes = 4160;
  const std::string text = body(journal_line(line));
  EXPECT_NE(text.find(R"("rank_records_crc":"00000000","first_mark_record":30,"mark_records":210,)"
                      R"("mark_records_crc":"00000def","warm_up":20)"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with(R"("recv_offset_bytes":0,"scratch_offset_bytes":4160)")) << text;
}

TEST(JournalLine, LostStartsAndLateRanksAreToldOnlyWhereThereAreSome) {
  VisitLine line = visit();
  line.lost = 7;
  line.apart = 2;
  line.skew_limit_ps = 1'000'000;
  line.late_ranks = {1023, 1, 4, 17, 0, 3};
  const std::string text = body(journal_line(line));
  EXPECT_TRUE(text.ends_with(R"("recv_offset_bytes":0,"lost":7,"apart":2,"skew_limit_ps":1000000,)"
                             R"("late_ranks":[1023,1,4,17,0,3])"))
      << text;
}

TEST(JournalLine, ACheckedVisitSaysSoAndAnyOtherSaysNothing) {
  VisitLine line = visit();
  EXPECT_EQ(body(journal_line(line)).find("checked"), std::string::npos);
  line.checked = true;
  EXPECT_TRUE(body(journal_line(line)).ends_with(R"("recv_offset_bytes":0,"checked":true)"));
}

TEST(JournalLine, FailureNamesRankHostAndReason) {
  EXPECT_EQ(body(journal_line(FailureLine{.cell = 4,
                                          .kind = "wrong result",
                                          .reason = "element 3 is \"7\"",
                                          .rank = 1,
                                          .host = "node2"})),
            R"({"type":"failure","cell":4,"kind":"wrong result",)"
            R"("reason":"element 3 is \"7\"","rank":1,"host":"node2")");
}

TEST(JournalLine, EndHasTheChecksumOfEveryFile) {
  EXPECT_EQ(body(journal_line(EndLine{.files = {{"timings.bin", 0xe3069283U}, {"env.json", 1}},
                                      .journal_bytes = 4711,
                                      .journal_crc = 2,
                                      .ticks_per_s = 2.5e9,
                                      .rate_change_ppm = 0.125})),
            R"({"type":"end","files":{"env.json":"00000001","timings.bin":"e3069283"},)"
            R"("journal_bytes":4711,"journal_crc":"00000002","ticks_per_s":2.5e+09,)"
            R"("rate_change_ppm":0.125)");
}

TEST(LineCrc, KnownLineHasItsPublishedChecksum) {
  EXPECT_EQ(with_line_crc("123456789"), R"(123456789,"line_crc":"e3069283"})");
}

TEST(LineCrc, OwnLinesHold) {
  for (const std::string& line :
       {journal_line(visit()), journal_line(FailureLine{}), journal_line(EndLine{})}) {
    EXPECT_TRUE(line_crc_holds(line)) << line;
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.back(), '}');
  }
}

TEST(LineCrc, EveryChangedByteIsFound) {
  const std::string good = journal_line(visit());
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (int value = 0; value < 256; ++value) {
      std::string bad = good;
      bad[i] = static_cast<char>(value);
      ASSERT_EQ(line_crc_holds(bad), bad == good) << "byte " << i << " as " << value;
    }
  }
}

TEST(LineCrc, CutAndJoinedLinesDoNotHold) {
  const std::string good = journal_line(visit());
  for (std::size_t length = 0; length < good.size(); ++length) {
    ASSERT_FALSE(line_crc_holds(good.substr(0, length))) << length;
    ASSERT_FALSE(line_crc_holds(good.substr(good.size() - length))) << length;
  }
  EXPECT_FALSE(line_crc_holds(good + ' '));
  EXPECT_FALSE(line_crc_holds(good + good));
}

}  // namespace
}  // namespace invar::record

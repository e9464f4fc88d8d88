// Has a launch written its last line? Asked again and again while it runs, of the file's end alone.
#include "store/journal_reader.hpp"

#include <gtest/gtest.h>

#include "base/crc32c.hpp"
#include "store/tampering.hpp"
#include "store/test_dir.hpp"

namespace invar::store {
namespace {

class JournalIsEnded : public testing::Test {
 protected:
  // Whether a file with this text is.
  [[nodiscard]] bool ended(const std::string& text) const {
    put(dir_ / "journal.jsonl", text);
    return journal_is_ended(dir_ / "journal.jsonl");
  }

  static std::string visits(std::uint32_t count) {
    std::string text;
    for (std::uint32_t i = 0; i < count; ++i) {
      text += record::journal_line(record::VisitLine{.visit = i + 1, .canary_ps = {1, 2}}) + '\n';
    }
    return text;
  }
  // Without line feed.
  static std::string end_of(const std::string& before) {
    return record::journal_line(record::EndLine{
        .files = {{"env.json", 1}, {"ranks.bin", 2}, {"timings.bin", 3}, {"visits.csv", 4}},
        .journal_bytes = before.size(),
        .journal_crc = base::crc32c(before),
        .ticks_per_s = 1e9});
  }
  static std::string whole(std::uint32_t count) {
    return visits(count) + end_of(visits(count)) + '\n';
  }

  const TestDir dir_ = {};
};

TEST_F(JournalIsEnded, WithItsEndLine) { EXPECT_TRUE(ended(whole(3))); }

TEST_F(JournalIsEnded, WithAnEndLineAlone) { EXPECT_TRUE(ended(whole(0))); }

// Only the last 4 KiB are read.
TEST_F(JournalIsEnded, WithAnEndLineBehindManyOthers) {
  const std::string text = whole(30);
  ASSERT_GT(text.size(), 2U * 4096);
  EXPECT_TRUE(ended(text));
  EXPECT_FALSE(ended(visits(30)));
  EXPECT_FALSE(ended(text.substr(0, text.size() - 1)));
}

TEST_F(JournalIsEnded, NotWithoutAnEndLine) { EXPECT_FALSE(ended(visits(3))); }

TEST_F(JournalIsEnded, NotWithOneLineThatIsAVisit) { EXPECT_FALSE(ended(visits(1))); }

TEST_F(JournalIsEnded, NotWithinTheEndLine) {
  const std::string text = whole(3);
  for (std::size_t size = visits(3).size(); size < text.size(); ++size) {
    ASSERT_FALSE(ended(text.substr(0, size))) << size << " of " << text.size() << " bytes";
  }
}

TEST_F(JournalIsEnded, NotWhereTheEndLinesChecksumIsWrong) {
  const std::string text = whole(3);
  for (std::size_t byte = visits(3).size(); byte + 1 < text.size(); ++byte) {
    std::string damaged = text;
    damaged[byte] = static_cast<char>(static_cast<unsigned char>(damaged[byte]) ^ 1U);
    ASSERT_FALSE(ended(damaged)) << "byte " << byte;
  }
}

TEST_F(JournalIsEnded, NotWhereSomethingFollows) {
  EXPECT_FALSE(ended(whole(3) + visits(1)));
  EXPECT_FALSE(ended(whole(3) + "\n"));
}

TEST_F(JournalIsEnded, NotWithoutContent) {
  EXPECT_FALSE(ended(""));
  EXPECT_FALSE(ended("\n"));
}

TEST_F(JournalIsEnded, NotWithoutAFile) {
  EXPECT_FALSE(journal_is_ended(dir_ / "none.jsonl"));
  EXPECT_FALSE(journal_is_ended(dir_.path())) << "a folder";
}

// Found by fuzzing: the checksum holds, the number does not fit.
TEST(ReadJournal, ANumberThatFitsNoFieldIsAFault) {
  for (const char* cell : {"2.2e98", "4294967297", "1.5", "-1"}) {
    const std::string line =
        record::with_line_crc(std::string(R"({"type":"failure","cell":)") + cell +
                              R"(,"kind":"error","reason":"r","rank":0,"host":"h")");
    const Journal journal = read_journal(line + '\n', "journal.jsonl");
    EXPECT_TRUE(journal.failures.empty()) << cell;
    ASSERT_EQ(journal.faults.size(), 1U) << cell;
    EXPECT_NE(journal.faults[0].what.find("whole number from 0 to 4294967295"), std::string::npos)
        << journal.faults[0].what;
  }
}

TEST(ReadJournal, LostStartsAndLateRanksAreReadBack) {
  const record::VisitLine plain{.visit = 1};
  const record::VisitLine lost{
      .visit = 2, .lost = 7, .apart = 2, .skew_limit_ps = 1'000'000, .checked = true};
  record::VisitLine late = plain;
  late.visit = 3;
  late.late_ranks = {1023, 1, 4, 17, 0, 3};
  const Journal journal = read_journal(
      journal_line(plain) + '\n' + journal_line(lost) + '\n' + journal_line(late) + '\n',
      "journal.jsonl");
  EXPECT_TRUE(journal.faults.empty());
  EXPECT_EQ(journal.visits, (std::vector{plain, lost, late}));
}

TEST(ReadJournal, CountOfLostStartsIsNeverNone) {
  std::string line = journal_line(record::VisitLine{.lost = 7});
  line.replace(line.find("\"lost\":7"), 8, "\"lost\":0");
  line = record::with_line_crc(line.substr(0, line.find(",\"line_crc\"")));
  EXPECT_EQ(read_journal(line + '\n', "journal.jsonl").faults.size(), 1U);
}

// Journals of earlier versions have no such keys; one rank a host has a chain and no line.
TEST(ReadJournal, CanariesOfEveryKindAreReadBack) {
  const record::VisitLine before{.visit = 1, .canary_ps = {1, 2}};
  record::VisitLine all = before;
  all.visit = 2;
  all.across_ps = {3, 4};
  all.chain_ps = {5, 6};
  const record::VisitLine alone{.visit = 3, .chain_ps = {7}};
  const Journal journal = read_journal(
      journal_line(before) + '\n' + journal_line(all) + '\n' + journal_line(alone) + '\n',
      "journal.jsonl");
  EXPECT_TRUE(journal.faults.empty());
  EXPECT_EQ(journal.visits, (std::vector{before, all, alone}));
}

TEST(ReadJournal, MarksScratchAndChecksAreReadBack) {
  const record::VisitLine plain{.visit = 1, .canary_ps = {1, 2}};
  record::VisitLine marked = plain;
  marked.visit = 2;
  marked.first_mark_record = 30;
  marked.mark_records = 210;
  marked.mark_records_crc = 0xdef;
  marked.scratch_offset_bytes = 4160;
  marked.checked = true;
  record::VisitLine checked = plain;
  checked.visit = 3;
  checked.checked = true;
  const Journal journal = read_journal(
      journal_line(plain) + '\n' + journal_line(marked) + '\n' + journal_line(checked) + '\n',
      "journal.jsonl");
  EXPECT_TRUE(journal.faults.empty());
  EXPECT_EQ(journal.visits, (std::vector{plain, marked, checked}));
}

}  // namespace
}  // namespace invar::store

// The factor `segment` of algorithms that cut their messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "design/helpers.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;
using testing::HasSubstr;

// bcast cuts its vector, allreduce the shares of it.
Surroundings cutting() {
  Surroundings around = surroundings(1, 8);
  for (record::OperationInfo& info : around.operations[0]) {
    if (info.name == "bcast") info.segments = record::Segments::kOfBlock;
    if (info.name == "allreduce") info.segments = record::Segments::kOfShare;
  }
  return around;
}

Campaign cut_campaign_of(const std::string& cells) {
  return read_campaign(with_head(cells + "[[arm]]\nlibrary = \"a\"\n"), "c.toml");
}

std::vector<std::string> cells_cut(const std::string& cells) {
  std::vector<std::string> all;
  for (const record::Cell& cell :
       resolve_cells(cut_campaign_of(cells), cutting(), "c.toml").cells) {
    all.push_back(cell.operation + ' ' + std::to_string(*cell.size_bytes) + ' ' +
                  std::to_string(cell.segment_bytes));
  }
  return all;
}

std::vector<std::string> faults(const std::string& cells) {
  const Campaign campaign = cut_campaign_of(cells);
  return faults_of([&] { (void)resolve_cells(campaign, cutting(), "c.toml"); });
}

TEST(Segments, ThatAreNotBelowTheMessageAreMeasuredOnceAsNone) {
  EXPECT_THAT(cells_cut("[[cells]]\noperation = \"bcast\"\nsize = [512, 1024, 2048]\n"
                        "segment = [\"1KiB\", \"0\", \"4KiB\"]\n"),
              ElementsAre("bcast 512 0", "bcast 1024 0", "bcast 2048 1024", "bcast 2048 0"));
}

TEST(Segments, OfSharesAreComparedWithTheShareOfARank) {
  EXPECT_THAT(
      cells_cut("[[cells]]\noperation = \"allreduce\"\nsize = [2048, 4096, 4100]\nranks = 4\n"
                "segment = \"1KiB\"\n"),
      ElementsAre("allreduce 2048 0", "allreduce 4096 0", "allreduce 4100 1024"))
      << "4100 bytes are 1025 int32, and the largest share is 257 of them";
}

TEST(Segments, OfOperationsThatCutNothingAreNone) {
  EXPECT_THAT(
      cells_cut("[[cells]]\noperation = [\"reduce\", \"bcast\"]\nsize = 64\nsegment = \"8\"\n"),
      ElementsAre("reduce 64 0", "bcast 64 8"));
  EXPECT_THAT(faults("[[cells]]\noperation = \"reduce\"\nsize = 64\nsegment = \"8\"\n"),
              ElementsAre(HasSubstr("none of these operations cuts its messages into segments")));
}

TEST(Segments, ThatAreNoMultipleOfTheDatatypeAreRefused) {
  EXPECT_THAT(
      faults("[[cells]]\noperation = \"allreduce\"\nsize = 64\nsegment = \"10\"\n"),
      ElementsAre(HasSubstr("a segment of 10 bytes is not a multiple of the 4 bytes of int32")));
}

TEST(Segments, ThatAreNoSizeAreRefusedWhereTheyStand) {
  EXPECT_THAT(campaign_faults(with_head("[[cells]]\noperation = \"bcast\"\nsize = 64\n"
                                        "segment = \"8 pages\"\n")),
              ElementsAre(HasSubstr("c.toml:7:11: 'segment' of [[cells]] is not the length of a "
                                    "segment: ")));
}

TEST(Segments, AreToldWhereThereAreSome) {
  const auto resolved = resolve_cells(
      cut_campaign_of("[[cells]]\noperation = \"bcast\"\nsize = 64\nsegment = [\"0\", \"8\"]\n"),
      cutting(), "c.toml");
  EXPECT_THAT(record::cell_text(resolved.cells[0]), testing::Not(HasSubstr("segment")));
  EXPECT_THAT(record::cell_text(resolved.cells[1]), HasSubstr(", segment 8 B"));
}

}  // namespace
}  // namespace invar::design

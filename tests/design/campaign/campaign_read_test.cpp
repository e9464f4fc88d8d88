// What a campaign's TOML means when nothing is wrong with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "design/campaign/campaign_keys.hpp"
#include "design/helpers.hpp"
#include "design/memory_operations.hpp"
#include "design/plan/families.hpp"

namespace invar::design {
namespace {

using namespace test;  // NOLINT
using testing::ElementsAre;

Campaign read(const std::string& toml) { return read_campaign(toml, "c.toml"); }

TEST(ReadCampaign, EveryKeyIsUnderstood) {
  const Campaign campaign = read(R"(
schema = 1
name = "all keys"
seed = 9223372036854775807

[design]
launches = { min = 4, max = 9 }
budget = "2.5m"
stopping = "fixed"
rounds = 6
repetitions = 30
order = "as-written"

[[cells]]
operation = ["reduce", "barrier"]
size = ["1KiB", 8]
ranks = 4
root = 3
datatype = "int32"
reduction = "sum"

[engine]
pairing = "launches"
sync = "double-barrier"
clock = "monotonic-raw"
cache = "warm"
record = "per-rank"
oversubscribe = true
pinning = "none"
dither = "0.5us"

[[arm]]
library = "openmpi"
label = "slow"
settings = { OMPI_MCA_btl = "self,vader", "env:A_B" = "" }

[[arm]]
library = "mpich"
ops = "my-operations"

[analysis]
method = "reprompi"
runtime = "local"
min-effect = "5%"
alpha = 0.01
correction = "holm"
)");
  EXPECT_EQ(campaign.name, "all keys");
  EXPECT_EQ(campaign.seed, kMaxSeed);
  EXPECT_EQ(campaign.launches, (Launches{.min = 4, .max = 9}));
  EXPECT_EQ(campaign.budget_s, 150.0);
  EXPECT_EQ(campaign.rounds, 6U);
  EXPECT_EQ(campaign.repetitions, 30U);
  EXPECT_FALSE(campaign.shuffled);
  ASSERT_EQ(campaign.cells.size(), 1U);
  const CellsBlock& block = campaign.cells[0];
  EXPECT_THAT(block.operations, ElementsAre("reduce", "barrier"));
  EXPECT_THAT(block.sizes_bytes, ElementsAre(1024, 8)) << "as written, not sorted";
  EXPECT_EQ(
      block.levels,
      (Levels{{"ranks", {"4"}}, {"root", {"3"}}, {"datatype", {"int32"}}, {"reduction", {"sum"}}}));
  EXPECT_EQ(campaign.engine, (EngineOptions{.pairing = "launches",
                                            .levels = {{"sync", {"double-barrier"}},
                                                       {"arrival", {"none"}},
                                                       {"clock", {"monotonic-raw"}},
                                                       {"cache", {"warm"}},
                                                       {"placement", {"random"}},
                                                       {"dither", {"500"}}},
                                            .record = "per-rank",
                                            .pinning = "none",
                                            .oversubscribe = true}));
  ASSERT_EQ(campaign.arms.size(), 2U);
  EXPECT_EQ(campaign.arms[0].label, "slow");
  EXPECT_THAT(campaign.arms[0].settings,
              ElementsAre(std::pair("OMPI_MCA_btl", "self,vader"), std::pair("env:A_B", "")))
      << "in the order written";
  EXPECT_EQ(campaign.arms[0].operations, "");
  EXPECT_EQ(campaign.arms[1].operations, "my-operations");
  EXPECT_EQ(campaign.arms[1].label, "mpich") << "the library's name where there is no label";
  EXPECT_EQ(campaign.analysis, (AnalysisOptions{.method = "reprompi",
                                                .runtime = "local",
                                                .min_effect = 0.05,
                                                .alpha = 0.01,
                                                .correction = "holm"}));
}

TEST(ReadCampaign, AbsentKeysHaveTheDocumentedDefaults) {
  Campaign expected{.name = "n", .seed = 7};
  expected.cells.resize(1);
  expected.cells[0].operations = {"bcast"};
  expected.cells[0].sizes_bytes = {8};
  EXPECT_EQ(read(with_cells("")), expected);
  EXPECT_EQ(expected.launches, (Launches{.min = 3, .max = 60}));
  EXPECT_EQ(expected.rounds, 10U);
  EXPECT_EQ(expected.repetitions, 50U);
  EXPECT_TRUE(expected.shuffled);
  EXPECT_THAT(expected.engine.levels.at("sync"), ElementsAre("round-time"));
  EXPECT_THAT(expected.engine.levels.at("dither"), ElementsAre("1000")) << "nanoseconds";
}

TEST(ReadCampaign, WhatIsRepeatedIsReadBackAsItWasWritten) {
  const Campaign usual = read(with_cells(""));
  EXPECT_EQ(usual.engine.retry_cap, 2);
  EXPECT_EQ(usual.engine.skew_limit_s, 1e-6);
  EXPECT_EQ(campaign_toml(usual).find("retry-cap"), std::string::npos)
      << "campaigns from before there was the key stay as they were";
  const Campaign campaign =
      read(with_cells("[engine]\nretry-cap = 1.5\nskew-limit = \"2500ns\"\n"));
  EXPECT_EQ(campaign.engine.retry_cap, 1.5);
  EXPECT_DOUBLE_EQ(campaign.engine.skew_limit_s, 2500e-9);
  EXPECT_EQ(read(campaign_toml(campaign)), campaign);
}

TEST(ReadCampaign, LaunchesMayBeANumberOrOneBound) {
  const auto launches = [](const std::string& value) {
    return read(with_cells("[design]\nlaunches = " + value + "\n")).launches;
  };
  EXPECT_EQ(launches("30"), (Launches{.min = 30, .max = 30}));
  EXPECT_EQ(launches("{ min = 5 }"), (Launches{.min = 5, .max = 60}));
  EXPECT_EQ(launches("{ max = 20 }"), (Launches{.min = 3, .max = 20}));
  // The default of the other bound follows.
  EXPECT_EQ(launches("{ max = 2 }"), (Launches{.min = 2, .max = 2}));
  EXPECT_EQ(launches("{ min = 100 }"), (Launches{.min = 100, .max = 100}));
}

TEST(ReadCampaign, LooksGoUpToThirtyLaunchesOrAsFarAsAsked) {
  const std::string looks = "[design]\nstopping = \"looks\"\n";
  const Campaign all = read_campaign(with_cells(looks), "c.toml");
  EXPECT_EQ(all.stopping, Stopping::kLooks);
  EXPECT_EQ(all.launches, (Launches{.min = 3, .max = 30}));
  const Campaign some = read_campaign(with_cells(looks + "launches = { max = 12 }\n"), "c.toml");
  EXPECT_EQ(some.launches, (Launches{.min = 3, .max = 12}));
  EXPECT_EQ(read_campaign(campaign_toml(some), "c.toml").launches, some.launches);
  EXPECT_EQ(read_campaign(campaign_toml(some), "c.toml").stopping, Stopping::kLooks);
}

TEST(ReadCampaign, DitherMayBeOff) {
  for (const char* text : {"off", "0s"}) {
    const std::string toml = with_cells("[engine]\ndither = \"" + std::string(text) + "\"\n");
    EXPECT_THAT(read(toml).engine.levels.at("dither"), ElementsAre("0"));
  }
}

TEST(ReadCampaign, AnyFactorMayHaveSeveralLevels) {
  const Campaign campaign = read(with_head(R"([[cells]]
operation = "allreduce"
size = 8
nodes = [1, 2]
ppn = 1
mapping = ["packed", "round-robin"]
rank-order = "reversed"
root = [0, "rotating", 3]
in-place = [true, false]
cache = ["cold-flush", "warm"]
[engine]
sync = ["round-time", "barrier"]
dither = ["off", "1.5us"]
)"));
  EXPECT_EQ(campaign.cells[0].levels, (Levels{{"nodes", {"1", "2"}},
                                              {"ppn", {"1"}},
                                              {"mapping", {"packed", "round-robin"}},
                                              {"rank-order", {"reversed"}},
                                              {"root", {"0", "rotating", "3"}},
                                              {"in-place", {"yes", "no"}},
                                              {"cache", {"cold-flush", "warm"}}}));
  EXPECT_THAT(campaign.engine.levels.at("sync"), ElementsAre("round-time", "barrier"));
  EXPECT_THAT(campaign.engine.levels.at("dither"), ElementsAre("0", "1500"));
  EXPECT_EQ(read(campaign_toml(campaign)), campaign) << campaign_toml(campaign);
}

TEST(ReadCampaign, SizesAreListsRangesAndRandom) {
  const auto block = [](const std::string& value) {
    return read(with_head("[[cells]]\noperation = \"bcast\"\nsize = " + value + "\n")).cells.at(0);
  };
  EXPECT_THAT(block("8").sizes_bytes, ElementsAre(8));
  EXPECT_THAT(block("\"1.5KiB\"").sizes_bytes, ElementsAre(1536));
  EXPECT_THAT(block("{ from = \"4\", to = \"64KiB\", factor = 16 }").sizes_bytes,
              ElementsAre(4, 64, 1024, 16384));
  EXPECT_THAT(block("{ from = 0, to = 20, step = \"8B\" }").sizes_bytes, ElementsAre(0, 8, 16));
  const CellsBlock mixed =
      block("[0, { from = 1, to = 4, factor = 2 }, { loguniform = [\"1\", \"1MiB\"], count = 3 }]");
  EXPECT_THAT(mixed.sizes_bytes, ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(mixed.random_sizes,
              ElementsAre(RandomSizes{.low_bytes = 1, .high_bytes = 1U << 20U, .count = 3}));
}

TEST(ReadCampaign, SameArmTwiceIsAnAATest) {
  const Campaign campaign =
      read(with_cells("[[arm]]\nlibrary = \"openmpi\"\n[[arm]]\nlibrary = \"openmpi\"\n"));
  EXPECT_EQ(campaign.arms.at(0).label, "openmpi#1");
  EXPECT_EQ(campaign.arms.at(1).label, "openmpi#2");
}

TEST(CampaignToml, WhatIsWrittenReadsBack) {
  Campaign campaign = small_campaign(3, 4, 5);
  campaign.name = "quotes \" and \\ and \xc3\xa4";
  campaign.budget_s = 0.1;
  campaign.shuffled = false;
  campaign.arms[1].settings = {{"UCX_TLS", "tcp,self"}, {"env:Z", "a\\b\"c"}, {"FI_A", ""}};
  campaign.arms[0].operations = "/my \"own\"/operations";
  campaign.cells[0].levels["root"] = {"0"};
  campaign.cells.push_back({});
  campaign.cells[1].operations = {"barrier"};
  campaign.cells.push_back({});
  campaign.cells[2].operations = {"scan", "reduce"};
  campaign.cells[2].random_sizes = {{.low_bytes = 4, .high_bytes = 4096, .count = 9}};
  campaign.cells[2].levels = {
      {"ranks", {"2"}}, {"datatype", {"int32"}}, {"reduction", {"sum"}}, {"cache", {"warm"}}};
  campaign.engine.levels["dither"] = {"0"};
  campaign.analysis.alpha = 1e-5;
  EXPECT_EQ(read(campaign_toml(campaign)), campaign) << campaign_toml(campaign);
  // Written out once, it never changes again.
  EXPECT_EQ(campaign_toml(read(campaign_toml(campaign))), campaign_toml(campaign));
}

TEST(CampaignToml, FactorsThatStayTogetherAreKept) {
  Campaign campaign = small_campaign(1, 1, 1);
  campaign.together = {"root", "rank-order"};
  EXPECT_EQ(read(campaign_toml(campaign)).together, campaign.together);
}

TEST(CampaignToml, LevelsThatAreComparedAreMeasuredTogether) {
  Campaign campaign = small_campaign(1, 1, 1);
  campaign.cells[0].sizes_bytes = {8, 64};
  campaign.analysis.against = "size";
  const Campaign again = read(campaign_toml(campaign));
  EXPECT_EQ(again.analysis.against, "size");
  EXPECT_EQ(again.together, std::vector<std::string>{"size"});
}

TEST(CampaignToml, TimesAndSharesKeepEveryBit) {
  Campaign campaign = small_campaign(1, 1, 1);
  for (const char* text : {"1us", "1.5us", "7ns", "0.3us", "20ms", "333.3us", "1.1ms"}) {
    campaign = read(with_cells("[engine]\ndither = \"" + std::string(text) + "\"\n"));
    EXPECT_EQ(read(campaign_toml(campaign)), campaign) << text;
    EXPECT_NE(campaign_toml(campaign).find("dither = \"" + std::string(text) + "\""),
              std::string::npos)
        << campaign_toml(campaign);
  }
  for (int tenths = 0; tenths < 1000; ++tenths) {
    const std::string text = std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + "%";
    campaign = read(with_cells("[analysis]\nmin-effect = \"" + text + "\"\n"));
    EXPECT_EQ(read(campaign_toml(campaign)), campaign) << text;
  }
}

TEST(CampaignToml, AGateKeepsItsMargin) {
  for (const char* margin : {"0%", "5%", "7%", "2.5%", "0.1%", "150%"}) {
    const std::string line = "fail-on = \"slower:" + std::string(margin) + "\"\n";
    const Campaign campaign = read(with_cells("[analysis]\n" + line));
    ASSERT_TRUE(campaign.analysis.gate) << margin;
    EXPECT_NE(campaign_toml(campaign).find(line), std::string::npos) << campaign_toml(campaign);
    EXPECT_EQ(read(campaign_toml(campaign)), campaign) << margin;
  }
  EXPECT_EQ(campaign_toml(read(with_cells(""))).find("fail-on"), std::string::npos);
}

TEST(CampaignToml, SeedBeyondTomlIsRefused) {
  Campaign campaign = small_campaign(1, 1, 1);
  campaign.seed = kMaxSeed + 1;
  EXPECT_THROW((void)campaign_toml(campaign), std::invalid_argument);
}

TEST(ShortCampaign, FitsOnAScreenAndIsWhatWasAskedFor) {
  const std::vector<Arm> arms{parse_arm("openmpi", "init"),
                              parse_arm("slow=mpich:MPIR_CVAR_BCAST_INTRA_ALGORITHM=binomial", "")};
  const std::string text = short_campaign(arms, {"bcast", "barrier"}, {8, 1024, 1500, 65536});
  EXPECT_LT(std::ranges::count(text, '\n'), 40);
  const Campaign campaign = read(text);
  EXPECT_EQ(campaign.cells[0].operations, (std::vector<std::string>{"bcast", "barrier"}));
  EXPECT_EQ(campaign.cells[0].sizes_bytes, (std::vector<std::uint64_t>{8, 1024, 1500, 65536}));
  ASSERT_EQ(campaign.arms.size(), 2U);
  EXPECT_EQ(campaign.arms[1].label, "slow");
  EXPECT_EQ(campaign.arms[1].settings.size(), 1U);
  EXPECT_EQ(campaign.stopping, Stopping::kLooks);
  EXPECT_TRUE(read(short_campaign({}, {"bcast"}, {8})).arms.empty());
}

TEST(ShortCampaign, OfSixArmsStillFitsOnAScreen) {
  std::vector<Arm> arms;
  for (const char* word : {"openmpi", "mpich", "intel", "mpich-5", "openmpi-5",
                           "rd=openmpi:OMPI_MCA_coll_tuned_allreduce_algorithm=3,UCX_TLS=sm"}) {
    arms.push_back(parse_arm(word, "init"));
  }
  label_arms(arms);
  const std::string text = short_campaign(arms, {"bcast"}, {8});
  EXPECT_LT(std::ranges::count(text, '\n'), 40);
  EXPECT_EQ(read(text).arms, arms);
}

TEST(CommentedCampaign, IsAValidCampaignThatCanBePlanned) {
  Campaign campaign = read(commented_campaign());
  Arm arm;
  arm.label = arm.library = "openmpi";
  campaign.arms = {arm};
  EXPECT_EQ(resolved(campaign).cells.size(), 2 * 8 + 2 + 1U);
}

TEST(CommentedCampaign, ShowsTheDefaults) {
  Campaign campaign = read(commented_campaign());
  const Campaign defaults;
  EXPECT_EQ(campaign.launches, defaults.launches);
  EXPECT_EQ(campaign.rounds, defaults.rounds);
  EXPECT_EQ(campaign.repetitions, defaults.repetitions);
  EXPECT_EQ(campaign.shuffled, defaults.shuffled);
  EXPECT_EQ(campaign.engine, defaults.engine);
  EXPECT_EQ(campaign.analysis, defaults.analysis);
}

TEST(CommentedCampaign, ExplainsEveryKey) {
  const std::string text = commented_campaign();
  for (const TableKeys* table :
       {&kTopKeys, &kDesignKeys, &kCellsKeys, &kFamilyKeys, &kGuidelineKeys, &kRaceKeys,
        &kRaceCandidateKeys, &kLeftCandidateKeys, &kEntryKeys, &kEngineKeys, &kClockKeys,
        &kVirtualClocksKeys, &kArmKeys, &kAnalysisKeys}) {
    for (const std::string& key : all_keys(*table)) {
      const bool told = text.find(key + " = ") != std::string::npos ||
                        text.find("[" + key + "]") != std::string::npos ||
                        text.find("." + key + "]") != std::string::npos;
      EXPECT_TRUE(told) << table->table << " " << key;
    }
  }
}

TEST(CommentedCampaign, NamesEveryOperationAndItsCommentedPartsAreValid) {
  const std::string text = commented_campaign();
  // Those that the engine has; non-blocking and persistent ones by the name that they come from,
  // mock-ups (allreduce=reduce+bcast) and reference algorithms (allreduce@ring) by an example each.
  const std::string list =
      base::read_file(std::string(INVAR_SOURCE_DIR) + "/src/ops/catalogue.def").value_or("");
  std::set<std::string> names;
  for (const std::string_view line : base::split(list, '\n')) {
    const std::vector<std::string_view> parts = base::split(line, '"');
    if (!line.starts_with("INVAR_OPERATION") || parts.size() < 2) continue;
    if (parts[1].find_first_of("=@") == std::string_view::npos) names.emplace(parts[1]);
  }
  EXPECT_GT(names.size(), 60U);
  for (const std::string example : {"allreduce=reduce+bcast", "allreduce@ring"}) {
    EXPECT_TRUE(list.find('"' + example + '"') != std::string::npos &&
                text.find(example) != std::string::npos)
        << example;
  }
  for (const std::string& name : names) {
    std::string from = name;
    if (from.ends_with("_init")) from.resize(from.size() - 5);
    if (from.ends_with("_c")) from.resize(from.size() - 2);
    if (from.starts_with("i") && names.contains(from.substr(1))) from.erase(0, 1);
    EXPECT_TRUE(text.find(" " + from + ",") != std::string::npos ||
                text.find(" " + from + ".") != std::string::npos)
        << name;
  }
  // `# key = value` and `# [[arm]]` with the sign removed are still a campaign.
  std::string uncommented;
  std::string_view table;
  for (const std::string_view line : base::split(text, '\n')) {
    if (line.starts_with("# [[")) table = line;
    // The first block has them, too, and could have no levels of them.
    const bool of_memory =
        table == "# [[cells]]" && (line.starts_with("# loops =") || line.starts_with("# pages ="));
    const bool code = line.starts_with("# [[") || line.starts_with("# library =") ||
                      line.starts_with("# label =") || line.starts_with("# settings =") ||
                      line.starts_with("# ranks =") || line.starts_with("# name =") ||
                      line.starts_with("# cells =") || line.starts_with("# rule =") ||
                      line.starts_with("# families =") || line.starts_with("# not-measured =") ||
                      line.starts_with("# operation =") || line.starts_with("# size =") ||
                      line.starts_with("# family =") || line.starts_with("# candidates =") ||
                      line.starts_with("# not-raced =") || line.starts_with("# from =") ||
                      line.starts_with("# to =") || line.starts_with("# candidate =") || of_memory;
    uncommented += std::string(code ? line.substr(2) : line) + '\n';
  }
  const Campaign campaign = read(uncommented);
  EXPECT_EQ(campaign.arms.size(), 2U);
  EXPECT_THAT(campaign.cells[0].levels.at("ranks"), ElementsAre("2"));
  EXPECT_THAT(campaign.cells.back().levels.at("pages"), ElementsAre("default", "thp"));
  const ResolvedCells cells =
      resolve_cells(campaign, test::with_memory_operations(2, campaign.arms.size()), "c.toml");
  EXPECT_THAT(family_texts(cells.cells), ElementsAre("reduce-and-bcast: 2 cells"));
  ASSERT_EQ(campaign.guidelines.size(), 1U);
  EXPECT_EQ(campaign.guidelines[0].not_measured.size(), 1U);
  ASSERT_EQ(campaign.races.size(), 1U);
  EXPECT_EQ(campaign.races[0].candidates.size(), 2U);
  EXPECT_EQ(campaign.entries.size(), 1U);
}

// As if none of the keys of [engine] had been known.
constexpr const char* kSilentCampaign =
    "schema = 1\nname = \"old\"\nseed = 1\n[[cells]]\noperation = \"bcast\"\nsize = 8\n"
    "[[arm]]\nlibrary = \"openmpi\"\n";

TEST(SealedCampaign, KeysThatItLacksMeanWhatAbsentColumnsDo) {
  const Campaign campaign = read_sealed_campaign(kSilentCampaign, "om/campaign.toml");
  for (const record::Factor& factor : record::factors()) {
    if (!factor.in_engine) continue;
    EXPECT_THAT(campaign.engine.levels.at(std::string(factor.key)), ElementsAre(*factor.absent));
  }
}

// As it is once a usual level was changed.
TEST(SealedCampaign, DoesNotFollowAUsualLevelThatWasChangedSince) {
  record::Cell absent;
  absent.dither_ns = 7;
  absent.cache = "cold-flush";
  const Campaign sealed = read_sealed_campaign(kSilentCampaign, "om/campaign.toml", absent);
  for (const record::Cell& cell : resolved(sealed).cells) {
    EXPECT_EQ(cell.dither_ns, 7U);
    EXPECT_EQ(cell.cache, "cold-flush");
  }
  EXPECT_EQ(resolved(read(kSilentCampaign)).cells.front().dither_ns, record::Cell().dither_ns);
}

// So a key is missing only where its factor was unknown.
TEST(SealedCampaign, SaysTheLevelOfEveryFactorOfTheEngine) {
  record::Cell absent;
  absent.dither_ns = 7;
  absent.sync = "barrier";
  const Campaign written = read(kSilentCampaign);
  EXPECT_EQ(read_sealed_campaign(campaign_toml(written), "om/campaign.toml", absent), written);
}

// In every room of the folder: no library is needed for it.
TEST(Campaigns, ThoseThatShipAreValid) {
  std::size_t campaigns = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(
           std::string(INVAR_SOURCE_DIR) + "/campaigns")) {
    if (entry.path().extension() != ".toml") continue;
    const auto text = base::read_file(entry.path().string());
    ASSERT_TRUE(text) << entry.path();
    EXPECT_NO_THROW((void)read_campaign(*text, entry.path().string())) << entry.path();
    ++campaigns;
  }
  EXPECT_GT(campaigns, 10U);
}

TEST(Quickstart, IsForAllLibrariesAndAllCores) {
  const auto text = base::read_file(std::string(INVAR_SOURCE_DIR) + "/campaigns/quickstart.toml");
  Campaign campaign = read(text.value_or(""));
  EXPECT_TRUE(campaign.arms.empty());
  EXPECT_LE(campaign.budget_s.value_or(1e9), 150);
  campaign.arms = small_campaign(2, 1, 1).arms;
  const ResolvedCells cells = resolve_cells(campaign, surroundings(2, 4), "quickstart.toml");
  EXPECT_EQ(cells.cells.size(), 5 * 8 + 1U);
  for (const record::Cell& cell : cells.cells) EXPECT_EQ(cell.ranks, 4U);
}

}  // namespace
}  // namespace invar::design

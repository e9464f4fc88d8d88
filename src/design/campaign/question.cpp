#include "design/campaign/question.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "design/campaign/campaign.hpp"
#include "design/factors/levels.hpp"

namespace invar::design {
namespace {

Position written_at(const Campaign& campaign) { return campaign.analysis.positions.of("question"); }

// Levels of the key in any block, or in [engine].
std::set<std::string> all_levels(const Campaign& campaign, std::string_view key) {
  std::set<std::string> found;
  for (const CellsBlock& block : campaign.cells) {
    const auto own = block.levels.find(key);
    const auto general = campaign.engine.levels.find(key);
    if (own != block.levels.end()) {
      found.insert(own->second.begin(), own->second.end());
    } else if (general != campaign.engine.levels.end()) {
      found.insert(general->second.begin(), general->second.end());
    }
  }
  return found;
}

std::optional<Conflict> nothing_varies(const Campaign& campaign) {
  // Without [[arm]] there are as many as the machine has libraries.
  const bool arms = campaign.arms.size() != 1;
  const bool launches = std::ranges::any_of(
      campaign.engine.launch_levels, [](const auto& levels) { return levels.second.size() > 1; });
  const bool cells = std::ranges::any_of(record::factors(), [&](const record::Factor& factor) {
    return all_levels(campaign, factor.key).size() > 1;
  });
  if (arms || launches || cells) return std::nullopt;
  return Conflict{written_at(campaign),
                  "question = \"factors\" has nothing to ask about: no factor has two levels",
                  "write levels, as in cache = [\"warm\", \"cold-flush\"], or several arms"};
}

std::optional<Conflict> nothing_planted(const Campaign& campaign) {
  const std::set<std::string> delays = all_levels(campaign, "delay");
  const bool planted = delays.size() > 1 && delays.contains("0");
  const bool twice = campaign.arms.size() == 2 &&
                     campaign.arms[0].library == campaign.arms[1].library &&
                     campaign.arms[0].settings == campaign.arms[1].settings;
  if (planted && twice) return std::nullopt;
  return Conflict{written_at(campaign),
                  "question = \"self-test\" needs one library twice, and cells with and without "
                  "planted delays",
                  "invar self-test --library NAME makes such a campaign"};
}

std::optional<Conflict> no_global_time(const Campaign& campaign) {
  const std::set<std::string> clocks = all_levels(campaign, "clock");
  if (clocks != std::set<std::string>{"mpi-wtime"}) return std::nullopt;
  return Conflict{written_at(campaign),
                  "question = \"local-global\" needs global times, which clock 'mpi-wtime' has not",
                  "use clock 'auto'"};
}

std::optional<Conflict> nobody_to_compare(const Campaign& campaign) {
  if (campaign.arms.size() != 1) return std::nullopt;
  return Conflict{written_at(campaign), "question = \"sync-bias\" compares arms, and there is one",
                  "write a second [[arm]]; the same library twice is an A/A test"};
}

std::optional<Conflict> nothing_predicted(const Campaign& campaign) {
  if (campaign.prediction) return std::nullopt;
  return Conflict{
      written_at(campaign), "question = \"nrep\" needs a rule for when repetitions are enough",
      "write repetitions = { predict = \"rse,cov-mean\" } into [design]; invar nrep ARM "
      "makes such a campaign"};
}

std::optional<Conflict> no_guidelines(const Campaign& campaign) {
  if (campaign.has_program()) {
    return Conflict{written_at(campaign),
                    "question = \"guidelines\" compares cells of one launch, and a program is run "
                    "by itself for every cell",
                    "leave the programs out"};
  }
  const bool measured = std::ranges::any_of(
      campaign.guidelines, [](const GuidelineBlock& block) { return !block.families.empty(); });
  if (measured) return std::nullopt;
  return Conflict{written_at(campaign),
                  "question = \"guidelines\" needs [[guideline]] with the families of its cells",
                  "invar guidelines ARM --rules FILE makes such a campaign"};
}

std::optional<Conflict> no_races(const Campaign& campaign) {
  if (campaign.has_program()) {
    return Conflict{written_at(campaign),
                    "question = \"tune\" switches algorithms inside of a library, and a program is "
                    "run as it is",
                    "leave the programs out"};
  }
  if (campaign.races.empty()) {
    return Conflict{written_at(campaign),
                    "question = \"tune\" needs [[race]] with what can be made to run in each cell",
                    "invar tune ARM makes such a campaign"};
  }
  // Switching points are looked for when the looks have chosen.
  if (campaign.stopping == Stopping::kLooks) return std::nullopt;
  return Conflict{
      written_at(campaign),
      "question = \"tune\" looks at what was measured, to measure what is beaten no more",
      "write stopping = \"looks\" into [design]"};
}

std::optional<Conflict> nothing_to_confirm(const Campaign& campaign) {
  if (campaign.arms.size() == 2 && !campaign.has_program() && !campaign.entries.empty()) {
    return std::nullopt;
  }
  return Conflict{
      written_at(campaign),
      "question = \"tune-confirm\" compares a library with and without a tuned file: two "
      "arms, and [[entry]] for what the file has",
      "invar tune --confirm DIR makes such a campaign"};
}

std::optional<Conflict> no_pairs(const Campaign& campaign) {
  const std::set<std::string> patterns = all_levels(campaign, "pattern");
  const bool any = std::ranges::any_of(patterns, [](const std::string& pattern) {
    return pattern == "all-pairs" || pattern.starts_with("matching:");
  });
  if (any) return std::nullopt;
  return Conflict{written_at(campaign),
                  "question = \"all-pairs\" needs cells in which every rank meets every other one",
                  "write pattern = \"all-pairs\" into [[cells]] of an operation that takes it"};
}

// Operations have a usual pattern, of two ranks, where nobody names one.
std::optional<Conflict> no_patterns(const Campaign& campaign) {
  if (!all_levels(campaign, "pattern").empty()) return std::nullopt;
  return Conflict{written_at(campaign),
                  "question = \"bisection\" needs cells whose pattern says who sends to whom",
                  "write pattern = [\"bisection\", \"random-matchings:20\"] into [[cells]] of an "
                  "operation that takes it (stream, exchange)"};
}

std::optional<Conflict> no_overlap(const Campaign& campaign) {
  std::set<std::string> amounts = all_levels(campaign, "compute");
  const bool off = amounts.erase("off") > 0;
  const bool in_families =
      std::ranges::find(campaign.together, "compute") != campaign.together.end() ||
      !campaign.families.empty();
  if (off && !amounts.empty() && in_families) return std::nullopt;
  return Conflict{written_at(campaign),
                  "question = \"overlap\" needs cells with and without computation in one family",
                  "write compute = [\"off\", \"1x\"] into [[cells]], and together = [\"compute\"] "
                  "into [design]"};
}

// The cells of the operation, whatever else they have.
const CellsBlock* block_with(const Campaign& campaign, std::string_view operation) {
  const auto found = std::ranges::find_if(campaign.cells, [&](const CellsBlock& block) {
    return std::ranges::find(block.operations, operation) != block.operations.end();
  });
  return found == campaign.cells.end() ? nullptr : &*found;
}

// A receive of a message that was there before.
bool receives_late(const Campaign& campaign) {
  return std::ranges::any_of(campaign.cells, [&](const CellsBlock& block) {
    if (std::ranges::find(block.operations, "recv") == block.operations.end()) return false;
    const std::vector<std::string>& arrivals = levels_of(campaign, block, "arrival");
    return std::ranges::any_of(arrivals, [](const std::string& level) {
      return level.starts_with("last-late:") || level.starts_with("first-late:");
    });
  });
}

// Without one of these nothing can be taken apart: half a round trip is what a sender, the wire and
// a receiver take together.
std::optional<Conflict> no_messages_to_model(const Campaign& campaign) {
  constexpr std::string_view kModelRemedy = "invar network ARM makes such a campaign";
  if (campaign.has_program()) {
    return Conflict{written_at(campaign),
                    "question = \"network\" takes apart what single calls take, and a program is "
                    "run as it is",
                    "leave the programs out"};
  }
  std::vector<std::string> lacking;
  for (const std::string_view operation : {"pingpong", "send", "isend"}) {
    if (block_with(campaign, operation) == nullptr) lacking.emplace_back(operation);
  }
  if (!receives_late(campaign)) {
    lacking.emplace_back("recv with arrival = \"last-late:3x\"");
  }
  if (lacking.empty()) return std::nullopt;
  return Conflict{written_at(campaign),
                  "question = \"network\" needs cells of pingpong, send, isend and late receives, "
                  "and has none of " +
                      base::join(lacking, ", "),
                  std::string(kModelRemedy)};
}

// Plateaus and knees are of sizes, and of one operation over them.
std::optional<Conflict> no_memory_to_model(const Campaign& campaign) {
  constexpr std::array<std::string_view, 8> kOfMemory{"read",    "write", "write_nt", "copy",
                                                      "copy_nt", "triad", "triad_nt", "chase"};
  constexpr std::string_view kMemoryRemedy = "invar memory makes such a campaign";
  const bool any = std::ranges::any_of(kOfMemory, [&](std::string_view operation) {
    const CellsBlock* const block = block_with(campaign, operation);
    return block != nullptr && block->has_sizes();
  });
  const bool all_programs = std::ranges::all_of(campaign.arms, &Arm::is_program);
  if (any && (!all_programs || campaign.arms.empty())) return std::nullopt;
  if (!any) {
    return Conflict{written_at(campaign),
                    "question = \"memory\" needs cells of read, write, copy, triad or chase over "
                    "sizes, and has none",
                    std::string(kMemoryRemedy)};
  }
  return Conflict{written_at(campaign),
                  "question = \"memory\" rests on references that are taken in every visit, and "
                  "programs have none",
                  "write an arm without a program beside them, as library = \"none\""};
}

constexpr std::array kQuestions{
#define INVAR_QUESTION(id, enumerator, name, about, conflict) \
  QuestionInfo{Question::enumerator, name, about, conflict},
#include "design/campaign/questions.def"
#undef INVAR_QUESTION
};

}  // namespace

std::span<const QuestionInfo> questions() { return kQuestions; }

std::string_view to_string(Question question) {
  return kQuestions.at(static_cast<std::size_t>(question)).name;
}

const QuestionInfo* find_question(std::string_view name) {
  const auto* found = std::ranges::find(kQuestions, name, &QuestionInfo::name);
  return found == kQuestions.end() ? nullptr : &*found;
}

std::vector<std::string> question_names() {
  std::vector<std::string> names;
  names.reserve(kQuestions.size());
  for (const QuestionInfo& info : kQuestions) names.emplace_back(info.name);
  return names;
}

}  // namespace invar::design

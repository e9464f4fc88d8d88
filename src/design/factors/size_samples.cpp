#include "design/factors/size_samples.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/factors/sizes.hpp"
#include "design/plan/streams.hpp"

namespace invar::design {
namespace {

// All requests of the campaign that are common draws, each with its block.
std::vector<std::pair<const CellsBlock*, const RandomSizes*>> common_requests(
    const Campaign& campaign) {
  std::vector<std::pair<const CellsBlock*, const RandomSizes*>> found;
  for (const CellsBlock& block : campaign.cells) {
    for (const RandomSizes& request : block.random_sizes) {
      if (request.is_common()) found.emplace_back(&block, &request);
    }
  }
  return found;
}

std::string draw_text(const RandomSizes& asked) {
  return std::to_string(asked.count) + " random sizes from " + base::size_text(asked.low_bytes) +
         " to " + base::size_text(asked.high_bytes);
}

// The same draw, once in the whole campaign.
void add_unlike(const Campaign& campaign, std::vector<Conflict>& found) {
  const auto requests = common_requests(campaign);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const auto& [block, request] = requests[i];
    const auto first = std::ranges::find_if(requests, [&asked = *request](const auto& other) {
      return same_sample(*other.second, asked);
    });
    const RandomSizes& before = *first->second;
    if (before.per_launch == request->per_launch && before.hold_out == request->hold_out) continue;
    found.push_back({block->positions.of("size", block->at),
                     draw_text(*request) +
                         " are one draw in all blocks, and another one writes another 'per-launch' "
                         "or 'hold-out'",
                     "write the same; every = 20 gives a block one in 20 of the draw"});
  }
}

// Sizes that nobody measures are drawn for nothing.
void add_thinned(const Campaign& campaign, std::vector<Conflict>& found) {
  const auto requests = common_requests(campaign);
  for (const auto& [block, request] : requests) {
    const bool whole = std::ranges::any_of(requests, [&one = *request](const auto& other) {
      return other.second->every == 1 && same_sample(*other.second, one);
    });
    if (whole) continue;
    found.push_back({block->positions.of("size", block->at),
                     "no block has all of " + draw_text(*request) +
                         ", of which this one has one "
                         "in " +
                         std::to_string(request->every),
                     "leave 'every' out in one of them, or draw fewer"});
  }
}

void add_few_groups(const Campaign& campaign, std::vector<Conflict>& found) {
  for (const SizeSample& sample : size_samples(campaign)) {
    const std::uint32_t needed = kLeastGroupsOfSize * sample.parts;
    if (sample.parts == 1 || campaign.launches.min >= needed) continue;
    const auto requests = common_requests(campaign);
    const auto first = std::ranges::find_if(
        requests, [&](const auto& one) { return same_sample(*one.second, sample.asked); });
    const CellsBlock& block = *first->first;
    const std::size_t sizes = sample.sizes_bytes.size();
    const std::uint32_t groups = campaign.launches.min;
    // The most parts with which every size is still in kLeastGroupsOfSize of these groups.
    const std::uint32_t parts = groups / kLeastGroupsOfSize;
    std::string remedy = "write launches = { min = " + std::to_string(needed) + " }";
    if (parts > 0) {
      remedy += ", per-launch = " + std::to_string((sizes + parts - 1) / parts) + " or count = " +
                std::to_string(static_cast<std::uint64_t>(sample.asked.per_launch) * parts);
    }
    found.push_back({block.positions.of("size", block.at),
                     base::count_text(sizes, "different size") + ", at most " +
                         std::to_string(sample.asked.per_launch) +
                         " in a launch group: each is in one of " + std::to_string(sample.parts) +
                         ", in " + std::to_string(groups / sample.parts) +
                         " of the least number of " + base::count_text(groups, "group") +
                         ", and has to be in " + std::to_string(kLeastGroupsOfSize),
                     remedy});
  }
}

// What expects every cell in every launch group.
void add_whole_groups(const Campaign& campaign, std::vector<Conflict>& found) {
  const auto requests = common_requests(campaign);
  const auto in_parts =
      std::ranges::find_if(requests, [](const auto& one) { return one.second->per_launch > 0; });
  if (in_parts == requests.end()) return;
  const CellsBlock& block = *in_parts->first;
  const auto add = [&](const std::string& what, const std::string& remedy) {
    found.push_back({block.positions.of("size", block.at),
                     "with 'per-launch' a launch group has a part of the sizes, and " + what,
                     remedy + ", or leave 'per-launch' out"});
  };
  if (campaign.stopping == Stopping::kLooks) {
    add("stopping = \"looks\" counts launch groups that have every cell",
        "use stopping = \"fixed\"");
  }
  if (campaign.prediction) {
    add("repetitions are predicted from the pilot group for all of them",
        "write a number of repetitions");
  }
  if (!campaign.analysis.own_visits) {
    add("a launch without own visits is a whole run of a suite", "write own-visits = true");
  }
  const Question question = campaign.analysis.question;
  if (question != Question::kCompare && question != Question::kShow && question != Question::kP2p &&
      question != Question::kNetwork && question != Question::kMemory) {
    add("question = \"" + std::string(to_string(question)) + "\" asks about groups that have all",
        "use question = \"compare\"");
  }
  const bool others = std::ranges::any_of(campaign.cells, [](const CellsBlock& one) {
    return std::ranges::any_of(one.adaptive, [](const AdaptiveSizes& asked) {
      return asked.rule != RefinementRule::kBreaks;
    });
  });
  if (others) {
    add("adaptive sizes are chosen from groups that have all of a curve",
        "write rule = \"breaks\"");
  }
}

}  // namespace

bool SizeSample::is_held_out(std::size_t size) const {
  return asked.hold_out > 0 && size > 0 && size + 1 < sizes_bytes.size() &&
         size % asked.hold_out == asked.hold_out / 2;
}

std::vector<std::size_t> SizeSample::chosen(std::uint32_t every) const {
  std::vector<std::size_t> sizes;
  for (std::size_t size = every - 1; size < sizes_bytes.size(); size += every) {
    sizes.push_back(size);
  }
  return sizes;
}

bool same_sample(const RandomSizes& a, const RandomSizes& b) {
  return a.low_bytes == b.low_bytes && a.high_bytes == b.high_bytes && a.count == b.count &&
         a.multiple_bytes == b.multiple_bytes && a.seed == b.seed;
}

std::vector<SizeSample> size_samples(const Campaign& campaign) {
  std::vector<SizeSample> samples;
  for (const auto& [block, request] : common_requests(campaign)) {
    const bool known = std::ranges::any_of(samples, [&one = *request](const SizeSample& sample) {
      return same_sample(sample.asked, one);
    });
    if (known) continue;
    SizeSample& sample = samples.emplace_back();
    sample.asked = *request;
    sample.asked.every = 1;
    base::Random random =
        base::Random::of({request->seed.value_or(campaign.seed), kCommonSizeStream,
                          request->low_bytes, request->high_bytes, request->count});
    sample.sizes_bytes = draw_sizes(*request, 1, random);
    std::ranges::sort(sample.sizes_bytes);
    // Not std::ranges::unique: clang 14 does not compile g++ 12's subranges.
    sample.sizes_bytes.erase(std::unique(sample.sizes_bytes.begin(), sample.sizes_bytes.end()),
                             sample.sizes_bytes.end());
    if (request->per_launch == 0) continue;
    const std::size_t sizes = sample.sizes_bytes.size();
    sample.parts =
        static_cast<std::uint32_t>((sizes + request->per_launch - 1) / request->per_launch);
  }
  return samples;
}

std::vector<bool> sizes_of_part(const SizeSample& sample, std::uint32_t number, std::uint64_t seed,
                                std::uint32_t part) {
  std::vector<bool> measured(sample.sizes_bytes.size(), true);
  if (sample.parts == 1) return measured;
  const std::uint32_t cycle = (part - 1) / sample.parts;
  const std::uint32_t own = (part - 1) % sample.parts;
  base::Random random = base::Random::of({seed, kPartStream, number, cycle});
  std::vector<std::uint32_t> parts(sample.parts);
  std::iota(parts.begin(), parts.end(), 0U);
  for (std::size_t size = 0; size < measured.size(); ++size) {
    const std::size_t place = size % sample.parts;
    if (place == 0) random.shuffle(std::span(parts));
    measured[size] = parts[place] == own;
  }
  return measured;
}

std::set<std::uint64_t> held_out_sizes(const Campaign& campaign, std::uint64_t element_bytes) {
  std::map<std::uint64_t, bool> held_out;
  for (const SizeSample& sample : size_samples(campaign)) {
    for (std::size_t size = 0; size < sample.sizes_bytes.size(); ++size) {
      const auto bytes = rounded_size(sample.asked, sample.sizes_bytes[size], element_bytes);
      if (!bytes) continue;
      const auto known = held_out.try_emplace(*bytes, true).first;
      known->second = known->second && sample.is_held_out(size);
    }
  }
  std::set<std::uint64_t> sizes;
  for (const auto& [bytes, is_held_out] : held_out) {
    if (is_held_out) sizes.insert(bytes);
  }
  return sizes;
}

bool has_parts(const Campaign& campaign) {
  return std::ranges::any_of(campaign.cells, [](const CellsBlock& block) {
    return std::ranges::any_of(block.random_sizes,
                               [](const RandomSizes& one) { return one.per_launch > 0; });
  });
}

std::vector<Conflict> sample_conflicts(const Campaign& campaign) {
  std::vector<Conflict> found;
  add_unlike(campaign, found);
  add_thinned(campaign, found);
  add_few_groups(campaign, found);
  add_whole_groups(campaign, found);
  return found;
}

}  // namespace invar::design

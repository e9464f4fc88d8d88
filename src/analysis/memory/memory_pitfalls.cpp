#include "analysis/memory/memory_pitfalls.hpp"

#include <array>
#include <utility>

#include "analysis/memory/pitfalls/looks.hpp"

namespace invar::analysis {
namespace {

struct Pitfall {
  std::string_view name;
  std::vector<WalkPitfall> (*look)(const MemoryData& data, const MemoryOptions& options);
  std::string_view missing;  // where nothing could be judged
};

constexpr std::array<Pitfall, 4> kPitfalls{
    {{kNarrowElements, narrow_elements,
      "no two widths or unrollings at sizes on both sides of a cache's end"},
     {kFewPasses, few_passes, "fewer than three numbers of passes"},
     {kCompetitor, competitors, "too few visits of the same size and passes"},
     {kPagesOfALaunch, pages_of_launches,
      "it takes three visits of a size in each of four launches, and three sizes"}}};

}  // namespace

std::vector<WalkPitfall> memory_pitfalls(const MemoryData& data, const MemoryOptions& options) {
  std::vector<WalkPitfall> all;
  for (const Pitfall& pitfall : kPitfalls) {
    std::vector<WalkPitfall> found = pitfall.look(data, options);
    if (found.empty()) found.push_back({.seen = std::string(pitfall.missing)});
    for (WalkPitfall& one : found) {
      one.name = pitfall.name;
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace invar::analysis

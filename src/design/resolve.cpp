// resolve_cells: the cells of a campaign against the catalogue and the machine.
#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/schedule.hpp"
#include "design/sizes.hpp"
#include "design/streams.hpp"

namespace invar::design {
namespace {

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
// A group that takes longer than days is a typing mistake.
constexpr std::uint64_t kMaxVisitsPerGroup = 10'000'000;

std::uint64_t extent_bytes(const std::string& datatype) { return datatype == "int32" ? 4 : 1; }

std::string list_text(const std::vector<std::uint64_t>& sizes_bytes) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, sizes_bytes.size()); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(sizes_bytes[i]);
  }
  if (sizes_bytes.size() > kShown) {
    text += " and " + std::to_string(sizes_bytes.size() - kShown) + " more";
  }
  return text;
}

// "MPI_Bcast" as our operations are called: "bcast".
std::string bare_name(std::string name) {
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name.starts_with("mpi_") ? name.substr(4) : name;
}

class Resolver {
 public:
  Resolver(const Campaign& campaign, const Surroundings& surroundings, std::string place)
      : campaign_(campaign), surroundings_(surroundings), place_(std::move(place)) {
    if (campaign.arms.empty() || surroundings.operations.size() != campaign.arms.size()) {
      throw std::invalid_argument("cells are resolved for known arms");
    }
    for (const auto& operations : surroundings.operations) {
      for (const record::OperationInfo& info : operations) {
        // The arm that can do it knows best what it takes.
        const auto [known, is_new] = catalogue_.try_emplace(info.name, info);
        if (!is_new && !known->second.missing.empty()) known->second = info;
      }
    }
  }

  ResolvedCells resolve() {
    for (const Conflict& conflict : conflicts(campaign_)) {
      fault({}, conflict.what, conflict.remedy);
    }
    if (campaign_.rounds == 0) fault({}, "rounds is 0", "write 1 or more");
    if (campaign_.repetitions == 0) fault({}, "repetitions is 0", "write 1 or more");
    if (campaign_.cells.empty()) fault({}, "there are no cells", "name an operation and its sizes");
    for (std::size_t i = 0; i < campaign_.cells.size(); ++i) resolve_block(campaign_.cells[i], i);
    faults_.throw_if_any();
    if (resolved_.cells.empty()) {
      std::string reason = "none";
      if (!resolved_.left_out.empty()) {
        const LeftOut& first = resolved_.left_out.front();
        reason = first.cell.operation + " in " + first.arm + ": " + first.reason;
      }
      fault({}, "no arm can measure any of the cells (" + reason + ")",
            "see `invar ops` for what each library can do");
    }
    check_visits();
    faults_.throw_if_any();
    return std::move(resolved_);
  }

 private:
  void fault(Position at, std::string what, std::string remedy = {}) {
    faults_.add({.place = place_,
                 .line = at.line,
                 .column = at.column,
                 .what = std::move(what),
                 .remedy = std::move(remedy)});
  }

  void resolve_block(const CellsBlock& block, std::size_t number) {
    record::Cell cell;
    cell.ranks = block.ranks.value_or(surroundings_.slots);
    check_ranks(block, cell.ranks);
    std::vector<const record::OperationInfo*> operations;
    for (std::size_t i = 0; i < block.operations.size(); ++i) {
      const auto known = catalogue_.find(block.operations[i]);
      if (known != catalogue_.end()) {
        operations.push_back(&known->second);
        continue;
      }
      std::vector<std::string> names;
      for (const auto& [name, info] : catalogue_) names.push_back(name);
      const Position at = i < block.at.operations.size() ? block.at.operations[i] : block.at.block;
      fault(at, "there is no operation '" + block.operations[i] + "'",
            base::did_you_mean(bare_name(block.operations[i]), names));
    }
    if (operations.size() == block.operations.size()) check_unused(block, operations);
    // Each operation of the block meets the same random numbers.
    for (const record::OperationInfo* info : operations) add_operation(block, number, *info, cell);
  }

  void check_ranks(const CellsBlock& block, std::uint32_t ranks) {
    if (ranks == 0) fault(block.at.ranks, "ranks is 0", "write 1 or more");
    if (ranks > surroundings_.slots && !campaign_.engine.oversubscribe) {
      const std::string slots = std::to_string(surroundings_.slots);
      fault(block.at.ranks,
            std::to_string(ranks) + " ranks need more cores than the " + slots + " here",
            "write " + slots +
                " or fewer; or, for tests of behaviour, in a campaign: oversubscribe = true with "
                "sync = \"dissemination\" in [engine] (such data get no verdicts)");
    }
    if (block.root && *block.root >= ranks) {
      fault(block.at.root,
            "root " + std::to_string(*block.root) + " is no rank of " + std::to_string(ranks),
            ranks == 0 ? "" : "write 0 to " + std::to_string(ranks - 1));
    }
  }

  // What is written and has no effect is a mistake of its writer.
  void check_unused(const CellsBlock& block,
                    const std::vector<const record::OperationInfo*>& operations) {
    const auto none = [&](bool record::OperationInfo::*trait) {
      return std::none_of(operations.begin(), operations.end(),
                          [&](const auto* info) { return info->*trait; });
    };
    const std::string remedy = "remove it, or move the operation that needs it here";
    if (block.at.size.line > 0 && none(&record::OperationInfo::sized)) {
      fault(block.at.size, "none of these operations has a size", remedy);
    }
    if (block.root && none(&record::OperationInfo::rooted)) {
      fault(block.at.root, "none of these operations has a root", remedy);
    }
    if (!block.datatype.empty() && none(&record::OperationInfo::sized)) {
      fault(block.at.datatype, "none of these operations moves data of a datatype", remedy);
    }
    if (!block.reduction.empty() && none(&record::OperationInfo::reduces)) {
      fault(block.at.reduction, "none of these operations reduces", remedy);
    }
  }

  void add_operation(const CellsBlock& block, std::size_t number, const record::OperationInfo& info,
                     record::Cell cell) {
    cell.operation = info.name;
    cell.root = info.rooted ? block.root.value_or(0) : 0;
    if (!info.sized) {
      add(cell);
      return;
    }
    cell.datatype = block.datatype;
    if (cell.datatype.empty()) cell.datatype = info.reduces ? "int32" : "byte";
    if (info.reduces) {
      cell.reduction = block.reduction.empty() ? "sum" : block.reduction;
      if (cell.datatype == "byte") {
        fault(block.at.datatype, info.name + " cannot reduce bytes: MPI defines no sum of them",
              "write datatype = \"int32\"");
        return;
      }
    }
    for (const std::uint64_t size_bytes : sizes_of(block, number, info.name, cell.datatype)) {
      cell.size_bytes = size_bytes;
      add(cell);
    }
  }

  std::vector<std::uint64_t> sizes_of(const CellsBlock& block, std::size_t number,
                                      const std::string& operation, const std::string& datatype) {
    const Position at = block.at.size.line > 0 ? block.at.size : block.at.block;
    const std::uint64_t extent = extent_bytes(datatype);
    std::vector<std::uint64_t> sizes = block.sizes_bytes;
    base::Random random = base::Random::of({campaign_.seed, kSizeStream, number});
    for (const RandomSizes& request : block.random_sizes) {
      const std::vector<std::uint64_t> drawn = draw_sizes(request, extent, random);
      if (drawn.empty()) {
        fault(at, operation + ": no multiple of " + datatype + " (" + std::to_string(extent) +
                      " bytes) lies between " + std::to_string(request.low_bytes) + " and " +
                      std::to_string(request.high_bytes) + " bytes");
      }
      sizes.insert(sizes.end(), drawn.begin(), drawn.end());
    }
    if (block.sizes_bytes.empty() && block.random_sizes.empty()) {
      fault(at, operation + " needs a size", "write size = \"1KiB\", a list or a range");
    }
    std::vector<std::uint64_t> broken;
    std::vector<std::uint64_t> large;
    for (const std::uint64_t size : sizes) {
      if (size % extent != 0) broken.push_back(size);
      if (size / extent > kMaxCount) large.push_back(size);
    }
    if (!broken.empty()) {
      fault(at,
            operation + ": " + list_text(broken) + " bytes " +
                (broken.size() == 1 ? "is no multiple" : "are no multiples") + " of its datatype " +
                datatype + " (" + std::to_string(extent) + " bytes)",
            "write sizes that are, or give " + operation + " a [[cells]] block of its own");
    }
    if (!large.empty()) {
      fault(at,
            operation + ": a count of " + list_text(large) + " bytes of " + datatype +
                " is above 2147483647, the largest that MPI's calls take",
            "write smaller sizes");
    }
    return sizes;
  }

  void add(record::Cell& cell) {
    std::string levels;
    for (const record::Factor& factor : record::factors()) levels += factor.text(cell) + '\n';
    if (!seen_.insert(levels).second) return;
    std::vector<std::uint32_t> arms;
    for (std::uint32_t arm = 0; arm < campaign_.arms.size(); ++arm) {
      const auto& operations = surroundings_.operations[arm];
      const auto info = std::find_if(operations.begin(), operations.end(),
                                     [&](const auto& o) { return o.name == cell.operation; });
      if (info != operations.end() && info->missing.empty()) {
        arms.push_back(arm);
        continue;
      }
      LeftOut left_out{.cell = cell, .arm = campaign_.arms[arm].label};
      left_out.reason =
          info == operations.end() ? "its engine does not know the operation" : info->missing;
      left_out.cell.id = static_cast<std::uint32_t>(resolved_.cells.size());
      resolved_.left_out.push_back(std::move(left_out));
    }
    if (arms.empty()) return;
    cell.id = static_cast<std::uint32_t>(resolved_.cells.size());
    resolved_.cells.push_back(cell);
    resolved_.arms.push_back(std::move(arms));
  }

  void check_visits() {
    std::uint64_t visits = 0;
    for (const auto& arms : resolved_.arms) visits += arms.size();
    visits *= campaign_.rounds;
    if (visits > kMaxVisitsPerGroup) {
      fault({}, "a launch group would have " + std::to_string(visits) + " visits",
            "take fewer rounds or cells, or several campaigns");
    }
  }

  const Campaign& campaign_;
  const Surroundings& surroundings_;
  std::string place_;
  std::map<std::string, record::OperationInfo> catalogue_ = {};
  std::set<std::string> seen_ = {};
  base::Faults faults_ = {};
  ResolvedCells resolved_ = {};
};

}  // namespace

ResolvedCells resolve_cells(const Campaign& campaign, const Surroundings& surroundings,
                            const std::string& place) {
  return Resolver(campaign, surroundings, place).resolve();
}

}  // namespace invar::design

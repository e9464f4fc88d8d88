// resolve_cells: the cells of a campaign against the catalogue and the machine.
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>

#include "base/error.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "design/campaign/arms.hpp"
#include "design/campaign/presets.hpp"
#include "design/factors/levels.hpp"
#include "design/factors/size_samples.hpp"
#include "design/factors/sizes.hpp"
#include "design/plan/adaptive_places.hpp"
#include "design/plan/call_limits.hpp"
#include "design/plan/cell_conflicts.hpp"
#include "design/plan/families.hpp"
#include "design/plan/left_out.hpp"
#include "design/plan/memory_conflicts.hpp"
#include "design/plan/p2p_conflicts.hpp"
#include "design/plan/schedule.hpp"
#include "design/plan/streams.hpp"
#include "design/plan/teams.hpp"
#include "design/suites/suite_ways.hpp"

namespace invar::design {
namespace {

// A block of a cell in memory, and all blocks of a rank where it has one for every rank or
// neighbour: beyond any memory, and products of sizes do not overflow below.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50U;

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
    all_programs_ = std::all_of(campaign.arms.begin(), campaign.arms.end(),
                                [](const Arm& arm) { return arm.is_program(); });
    for (const auto& operations : surroundings.operations) {
      for (const record::OperationInfo& info : operations) {
        // The arm that can do it knows best what it takes.
        const auto [known, is_new] = catalogue_.try_emplace(info.name, info);
        if (!is_new && !known->second.missing.empty()) known->second = info;
      }
    }
  }

  ResolvedCells resolve() {
    report(conflicts(campaign_));
    resolved_.samples = size_samples(campaign_);
    if (campaign_.rounds == 0) fault({}, "rounds is 0", "write 1 or more");
    if (campaign_.repetitions == 0) fault({}, "repetitions is 0", "write 1 or more");
    if (campaign_.cells.empty()) fault({}, "there are no cells", "name an operation and its sizes");
    std::vector<const CellsBlock*> refused;
    for (std::size_t i = 0; i < campaign_.cells.size(); ++i) {
      complained_ = false;
      resolve_block(campaign_.cells[i], i);
      if (complained_) refused.push_back(&campaign_.cells[i]);
    }
    report(world_conflicts(campaign_, resolved_, block_of_cell_));
    // Cells of families and presets, which come behind these, are of no other operations.
    take_operations();
    report(message_conflicts(campaign_, resolved_, block_of_cell_));
    report(memory_conflicts(campaign_, resolved_, block_of_cell_));
    put_into_families(
        campaign_, resolved_,
        [this](Position at, std::string what, std::string remedy) {
          fault(at, std::move(what), std::move(remedy));
        },
        refused);
    add_schemes();
    report(split_families(campaign_, resolved_));
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
    report(adaptive_place_conflicts(campaign_, resolved_));
    report(cell_conflicts(campaign_, resolved_));
    report(overlap_conflicts(campaign_, resolved_));
    faults_.throw_if_any();
    return std::move(resolved_);
  }

 private:
  // Many cells may share a mistake: it is said once.
  void fault(Position at, std::string what, std::string remedy = {}) {
    complained_ = true;
    if (!told_.insert(std::to_string(at.line) + ':' + std::to_string(at.column) + what).second) {
      return;
    }
    faults_.add({.place = place_,
                 .line = at.line,
                 .column = at.column,
                 .what = std::move(what),
                 .remedy = std::move(remedy)});
  }

  void report(const std::vector<Conflict>& found) {
    for (const Conflict& one : found) fault(one.at, one.what, one.remedy);
  }

  void check_arms_of(const CellsBlock& block) {
    std::vector<std::string> labels;
    for (const Arm& arm : campaign_.arms) labels.push_back(arm.label);
    for (const std::string& label : block.arms) {
      if (campaign_.find_arm(label) != nullptr) continue;
      fault(block.positions.of("arms", block.at), "there is no arm '" + label + "'",
            base::did_you_mean(label, labels));
    }
  }

  void resolve_block(const CellsBlock& block, std::size_t number) {
    block_ = number;
    only_ = block.arms;
    check_arms_of(block);
    std::vector<const record::OperationInfo*> operations;
    for (std::size_t i = 0; i < block.operations.size(); ++i) {
      const auto known = catalogue_.find(block.operations[i]);
      if (known != catalogue_.end()) {
        operations.push_back(&known->second);
        continue;
      }
      std::vector<std::string> names;
      for (const auto& [name, info] : catalogue_) names.push_back(name);
      const Position at =
          i < block.operation_positions.size() ? block.operation_positions[i] : block.at;
      if (all_programs_ && !name_complaint("operation", block.operations[i])) {
        operations.push_back(&own_operation(block, block.operations[i]));
        continue;
      }
      fault(at, "there is no operation '" + block.operations[i] + "'",
            base::did_you_mean(bare_name(block.operations[i]), names));
    }
    if (operations.size() == block.operations.size()) report(unused_keys(block, operations));
    const TeamsOfBlock found = teams_of(block, campaign_, surroundings_);
    report(found.conflicts);
    // Each operation of the block meets the same random numbers.
    for (const record::OperationInfo* info : operations) {
      for (const record::Cell& team : found.teams) {
        record::Cell cell = team;
        cell.operation = info->name;
        add_product(block, number, *info, cell, 0);
      }
    }
  }

  // Programs may have a name that no library knows: it is the user's.
  const record::OperationInfo& own_operation(const CellsBlock& block, const std::string& name) {
    const bool sized = block.has_sizes();
    record::OperationInfo info{.name = name, .sized = sized};
    info.datatypes.push_back({});
    return own_operations_.emplace_back(std::move(info));
  }

  // What written levels stand for (Factor::expand), each once.
  static std::vector<std::string> expanded(const record::Factor& factor,
                                           const std::vector<std::string>& written,
                                           std::uint32_t ranks) {
    if (factor.expand == nullptr) return written;
    std::vector<std::string> levels;
    for (const std::string& level : written) {
      for (std::string& one : factor.expand(level, ranks)) {
        if (std::ranges::find(levels, one) == levels.end()) levels.push_back(std::move(one));
      }
    }
    return levels;
  }

  // The levels of a factor that this operation takes; none where the cell keeps the level it has.
  std::vector<std::string> levels_for(const CellsBlock& block, const record::Factor& factor,
                                      const record::OperationInfo& info, const record::Cell& cell) {
    if (const auto own = block.levels.find(factor.key); own != block.levels.end()) {
      return expanded(factor, own->second, cell.ranks);
    }
    if (factor.in_engine) return campaign_.engine.levels.find(factor.key)->second;
    if (factor.of_operation == nullptr) return {factor.text(cell)};
    const record::LevelText usual = factor.of_operation(info, cell);
    if (!complain(block, factor, usual)) return {};
    return {usual.text.value_or(factor.text(cell))};
  }

  // False: there is something to complain about.
  bool complain(const CellsBlock& block, const record::Factor& factor,
                const record::LevelText& level) {
    if (level.complaint.empty()) return true;
    const std::string_view key = level.blamed_key.empty() ? factor.key : level.blamed_key;
    fault(block.positions.of(key, block.at), level.complaint, level.remedy);
    return false;
  }

  // Every combination of the levels from the factor of number `next` on.
  void add_product(const CellsBlock& block, std::size_t number, const record::OperationInfo& info,
                   const record::Cell& cell, std::size_t next) {
    const auto has_levels = [&](const record::Factor& factor) {
      // Numbers of ranks are in the cell (teams_of()).
      const bool of_team = factor.role == record::FactorRole::kRanks ||
                           factor.role == record::FactorRole::kNodes ||
                           factor.role == record::FactorRole::kDerived;
      return !factor.key.empty() && !of_team && (factor.applies == nullptr || factor.applies(info));
    };
    const auto factors = record::factors();
    while (next < factors.size() && !has_levels(factors[next])) ++next;
    if (next == factors.size()) {
      add_sizes(block, number, info, cell);
      return;
    }
    const record::Factor& factor = factors[next];
    for (const std::string& level : levels_for(block, factor, info, cell)) {
      record::Cell one = cell;
      if (!factor.parse(one, level)) {
        throw std::logic_error("a level that its factor cannot read: " + level);
      }
      if (factor.check == nullptr || complain(block, factor, factor.check(info, one))) {
        add_product(block, number, info, one, next + 1);
      }
    }
  }

  void add_sizes(const CellsBlock& block, std::size_t number, const record::OperationInfo& info,
                 const record::Cell& cell) {
    if (!info.sized) {
      if (!block.adaptive.empty()) {
        fault(block.positions.of("size", block.at), info.name + " has no size to be chosen",
              "leave " + info.name + " out, or give it a [[cells]] block of its own");
      }
      add(cell);
      return;
    }
    const record::DatatypeInfo* type = info.datatype(cell.datatype);
    if (type == nullptr) {
      throw std::invalid_argument("the engine names no datatype for " + info.name);
    }
    const SizesOfCell sizes = sizes_of(block, number, info, cell, *type);
    for (std::size_t i = 0; i < sizes.bytes.size(); ++i) {
      record::Cell one = cell;
      one.size_bytes = sizes.bytes[i];
      for (const record::Factor& factor : record::factors()) {
        const bool has = factor.applies == nullptr || factor.applies(info);
        if (factor.settle != nullptr && has) factor.settle(info, one);
      }
      add(std::move(one), sizes.parts.at(i));
    }
  }

  // "use the _c form (bcast_c)", where there is one that an arm can measure.
  std::string with_large_counts(const record::OperationInfo& info) const {
    const std::string& base = info.form_of.empty() ? info.name : info.form_of;
    for (const auto& [name, form] : catalogue_) {
      if (!form.large_counts || form.form_of != base) continue;
      return form.missing.empty() ? "use the _c form (" + name + "), or write smaller sizes"
                                  : "write smaller sizes; a library with MPI 4 has " + name;
    }
    return "write smaller sizes";
  }

  void check_largest(const CellsBlock& block, const record::OperationInfo& info,
                     const record::Cell& cell, const record::DatatypeInfo& type,
                     const std::vector<std::uint64_t>& sizes) {
    const Position at = block.positions.of("size", block.at);
    std::vector<std::uint64_t> large;
    for (const std::uint64_t size : sizes) {
      if (size / type.size_bytes > kMaxCount && !info.large_counts) large.push_back(size);
    }
    if (!large.empty()) {
      fault(at,
            info.name + ": a count of " + list_text(large) + " bytes of " + type.name +
                " is above 2147483647, the largest that MPI's calls take",
            with_large_counts(info));
      return;
    }
    for (const std::uint64_t size : sizes) {
      const std::uint64_t blocks = most_blocks(info, cell);
      const std::uint64_t extent_bytes = std::max<std::uint64_t>(type.extent_bytes, 1);
      if (size / type.size_bytes > kMaxBytes / blocks / extent_bytes) {
        fault(at,
              info.name + ": " + base::count_text(blocks, "block") + " of " + std::to_string(size) +
                  " bytes are more than any memory has (" + base::size_text(kMaxBytes) + ")",
              "write smaller sizes");
        continue;
      }
      const std::string number = too_large_number(info, cell, type, size);
      if (number.empty()) continue;
      const bool regular = cell.distribution == record::Cell().distribution;
      fault(at,
            info.name + " of " + std::to_string(size) + " bytes on " +
                base::count_text(cell.ranks, "rank") +
                (regular ? "" : ", distribution " + cell.distribution) + " needs " + number +
                ", above 2147483647, the largest that MPI's calls take",
            with_large_counts(info));
    }
  }

  // Sizes, and of each what says which launch groups have it; empty: all have.
  struct SizesOfCell {
    std::vector<std::uint64_t> bytes = {};
    std::vector<std::vector<SampledSize>> parts = {};

    void add(std::uint64_t size_bytes, std::vector<SampledSize> of = {}) {
      bytes.push_back(size_bytes);
      parts.push_back(std::move(of));
    }
  };

  // The block's sizes of a draw that other blocks have, too.
  void add_common(const RandomSizes& request, std::uint64_t extent, SizesOfCell& sizes) const {
    const auto sample = std::ranges::find_if(
        resolved_.samples, [&](const SizeSample& one) { return same_sample(one.asked, request); });
    const auto number = static_cast<std::uint32_t>(sample - resolved_.samples.begin());
    for (const std::size_t size : sample->chosen(request.every)) {
      std::vector<SampledSize> of;
      if (sample->parts > 1) of.push_back({number, static_cast<std::uint32_t>(size)});
      sizes.add(*rounded_size(request, sample->sizes_bytes[size], extent), std::move(of));
    }
  }

  SizesOfCell sizes_of(const CellsBlock& block, std::size_t number,
                       const record::OperationInfo& info, const record::Cell& cell,
                       const record::DatatypeInfo& type) {
    const Position at = block.positions.of("size", block.at);
    const std::string& operation = info.name;
    const std::string& datatype = type.name;
    const std::uint64_t extent = type.size_bytes;
    SizesOfCell found;
    for (const std::uint64_t size_bytes : block.sizes_bytes) found.add(size_bytes);
    base::Random random = base::Random::of({campaign_.seed, kSizeStream, number});
    for (const RandomSizes& request : block.random_sizes) {
      if (!rounded_size(request, request.low_bytes, extent)) {
        fault(at, operation + ": no multiple of " + datatype + " (" + std::to_string(extent) +
                      " bytes) lies between " + std::to_string(request.low_bytes) + " and " +
                      std::to_string(request.high_bytes) + " bytes");
      } else if (request.is_common()) {
        add_common(request, extent, found);
      } else {
        for (const std::uint64_t drawn : draw_sizes(request, extent, random)) found.add(drawn);
      }
    }
    for (const AdaptiveSizes& asked : block.adaptive) {
      if (asked.rule == RefinementRule::kBreaks) continue;
      const std::vector<std::uint64_t> first = first_sizes(asked, extent);
      if (first.size() < kLeastFirstSizes) {
        fault(at,
              operation + ": adaptive sizes from " + std::to_string(asked.low_bytes) + " to " +
                  std::to_string(asked.high_bytes) + " bytes have fewer than three multiples of " +
                  datatype + " (" + std::to_string(extent) + " bytes)",
              "write a list of sizes, or a longer range");
      }
      for (const std::uint64_t size_bytes : first) found.add(size_bytes);
    }
    const std::vector<std::uint64_t>& sizes = found.bytes;
    if (!block.has_sizes()) {
      fault(at, operation + " needs a size", "write size = \"1KiB\", a list or a range");
    }
    std::vector<std::uint64_t> broken;
    for (const std::uint64_t size : sizes) {
      if (size % extent != 0) broken.push_back(size);
    }
    if (!broken.empty()) {
      fault(at,
            operation + ": " + list_text(broken) + " bytes " +
                (broken.size() == 1 ? "is not a multiple" : "are not multiples") +
                " of its datatype " + datatype + " (" + std::to_string(extent) + " bytes)",
            "write sizes that are, or give " + operation + " a [[cells]] block of its own");
    }
    check_largest(block, info, cell, type, sizes);
    return found;
  }

  // What one block has in every group is in every group.
  void note_parts(std::size_t index, const std::vector<SampledSize>& of) {
    const auto cell = static_cast<std::uint32_t>(index);
    if (of.empty()) {
      in_every_group_.insert(cell);
      resolved_.sampled.erase(cell);
    }
    if (in_every_group_.contains(cell)) return;
    std::vector<SampledSize>& all = resolved_.sampled[cell];
    all.insert(all.end(), of.begin(), of.end());
    std::ranges::sort(all);
    // Not std::ranges::unique: clang 14 does not compile g++ 12's subranges.
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }

  // `of`: the sizes of common draws that it stands for, of which launch groups have parts.
  void add(record::Cell cell, const std::vector<SampledSize>& of = {}) {
    report(clock_sync_conflicts(campaign_, cell));
    std::string levels;
    for (const record::Factor& factor : record::factors()) levels += factor.text(cell) + '\n';
    SeenCell& seen = seen_[levels];
    if (seen.index) note_parts(*seen.index, of);
    std::vector<std::uint32_t> arms;
    for (std::uint32_t arm = 0; arm < campaign_.arms.size(); ++arm) {
      if (!is_for(campaign_.arms[arm]) || !seen.asked.insert(arm).second) continue;
      if (campaign_.arms[arm].is_program()) {
        // A program measures its own way, once.
        if (cell.scheme == record::kOwnScheme) arms.push_back(arm);
        continue;
      }
      CellLack lack = lack_of_arm(campaign_, surroundings_, arm, cell);
      if (lack.reason.empty()) {
        check_record(operation_of(arm, cell));
        arms.push_back(arm);
        continue;
      }
      // Said of the cell itself.
      if (cell.scheme != record::kOwnScheme) continue;
      LeftOut left_out{.cell = cell,
                       .arm = campaign_.arms[arm].label,
                       .reason = std::move(lack.reason),
                       .of_algorithm = lack.of_algorithm};
      left_out.cell.id = static_cast<std::uint32_t>(seen.index.value_or(resolved_.cells.size()));
      resolved_.left_out.push_back(std::move(left_out));
    }
    if (arms.empty()) return;
    if (seen.index) {  // in a block for other arms before
      std::vector<std::uint32_t>& all = resolved_.arms[*seen.index];
      all.insert(all.end(), arms.begin(), arms.end());
      std::ranges::sort(all);
      return;
    }
    seen.index = resolved_.cells.size();
    note_parts(*seen.index, of);
    cell.id = static_cast<std::uint32_t>(resolved_.cells.size());
    resolved_.cells.push_back(cell);
    resolved_.arms.push_back(std::move(arms));
    block_of_cell_.push_back(block_);
  }

  // The cells at hand are for all arms, or for some that are named.
  [[nodiscard]] bool is_for(const Arm& arm) const {
    return only_.empty() || std::ranges::find(only_, arm.label) != only_.end();
  }

  // As the engine of an arm that can measure the cell describes it.
  [[nodiscard]] const record::OperationInfo& operation_of(std::uint32_t arm,
                                                          const record::Cell& cell) const {
    return *std::ranges::find(surroundings_.operations[arm], cell.operation,
                              &record::OperationInfo::name);
  }

  // What nothing could be said of is not measured.
  void check_record(const record::OperationInfo& info) {
    if (campaign_.engine.record != "extent" || !info.headline_needs_ranks(true)) return;
    fault(campaign_.engine.positions.of("record", {}),
          "the headline '" + info.times.front().name + "' of '" + info.name +
              "' is made of single ranks' ticks, which record = \"extent\" does not keep",
          "use record = \"per-rank\" or \"auto\"");
  }

  // After all others, so that the numbers of these do not depend on presets.
  void add_schemes() {
    const std::vector<record::Cell> own = resolved_.cells;
    const bool named = std::ranges::any_of(
        campaign_.cells, [](const CellsBlock& block) { return !block.arms.empty(); });
    if (campaign_.analysis.presets.empty()) return;
    for (const record::Scheme& scheme : record::schemes()) {
      for (const record::Cell& cell : own) {
        // Programs have operations that nobody else knows.
        const auto known = catalogue_.find(cell.operation);
        if (known == catalogue_.end()) continue;
        const record::OperationInfo& info = known->second;
        // Messages that nothing keeps from running ahead would be a stream.
        if (scheme.batch && !info.batches && is_of_messages(info)) continue;
        const auto used = schemes_of(campaign_.analysis.presets, info, cell);
        if (std::ranges::find(used, &scheme) == used.end()) continue;
        only_.clear();
        if (named) {
          for (const std::uint32_t arm : resolved_.arms[cell.id]) {
            only_.push_back(campaign_.arms[arm].label);
          }
        }
        const auto measured = record::cell_by_scheme(cell, scheme, info.rooted && !info.persistent);
        if (!measured) continue;
        const auto parts = resolved_.sampled.find(cell.id);
        add(*measured, parts == resolved_.sampled.end() ? std::vector<SampledSize>()
                                                        : std::vector<SampledSize>(parts->second));
      }
    }
  }

  void take_operations() {
    resolved_.operations.resize(campaign_.arms.size());
    for (const record::Cell& cell : resolved_.cells) {
      for (const std::uint32_t arm : resolved_.arms[cell.id]) {
        Operations& known = resolved_.operations[arm];
        if (campaign_.arms[arm].is_program() || known.contains(cell.operation)) continue;
        known.emplace(cell.operation, operation_of(arm, cell));
      }
    }
  }

  const Campaign& campaign_;
  const Surroundings& surroundings_;
  std::string place_;
  std::map<std::string, record::OperationInfo> catalogue_ = {};
  bool all_programs_ = false;
  std::deque<record::OperationInfo> own_operations_ = {};
  // A cell that some block has.
  struct SeenCell {
    std::set<std::uint32_t> asked = {};     // arms that some block has it for
    std::optional<std::size_t> index = {};  // of ResolvedCells::cells; none: no arm can measure it
  };
  std::map<std::string, SeenCell> seen_ = {};  // by all its levels
  std::vector<std::string> only_ = {};  // labels of the arms of the block under way; empty: all
  std::set<std::string> told_ = {};
  bool complained_ = false;  // since it was last set, also of what was told before
  base::Faults faults_ = {};
  ResolvedCells resolved_ = {};
  std::set<std::uint32_t> in_every_group_ = {};  // cells, by their index
  std::size_t block_ = 0;                        // under way
  std::vector<std::size_t> block_of_cell_ = {};  // of the cells of blocks
};

}  // namespace

const record::OperationInfo& ResolvedCells::operation(std::uint32_t arm,
                                                      const std::string& name) const {
  if (arm < operations.size()) {
    if (const auto own = operations[arm].find(name); own != operations[arm].end()) {
      return own->second;
    }
  }
  return operation(name);
}

const record::OperationInfo& ResolvedCells::operation(const std::string& name) const {
  for (const Operations& of_arm : operations) {
    if (const auto known = of_arm.find(name); known != of_arm.end()) return known->second;
  }
  static const record::OperationInfo nothing_said;
  return nothing_said;
}

ResolvedCells resolve_cells(const Campaign& campaign, const Surroundings& surroundings,
                            const std::string& place) {
  return Resolver(campaign, surroundings, place).resolve();
}

std::vector<record::Cell> all_cells(const ResolvedCells& resolved) {
  std::vector<record::Cell> cells = resolved.cells;
  for (const LeftOut& left_out : resolved.left_out) cells.push_back(left_out.cell);
  return cells;
}

}  // namespace invar::design

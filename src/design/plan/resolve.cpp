// resolve_cells: the cells of a campaign against the catalogue and the machine.
#include <algorithm>
#include <deque>
#include <limits>
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
#include "design/factors/launch_factors.hpp"
#include "design/factors/levels.hpp"
#include "design/factors/sizes.hpp"
#include "design/plan/families.hpp"
#include "design/plan/schedule.hpp"
#include "design/plan/streams.hpp"
#include "record/launch_spec.hpp"
#include "record/operation/cell_limits.hpp"
#include "record/operation/distribution.hpp"
#include "record/synchronisation.hpp"

namespace invar::design {
namespace {

constexpr std::uint64_t kMaxCount = std::numeric_limits<std::int32_t>::max();
// A block of a cell in memory, and all blocks of a rank where it has one for every rank or
// neighbour: beyond any memory, and products of sizes do not overflow below.
constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 50U;
// A group that takes longer than days is a typing mistake.
constexpr std::uint64_t kMaxVisitsPerGroup = 10'000'000;

constexpr std::string_view kClockSync = "clock-sync";
constexpr std::string_view kNoCommonTime =
    "with clock-sync \"none\", ranks that do not read one clock have no common time";

// Why the operation has no such cell; empty: it has.
std::string lack_of_cell(const record::OperationInfo& info, const record::Cell& cell) {
  const std::string ranks = record::lack_of_ranks(info.rank_counts, cell.ranks);
  if (!ranks.empty() || !info.reorders) return ranks;
  const record::DatatypeInfo* const type = info.datatype(cell.datatype);
  const bool ordered =
      type != nullptr && std::ranges::find(type->ordered, cell.reduction) != type->ordered.end();
  return ordered ? record::lack_of_order(cell.reduction) : "";
}

// Why an arm cannot measure the operation; empty: it can.
std::string lack_of(const record::OperationInfo& info) {
  if (!info.missing.empty()) return info.missing;
  for (const record::TimeInfo& time : info.times) {
    if (time.kind == record::TimeKind::kWhole) continue;
    for (const std::string& point : {time.from, time.to}) {
      if (point == record::kStartPoint || point == record::kEndPoint ||
          std::ranges::find(info.marks, point, &record::MarkInfo::name) != info.marks.end()) {
        continue;
      }
      return "its time '" + time.name + "' speaks of a point '" + point +
             "', which is neither start, end nor one of its marks";
    }
  }
  return {};
}

// Why the ranks of the cell do not lie on their hosts as the operation needs it; empty: they do.
std::string lack_of_hosts(const record::OperationInfo& info, const record::Cell& cell) {
  if (info.hosts == record::HostNeed::kAny || cell.nodes <= 1) return {};
  if (info.hosts == record::HostNeed::kEven && cell.ranks % cell.nodes != 0) {
    return "it needs as many ranks on every host, and " + std::to_string(cell.ranks) +
           " ranks on " + std::to_string(cell.nodes) + " hosts are not";
  }
  if (cell.ranks == cell.nodes) return {};
  if (cell.mapping == "packed" && cell.rank_order != "shuffled") return {};
  return "it needs the ranks of each host one behind the other, and with " +
         (cell.mapping == "packed" ? "rank-order " + cell.rank_order : "mapping " + cell.mapping) +
         " they are not";
}

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
    for (const Conflict& conflict : conflicts(campaign_)) {
      fault(conflict.at, conflict.what, conflict.remedy);
    }
    if (campaign_.rounds == 0) fault({}, "rounds is 0", "write 1 or more");
    if (campaign_.repetitions == 0) fault({}, "repetitions is 0", "write 1 or more");
    if (campaign_.cells.empty()) fault({}, "there are no cells", "name an operation and its sizes");
    for (std::size_t i = 0; i < campaign_.cells.size(); ++i) resolve_block(campaign_.cells[i], i);
    check_world();
    put_into_families(campaign_, resolved_,
                      [this](Position at, std::string what, std::string remedy) {
                        fault(at, std::move(what), std::move(remedy));
                      });
    add_schemes();
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
    if (!campaign_.analysis.own_visits &&
        std::all_of(resolved_.cells.begin(), resolved_.cells.end(),
                    [](const auto& cell) { return cell.scheme == record::kOwnScheme; })) {
      fault(campaign_.analysis.positions.of("own-visits"),
            campaign_.analysis.method +
                " can measure none of these cells its way: it knows warm "
                "caches only",
            "write cache = \"warm\", or leave " + campaign_.analysis.method + " out");
    }
    check_visits();
    check_suites();
    faults_.throw_if_any();
    take_operations();
    return std::move(resolved_);
  }

 private:
  // Many cells may share a mistake: it is said once.
  void fault(Position at, std::string what, std::string remedy = {}) {
    if (!told_.insert(std::to_string(at.line) + ':' + std::to_string(at.column) + what).second) {
      return;
    }
    faults_.add({.place = place_,
                 .line = at.line,
                 .column = at.column,
                 .what = std::move(what),
                 .remedy = std::move(remedy)});
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
    if (operations.size() == block.operations.size()) {
      for (const Conflict& unused : unused_keys(block, operations)) {
        fault(unused.at, unused.what, unused.remedy);
      }
    }
    // Each operation of the block meets the same random numbers.
    const std::vector<record::Cell> teams = teams_of(block);
    for (const record::OperationInfo* info : operations) {
      for (const record::Cell& team : teams) {
        record::Cell cell = team;
        cell.operation = info->name;
        add_product(block, number, *info, cell, 0);
      }
    }
  }

  // Programs may have a name that no library knows: it is the user's.
  const record::OperationInfo& own_operation(const CellsBlock& block, const std::string& name) {
    const bool sized = !block.sizes_bytes.empty() || !block.random_sizes.empty();
    record::OperationInfo info{.name = name, .sized = sized};
    info.datatypes.push_back({});
    return own_operations_.emplace_back(std::move(info));
  }

  static std::vector<std::uint32_t> numbers(const CellsBlock& block, std::string_view key) {
    std::vector<std::uint32_t> all;
    const auto found = block.levels.find(key);
    if (found == block.levels.end()) return all;
    for (const std::string& level : found->second) {
      all.push_back(static_cast<std::uint32_t>(base::parse_u64(level).value_or(0)));
    }
    return all;
  }

  // Ranks, nodes and ranks per node, as the keys of those names say.
  std::vector<record::Cell> teams_of(const CellsBlock& block) {
    const std::vector<std::uint32_t> ranks = numbers(block, "ranks");
    const std::vector<std::uint32_t> nodes = numbers(block, "nodes");
    const std::vector<std::uint32_t> ppn = numbers(block, "ppn");
    std::vector<record::Cell> teams;
    const auto add = [&](std::uint32_t team_ranks, std::uint32_t team_nodes) {
      record::Cell team{.ranks = team_ranks, .nodes = team_nodes};
      team.ppn = (team_ranks + team_nodes - 1) / std::max(team_nodes, 1U);
      if (check_team(block, team)) teams.push_back(team);
    };
    if (!ranks.empty() && !nodes.empty() && !ppn.empty()) {
      fault(block.positions.of("ranks"), "ranks, nodes and ppn are written, where two say it all",
            "remove one of them");
      return teams;
    }
    if (ranks.empty()) {
      for (const std::uint32_t n : nodes.empty() ? std::vector{surroundings_.hosts} : nodes) {
        for (const std::uint32_t p : ppn.empty() ? std::vector{surroundings_.slots} : ppn) {
          add(n * p, n);
        }
      }
      return teams;
    }
    for (const std::uint32_t r : ranks) {
      if (!nodes.empty()) {
        for (const std::uint32_t n : nodes) add(r, n);
      } else if (!ppn.empty()) {
        for (const std::uint32_t p : ppn) add(r, (r + p - 1) / p);
      } else {
        const std::uint32_t slots = std::max(surroundings_.slots, 1U);
        add(r, std::min((r + slots - 1) / slots, surroundings_.hosts));
      }
    }
    return teams;
  }

  static Position position_of_ranks(const CellsBlock& block) {
    return block.positions.of("ranks",
                              block.positions.of("nodes", block.positions.of("ppn", block.at)));
  }

  bool check_team(const CellsBlock& block, const record::Cell& team) {
    const Position at = position_of_ranks(block);
    const std::string hosts = std::to_string(surroundings_.hosts);
    if (team.ranks == 0 || team.nodes == 0) {
      fault(at, "ranks is 0", "write 1 or more");
      return false;
    }
    if (team.nodes > surroundings_.hosts) {
      fault(at,
            std::to_string(team.nodes) + " nodes, but there " +
                (surroundings_.hosts == 1 ? "is " : "are ") + hosts,
            "write " + hosts + " or fewer, or name more hosts in [engine] hosts");
      return false;
    }
    if (team.nodes > team.ranks) {
      fault(at,
            std::to_string(team.ranks) + " ranks cannot be on " + std::to_string(team.nodes) +
                " nodes",
            "write at least a rank for each node");
      return false;
    }
    if (team.ppn > surroundings_.slots && !campaign_.engine.oversubscribe) {
      const std::string slots = std::to_string(surroundings_.slots * team.nodes);
      fault(at,
            std::to_string(team.ranks) + " ranks need more cores than the " + slots +
                (team.nodes > 1 ? " of " + std::to_string(team.nodes) + " hosts" : " here"),
            "write " + slots +
                " or fewer; or, for tests of behaviour, in a campaign: oversubscribe = true with "
                "sync = \"dissemination\" in [engine] (such data get no verdicts)");
      return false;
    }
    return true;
  }

  // The levels of a factor that this operation takes; none where the cell keeps the level it has.
  std::vector<std::string> levels_for(const CellsBlock& block, const record::Factor& factor,
                                      const record::OperationInfo& info, const record::Cell& cell) {
    if (const auto own = block.levels.find(factor.key); own != block.levels.end()) {
      return own->second;
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
      add(cell);
      return;
    }
    const record::DatatypeInfo* type = info.datatype(cell.datatype);
    if (type == nullptr) {
      throw std::invalid_argument("the engine names no datatype for " + info.name);
    }
    for (const std::uint64_t size_bytes : sizes_of(block, number, info, cell, *type)) {
      record::Cell one = cell;
      one.size_bytes = size_bytes;
      for (const record::Factor& factor : record::factors()) {
        const bool has = factor.applies == nullptr || factor.applies(info);
        if (factor.settle != nullptr && has) factor.settle(info, one);
      }
      add(std::move(one));
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

  // Blocks in the longest buffer of a rank: of operations with one for every rank these are many,
  // and with a distribution one of them may be as long as all.
  static std::uint64_t most_blocks(const record::OperationInfo& info, const record::Cell& cell) {
    const bool in_place = cell.in_place == "yes";
    std::uint64_t most = info.arrays == record::Arrays::kNone ? 1 : cell.ranks;
    for (const bool root : {false, true}) {
      const record::Buffers& buffers = info.buffers.on(root, in_place);
      for (const record::Blocks& length : {buffers.send, buffers.recv, buffers.scratch}) {
        most = std::max(most, length.constant + std::uint64_t{length.per_rank} * cell.ranks +
                                  length.per_neighbour * record::neighbours_in(cell.topology) +
                                  length.shares + std::uint64_t{length.shares_per_rank});
      }
    }
    return most;
  }

  // What a call with counts of 32 bits cannot say of the cell, "a displacement of N bytes"; empty:
  // nothing.
  static std::string too_large_number(const record::OperationInfo& info, const record::Cell& cell,
                                      const record::DatatypeInfo& type, std::uint64_t size_bytes) {
    if (info.large_counts) return {};
    const std::uint64_t counted =
        info.counted.elements({.elements = size_bytes / type.size_bytes, .ranks = cell.ranks}) *
        (info.counts_bytes ? type.extent_bytes : 1);
    if (counted > kMaxCount) return "a count of " + std::to_string(counted);
    if (info.arrays == record::Arrays::kNone) return {};
    const auto distribution = record::parse_distribution(cell.distribution);
    const record::BlockLengths lengths(distribution.value_or(record::Distribution{}),
                                       size_bytes / type.size_bytes, cell.ranks);
    const std::uint64_t largest = lengths.largest();
    if (largest > kMaxCount) return "a block of " + std::to_string(largest) + " elements";
    if (info.reduces) {
      return lengths.all() <= kMaxCount
                 ? ""
                 : "a vector of " + std::to_string(lengths.all()) + " elements";
    }
    const bool typed = info.arrays == record::Arrays::kTyped;
    if (typed && info.neighbours) return {};  // takes addresses
    const std::uint64_t before =
        info.neighbours ? largest * (record::neighbours_in(cell.topology) - 1)
                        : lengths.before_last(info.distributes == record::Distributes::kPairs);
    const std::uint64_t most = before * (typed ? type.extent_bytes : 1);
    if (most <= kMaxCount) return {};
    return "displacements up to " + std::to_string(most) + (typed ? " bytes" : " elements");
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

  std::vector<std::uint64_t> sizes_of(const CellsBlock& block, std::size_t number,
                                      const record::OperationInfo& info, const record::Cell& cell,
                                      const record::DatatypeInfo& type) {
    const Position at = block.positions.of("size", block.at);
    const std::string& operation = info.name;
    const std::string& datatype = type.name;
    const std::uint64_t extent = type.size_bytes;
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
    for (const std::uint64_t size : sizes) {
      if (size % extent != 0) broken.push_back(size);
    }
    if (!broken.empty()) {
      fault(at,
            operation + ": " + list_text(broken) + " bytes " +
                (broken.size() == 1 ? "is no multiple" : "are no multiples") + " of its datatype " +
                datatype + " (" + std::to_string(extent) + " bytes)",
            "write sizes that are, or give " + operation + " a [[cells]] block of its own");
    }
    check_largest(block, info, cell, type, sizes);
    return sizes;
  }

  void add(record::Cell cell) {
    check_clock_sync(cell);
    std::string levels;
    for (const record::Factor& factor : record::factors()) levels += factor.text(cell) + '\n';
    SeenCell& seen = seen_[levels];
    std::vector<std::uint32_t> arms;
    for (std::uint32_t arm = 0; arm < campaign_.arms.size(); ++arm) {
      if (!is_for(campaign_.arms[arm]) || !seen.asked.insert(arm).second) continue;
      const auto& operations = surroundings_.operations[arm];
      if (campaign_.arms[arm].is_program()) {
        // A program measures its own way, once.
        if (cell.scheme == record::kOwnScheme) arms.push_back(arm);
        continue;
      }
      const auto info = std::find_if(operations.begin(), operations.end(),
                                     [&](const auto& o) { return o.name == cell.operation; });
      const bool drifts = !record::synchronisation(cell.sync).allows_shared_cores &&
                          is_unpinned(campaign_, campaign_.arms[arm]);
      const bool without_time = lacks_common_time(cell, campaign_.arms[arm]);
      std::string lack =
          info == operations.end() ? "its engine does not know the operation" : lack_of(*info);
      if (lack.empty()) lack = lack_of_cell(*info, cell);
      if (lack.empty()) lack = lack_of_hosts(*info, cell);
      const bool has_all_else = lack.empty();
      if (has_all_else && surroundings_.lack_of_algorithm) {
        lack = surroundings_.lack_of_algorithm(arm, cell);
      }
      if (lack.empty() && !drifts && !without_time) {
        check_record(*info);
        arms.push_back(arm);
        continue;
      }
      // Said of the cell itself.
      if (cell.scheme != record::kOwnScheme) continue;
      LeftOut left_out{.cell = cell, .arm = campaign_.arms[arm].label};
      left_out.reason = lack;
      left_out.of_algorithm = has_all_else && !lack.empty();
      if (left_out.reason.empty()) {
        left_out.reason = drifts ? "ranks that are not pinned cannot keep a start time"
                                 : std::string(kNoCommonTime);
      }
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
    cell.id = static_cast<std::uint32_t>(resolved_.cells.size());
    resolved_.cells.push_back(cell);
    resolved_.arms.push_back(std::move(arms));
    block_of_cell_.push_back(block_);
  }

  // The cells at hand are for all arms, or for some that are named.
  [[nodiscard]] bool is_for(const Arm& arm) const {
    return only_.empty() || std::ranges::find(only_, arm.label) != only_.end();
  }

  // MPI_COMM_WORLD has all ranks of a launch, in its own order. Of the blocks' cells: all others
  // have the ranks of one of them.
  void check_world() {
    if (!any_has_level(campaign_, "communicator", kWorldCommunicator)) return;
    std::uint32_t nodes = 1;
    std::uint32_t ppn = 1;
    for (const record::Cell& cell : resolved_.cells) {
      nodes = std::max(nodes, cell.nodes);
      ppn = std::max(ppn, cell.ppn);
    }
    const std::string other = ", or use communicator \"dup\"";
    for (std::size_t i = 0; i < resolved_.cells.size(); ++i) {
      const record::Cell& cell = resolved_.cells[i];
      const CellsBlock& block = campaign_.cells[block_of_cell_[i]];
      if (cell.ranks != nodes * ppn) {
        fault(position_of_ranks(block),
              "communicator 'world' has all " + std::to_string(nodes * ppn) +
                  " ranks of a launch, and a cell of " + std::to_string(cell.ranks) +
                  " cannot be measured on it",
              "give all cells as many ranks" + other);
      }
      const bool moves = cell.mapping != record::Cell().mapping && cell.nodes > 1;
      if (moves || cell.rank_order != record::Cell().rank_order) {
        fault(block.positions.of(moves ? "mapping" : "rank-order", block.at),
              "communicator 'world' has its ranks in the order in which they are started",
              "leave " + std::string(moves ? "mapping" : "rank-order") + " out" + other);
      }
    }
  }

  // Needs a time that its ranks have in common, to begin together or for its own run-times, and
  // they neither read one clock nor synchronise theirs.
  [[nodiscard]] bool lacks_common_time(const record::Cell& cell, const Arm& arm) const {
    const bool one_clock = cell.nodes == 1 && !campaign_.virtual_clocks.any();
    const bool own = cell.scheme == record::kOwnScheme;  // what suites report is local
    const bool needs_time = record::synchronisation(cell.sync).needs_common_clock ||
                            (own && campaign_.analysis.runtime == "global");
    return !one_clock && needs_time && level_of(campaign_, arm, kClockSync) == record::kNoClockSync;
  }

  // The same of all arms: nothing is left out of some of them, it is a contradiction.
  void check_clock_sync(const record::Cell& cell) {
    if (cell.nodes == 1 && !campaign_.virtual_clocks.any()) return;
    const bool some = std::ranges::any_of(campaign_.arms, [&](const Arm& arm) {
      return !arm.is_program() && level_of(campaign_, arm, kClockSync) != record::kNoClockSync;
    });
    const bool programs = std::ranges::all_of(campaign_.arms, &Arm::is_program);
    if (some || programs) return;
    const Position at = campaign_.engine.positions.of(kClockSync, {});
    if (record::synchronisation(cell.sync).needs_common_clock) {
      fault(at, std::string(kNoCommonTime) + " for sync '" + cell.sync + "'",
            "use sync = \"barrier\" or \"dissemination\" with it, or another clock-sync");
    }
    if (campaign_.analysis.runtime == "global") {
      fault(at, std::string(kNoCommonTime) + " for runtime = \"global\"",
            "use runtime = \"local\", or another clock-sync");
    }
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
    for (const record::Scheme* scheme : schemes_of(campaign_.analysis.presets)) {
      for (const record::Cell& cell : own) {
        only_.clear();
        if (named) {
          for (const std::uint32_t arm : resolved_.arms[cell.id]) {
            only_.push_back(campaign_.arms[arm].label);
          }
        }
        const record::OperationInfo& info = catalogue_.at(cell.operation);
        const auto measured =
            record::cell_by_scheme(cell, *scheme, info.rooted && !info.persistent);
        if (measured) add(*measured);
      }
    }
  }

  void take_operations() {
    resolved_.operations.resize(campaign_.arms.size());
    for (const record::Cell& cell : resolved_.cells) {
      for (const std::uint32_t arm : resolved_.arms[cell.id]) {
        Operations& known = resolved_.operations[arm];
        if (campaign_.arms[arm].is_program() || known.contains(cell.operation)) continue;
        const auto& all = surroundings_.operations[arm];
        known.emplace(cell.operation,
                      *std::ranges::find(all, cell.operation, &record::OperationInfo::name));
      }
    }
  }

  // Above so many ranks what single ranks take is kept only where it is asked for.
  void check_suites() {
    if (campaign_.from_sealed_text.yes) return;  // record_level() keeps it
    const bool need_ranks = any_needs_ranks(campaign_.analysis.presets);
    std::uint32_t most = 0;
    for (const record::Cell& cell : resolved_.cells) most = std::max(most, cell.ranks);
    if (!need_ranks || campaign_.engine.record != "auto" || most <= record::kSuitesPerRankUpTo) {
      return;
    }
    fault(campaign_.analysis.positions.of("presets"),
          "suites report what single ranks take, which is not kept of " + std::to_string(most) +
              " ranks unless it is asked for",
          "write record = \"per-rank\" into [engine] (32 bytes a rank and repetition), or leave "
          "presets out");
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
  base::Faults faults_ = {};
  ResolvedCells resolved_ = {};
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
  static const record::OperationInfo kNothingSaid;
  return kNothingSaid;
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

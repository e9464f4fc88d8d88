#include "ops/check/check.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/text.hpp"
#include "ops/buffers/element.hpp"
#include "ops/call/setup.hpp"
#include "ops/catalogue.hpp"
#include "ops/check/reversed.hpp"
#include "ops/verify.hpp"
#include "record/memory/levels.hpp"
#include "record/p2p/cell_roles.hpp"
#include "record/p2p/levels.hpp"
#include "record/p2p/message_factors.hpp"

namespace invar::ops {
namespace {

constexpr std::uint64_t kSeed = 0x636865636b;  // placements differ between ranks, not between runs
constexpr int kChecksEach = 2;
constexpr int kCallsInARow = 3;
// Messages on more than kFewRanks ranks are checked in one of kCaseInMany cases, because the ranks
// share cores.
constexpr std::uint32_t kFewRanks = 4;
constexpr std::size_t kCaseInMany = 4;
// In the last patterns of these neighbours on both sides are one rank where there are few.
constexpr std::array<std::string_view, 4> kPairPatterns{"distance:1:back", "bisection",
                                                        "matching:1", "doubling:1:back"};
constexpr std::array<std::string_view, 2> kRingPatterns{"ring", "shift:2"};
constexpr std::array<std::string_view, 4> kPartnerPatterns{"grid:2", "grid:3", "partners:2",
                                                           "partners:4"};
constexpr std::uint32_t kCheckedWindow = 3;

// A duplicate of a communicator that returns errors.
class OwnComm {
 public:
  OwnComm(MPI_Comm parent, Around* making) {
    const Held held(making);
    MPI_Comm_dup(parent, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  OwnComm(const OwnComm&) = delete;
  OwnComm& operator=(const OwnComm&) = delete;
  ~OwnComm() { MPI_Comm_free(&comm_); }
  [[nodiscard]] MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

struct Case {
  std::uint64_t count;
  record::Cell cell;
  BlockOrder order = BlockOrder::kRanks;

  [[nodiscard]] std::string text() const {
    std::string text = cell.operation;
    if (cell.size_bytes) text += ", count " + std::to_string(count);
    if (cell.root != 0) text += ", root " + std::to_string(cell.root);
    for (const std::string& level : {cell.datatype, cell.reduction, cell.topology}) {
      if (!level.empty()) text += ", " + level;
    }
    if (cell.in_place == "yes") text += ", in place";
    if (cell.distribution != record::Cell().distribution) text += ", " + cell.distribution;
    if (cell.marks == "on") text += ", marked";
    text += memory_text();
    if (cell.segment_bytes != 0) text += ", segment " + std::to_string(cell.segment_bytes);
    text += messages_text();
    if (order == BlockOrder::kReversed) text += ", blocks in reverse order";
    return text + ", " + std::to_string(cell.ranks) + " ranks";
  }

 private:
  [[nodiscard]] std::string memory_text() const {
    const record::Cell usual;
    std::string text;
    if (cell.access != usual.access) text += ", " + cell.access;
    if (cell.stride != usual.stride) text += ", stride " + cell.stride;
    if (cell.width != usual.width) text += ", width " + cell.width;
    if (cell.unroll != usual.unroll) text += ", unroll " + std::to_string(cell.unroll);
    if (cell.chains != usual.chains) text += ", chains " + std::to_string(cell.chains);
    return text;
  }
  // What is not usual of its messages.
  [[nodiscard]] std::string messages_text() const {
    const record::Cell usual;
    std::string text;
    if (!cell.pattern.empty()) text += ", " + cell.pattern;
    if (cell.form != usual.form) text += ", " + cell.form;
    if (cell.send_mode != usual.send_mode) text += ", " + cell.send_mode;
    if (cell.source != usual.source) text += ", any source";
    if (cell.tag != usual.tag) text += ", any tag";
    if (cell.receives != usual.receives) text += ", posted before";
    if (cell.window != usual.window) text += ", window " + std::to_string(cell.window);
    if (cell.packing != usual.packing) text += ", packed by " + cell.packing;
    return text;
  }
};

class Report {
 public:
  Report(int rank, std::FILE* out) : rank_(rank), out_(out) {}

  void pass() { ++passed_; }
  // Said once for each reason.
  void leave_out(const std::string& reason) {
    ++left_out_;
    if (rank_ == 0 && reason != last_reason_) std::fprintf(out_, "left out %s\n", reason.c_str());
    last_reason_ = reason;
  }
  void fail(const std::string& where, const std::string& what) {
    ++failed_;
    if (rank_ == 0) std::fprintf(out_, "FAILED %s: %s\n", where.c_str(), what.c_str());
  }
  [[nodiscard]] int failed() const { return failed_; }
  void summarise() const {
    if (rank_ != 0) return;
    std::fprintf(out_, "%d checks passed, %d failed", passed_, failed_);
    if (left_out_ > 0) std::fprintf(out_, ", %d left out", left_out_);
    std::fprintf(out_, "\n");
    std::fflush(out_);
  }

 private:
  int rank_;
  std::FILE* out_;
  int passed_ = 0;
  int failed_ = 0;
  int left_out_ = 0;
  std::string last_reason_ = {};
};

std::vector<const Operation*> operations_named(std::span<const std::string> names, int ranks,
                                               Report& report) {
  std::vector<const Operation*> found;
  if (names.empty()) {
    std::copy_if(catalogue().begin(), catalogue().end(), std::back_inserter(found),
                 [ranks](const Operation* operation) {
                   const record::Cell cell{.ranks = static_cast<std::uint32_t>(ranks)};
                   return operation->missing == nullptr &&
                          record::all_parts_taken(operation->roles, operation->messages, cell);
                 });
  }
  std::vector<std::string> known;
  for (const Operation* const operation : catalogue()) known.emplace_back(operation->name);
  for (const std::string& name : names) {
    if (const Operation* const operation = find_operation(name)) {
      found.push_back(operation);
    } else {
      report.fail(name, "no such operation; " + base::did_you_mean(name, known));
    }
  }
  return found;
}

// What an operation says of its times, where that cannot be right; empty: it can.
std::string wrong_times(const Operation& operation) {
  if (operation.times.empty()) return "it has no time";
  for (const Time& time : operation.times) {
    for (const std::string_view point : {time.from, time.to}) {
      if (point == record::kStartPoint || point == record::kEndPoint) continue;
      if (std::none_of(operation.marks.begin(), operation.marks.end(),
                       [&](const Mark& mark) { return mark.name == point; })) {
        return "its time '" + std::string(time.name) + "' needs a mark '" + std::string(point) +
               "', which it does not have";
      }
    }
  }
  return {};
}

// What an operation says of its messages, where that cannot be right; empty: it can.
std::string wrong_messages(const Operation& operation) {
  if (operation.messages == record::Messages::kNone) {
    return operation.windowed || operation.both_ways || operation.copies
               ? "it says that it sends messages several in a row or both ways, or copies in their "
                 "place, and not which patterns it takes (messages)"
               : "";
  }
  if (!operation.roles.empty()) return "who takes part follows from its pattern: it has no roles";
  return operation.behind_untimed != nullptr && operation.batches
             ? "many of its calls run ahead of each other (behind_untimed), and it says that they "
               "can be timed together: write batches = false"
             : "";
}

// All cases of an operation, see check_operations().
class Cases {
 public:
  Cases(const Operation& operation, std::span<const std::uint64_t> counts, int ranks)
      : operation_(operation) {
    cell_.operation = operation.name;
    cell_.ranks = static_cast<std::uint32_t>(ranks);
    if (!operation.sized) {
      cases_.push_back({0, cell_});
      return;
    }
    for (const std::uint64_t count : counts) {
      add_places(count, cell_);
      if (operation.in_place) add_places(count, in_place(cell_));
    }
    const auto last_counts = counts.last(std::min<std::size_t>(2, counts.size()));
    if (!counts.empty()) add_datatypes(last_counts);
    if (operation.distributes != Distributes::kNothing) add_distributions(last_counts);
    if (takes_displacements(operation)) add_reversed(last_counts);
    if (operation.segments != record::Segments::kNone) add_segments(last_counts);
    if (operation.optional_marks) add_marked(last_counts);
    if (operation.walks > 0 && !counts.empty()) add_memory();
    if (operation.messages == record::Messages::kNone || counts.empty()) return;
    if (has_choices()) add_forms(last_counts);
    add_patterns(counts.back());
  }

  [[nodiscard]] const std::vector<Case>& all() const { return cases_; }

 private:
  static record::Cell in_place(record::Cell cell) {
    cell.in_place = "yes";
    return cell;
  }

  void add(std::uint64_t count, record::Cell cell) {
    const std::string_view name =
        cell.datatype.empty() ? usual_datatype(operation_.reduces) : cell.datatype;
    cell.size_bytes = count * find_element_type(name)->size_bytes;
    cases_.push_back({count, std::move(cell)});
  }

  // Roots and topologies.
  void add_places(std::uint64_t count, record::Cell cell) {
    if (operation_.neighbours) {
      for (const char* topology : {"ring", "cartesian"}) {
        cell.topology = topology;
        add(count, cell);
      }
      return;
    }
    add(count, cell);
    if (!operation_.rooted) return;
    // Where the root is in a call of several others is ours to get right, not the library's.
    const bool every_root = operation_.emulates != nullptr;
    for (std::uint32_t root = 1; root < cell.ranks; ++root) {
      if (!every_root && root + 1 < cell.ranks) continue;
      cell.root = root;
      add(count, cell);
    }
  }

  // Where elements lie, and in which order operands meet, is for a call of several others to get
  // right; how the elements of a type are added is the library's.
  [[nodiscard]] bool depends_on(const ElementType& type, bool commutes) const {
    return operation_.emulates == nullptr || type.has_gaps() || !commutes || type.size_bytes == 1;
  }

  // Collectives and messages move data with gaps by the same code of a library; of types with other
  // gaps every cell is checked before it is measured.
  [[nodiscard]] bool is_checked_with(const ElementType& type) const {
    if (!can_have(operation_, type)) return false;
    if (operation_.messages != record::Messages::kNone || !type.has_gaps()) return true;
    const std::span<const ElementType> all = element_types();
    return &type == &*std::ranges::find_if(all, &ElementType::has_gaps);
  }

  void add_datatypes(std::span<const std::uint64_t> counts) {
    record::Cell cell = cell_;
    if (operation_.rooted) cell.root = cell.ranks - 1;
    const auto add_levels = [&](std::string_view datatype, std::string_view reduction) {
      if (!is_checked_with(*find_element_type(datatype))) return;
      cell.datatype = datatype;
      cell.reduction = reduction;
      for (const std::uint64_t count : counts) add(count, cell);
      if (operation_.in_place) add(counts.front(), in_place(cell));
    };
    if (operation_.reduces) {
      for (const Reduction& row : reductions()) {
        if (depends_on(*find_element_type(row.datatype), row.commutes)) {
          add_levels(row.datatype, row.name);
        }
      }
    } else {
      for (const ElementType& type : element_types()) {
        if (depends_on(type, true)) add_levels(type.name, "");
      }
    }
  }

  // In place where blocks have one length in both directions; with the other datatypes where the
  // lengths are drawn.
  void add_distributions(std::span<const std::uint64_t> counts) {
    const bool in_place_too = operation_.in_place && operation_.distributes != Distributes::kPairs;
    for (const char* distribution : {"linear", "half-zero", "one-big", "random:1"}) {
      record::Cell cell = cell_;
      cell.distribution = distribution;
      for (const std::uint64_t count : counts) add_places(count, cell);
      if (in_place_too && !counts.empty()) add_places(counts.front(), in_place(cell));
    }
    if (counts.empty()) return;
    record::Cell cell = cell_;
    cell.distribution = "random:2";
    const std::string_view usual = usual_datatype(operation_.reduces);
    for (const ElementType& type : element_types()) {
      if (type.name == usual || !is_checked_with(type)) continue;
      cell.datatype = type.name;
      cell.reduction = operation_.reduces ? usual_reduction(type.name)->name : "";
      add(counts.front(), cell);
    }
  }

  void add_marked(std::span<const std::uint64_t> counts) {
    record::Cell cell = cell_;
    cell.marks = "on";
    for (const std::uint64_t count : counts) add(count, cell);
  }

  // Every width that is here, order, unrolling and number of chains; of sizes that leave a rest in
  // all of them, but for pages, which are whole.
  void add_memory() {
    constexpr std::uint64_t kBytes = 5 * record::kWalkedPageBytes + 7 * record::kChainStrideBytes;
    std::size_t number = 0;
    for (const std::string_view access : record::kAccesses) {
      for (const std::string_view stride : {"", "512"}) {
        record::Cell cell = cell_;
        cell.access = access;
        if (operation_.chases) cell.stride = std::to_string(record::kChainStrideBytes);
        if (!stride.empty()) cell.stride = stride;
        const bool in_pages = access == record::kAccesses.back();
        if (in_pages && !stride.empty()) continue;
        for (const std::uint32_t unroll : kUnrolls) {
          cell.unroll = unroll;
          // Kernels of all widths are tested by themselves; here one after the other has its turn.
          const std::span<const std::uint32_t> widths = walk_widths();
          if (!operation_.chases) cell.width = std::to_string(widths[number % widths.size()]);
          if (operation_.chases) cell.chains = 1 + number % record::kMostChains;
          cell.loops = std::to_string(1 + number % 3);
          ++number;
          add(kBytes, cell);
        }
      }
    }
  }

  // Messages of one element, and of a few, which leave a rest.
  void add_segments(std::span<const std::uint64_t> counts) {
    const std::size_t element_bytes =
        find_element_type(usual_datatype(operation_.reduces))->size_bytes;
    for (const std::uint64_t elements : {1U, 3U}) {
      record::Cell cell = cell_;
      cell.segment_bytes = elements * element_bytes;
      for (const std::uint64_t count : counts) {
        add_places(count, cell);
        if (operation_.in_place) add_places(count, in_place(cell));
      }
    }
  }

  // Every form, mode, time of posting and way of packing that there is.
  void add_forms(std::span<const std::uint64_t> counts) {
    std::vector<std::string_view> with_gaps;
    for (const ElementType& type : element_types()) {
      if (type.has_gaps()) with_gaps.push_back(type.name);
    }
    std::size_t number = 0;
    record::Cell cell = cell_;
    if (operation_.windowed) cell.window = kCheckedWindow;
    for (const std::string_view form : record::kP2pForms) {
      for (const std::string_view mode : record::kSendModes) {
        for (const std::string_view receives : record::kReceivesPosted) {
          for (const std::string_view packing : record::kPackings) {
            cell.form = form;
            cell.send_mode = mode;
            cell.receives = receives;
            cell.packing = packing;
            if (!is_right(cell)) continue;
            const bool as_it_is = packing == record::kPackings.front();
            cell.datatype = as_it_is ? "" : with_gaps[number % with_gaps.size()];
            for (const std::uint64_t count : counts) add_one_of_many(number, count, cell);
            ++number;
          }
        }
      }
    }
  }

  // The other patterns, and receives that take what comes.
  void add_patterns(std::uint64_t count) {
    const std::uint32_t leaves = cell_.ranks - 1;
    std::vector<std::string> patterns{""};
    if (operation_.messages == record::Messages::kPartners) {
      patterns.insert(patterns.end(), kPartnerPatterns.begin(), kPartnerPatterns.end());
    } else {
      patterns.insert(patterns.end(), kPairPatterns.begin(), kPairPatterns.end());
    }
    if (operation_.messages == record::Messages::kDirected) {
      patterns.insert(patterns.end(), kRingPatterns.begin(), kRingPatterns.end());
      patterns.push_back("fan-out:" + std::to_string(leaves));
      patterns.push_back("fan-in:" + std::to_string(leaves));
    }
    const std::span<const std::string_view> all_forms = record::kP2pForms;
    const std::span<const std::string_view> all_sources = record::kSpecificOrAny;
    const bool all_calls = has_choices() && choice() == record::CallChoice::kCalls;
    const auto forms = all_forms.first(all_calls ? all_forms.size() : 1);
    const auto sources = all_sources.first(operation_.copies ? 1 : all_sources.size());
    std::size_t number = 0;
    record::Cell cell = cell_;
    if (operation_.windowed) cell.window = kCheckedWindow;
    for (const std::string& pattern : patterns) {
      cell.pattern = pattern;
      if (!record::lack_in_cell(operation_.messages, cell).complaint.empty()) continue;
      // In this order: of two sources in turns every fourth case would have the same one.
      for (const std::string_view source : sources) {
        cell.source = cell.tag = source;
        for (const std::string_view form : forms) {
          cell.form = form;
          if (record::may_wait_in_a_circle(cell, operation_.messages)) continue;
          add_one_of_many(number++, count, cell);
        }
      }
    }
  }

  [[nodiscard]] record::CallChoice choice() const { return call_choice(operation_); }
  // What sends nothing has none, nor has what is called in one way in all cells.
  [[nodiscard]] bool has_choices() const {
    return !operation_.copies && choice() != record::CallChoice::kNothing;
  }

  // Whether the operation and MPI have that, and MPI says what comes of it.
  [[nodiscard]] bool is_right(const record::Cell& cell) const {
    const record::Cell usual;
    const bool usual_calls = cell.form == usual.form && cell.send_mode == usual.send_mode &&
                             cell.packing == usual.packing;
    if (choice() == record::CallChoice::kReceives && !usual_calls) return false;
    const record::OperationInfo info{.name = operation_.name};
    const bool ready = cell.send_mode == record::name_of(record::SendMode::kReady);
    return record::check_receives(info, cell).complaint.empty() &&
           (!ready || record::posts_before(cell));
  }

  void add_one_of_many(std::size_t number, std::uint64_t count, const record::Cell& cell) {
    if (cell.ranks <= kFewRanks || number % kCaseInMany == cell.ranks % kCaseInMany) {
      add(count, cell);
    }
  }

  // Equal blocks, and others where there are; as add_distributions() in place.
  void add_reversed(std::span<const std::uint64_t> counts) {
    const std::size_t first = cases_.size();
    for (const char* distribution : {"regular", "random:2"}) {
      record::Cell cell = cell_;
      cell.distribution = distribution;
      const bool regular = cell.distribution == record::Cell().distribution;
      if (!regular && operation_.distributes == Distributes::kNothing) continue;
      for (const std::uint64_t count : counts) add_places(count, cell);
      const bool pairs = operation_.distributes == Distributes::kPairs;
      if (!operation_.in_place || counts.empty() || (pairs && !regular)) continue;
      add_places(counts.front(), in_place(cell));
    }
    for (std::size_t i = first; i < cases_.size(); ++i) cases_[i].order = BlockOrder::kReversed;
  }

  const Operation& operation_;
  record::Cell cell_ = {};
  std::vector<Case> cases_ = {};
};

// As check_once(), for blocks that are not in the order of the ranks.
Outcome check_reversed(const Operation& operation, Call& call, const Circle& circle) {
  fill_in_layout(operation, call);
  const bool calls = call.role != record::Role::kStandsBy;
  const int code = calls ? make_call(operation, call) : MPI_SUCCESS;
  Outcome called = agree(circle, code == MPI_SUCCESS ? "" : mpi_error_text(operation.name, code));
  if (!called.passed()) return called;
  put_in_order(operation, call);
  return check_result(operation, call, circle);
}

// Whether the case is one of those that are asked for.
bool has_operator(const Case& one, Operators operators) {
  if (operators == Operators::kAll) return true;
  const Reduction* const reduction =
      one.cell.reduction.empty() ? nullptr : find_reduction(one.cell.reduction, one.cell.datatype);
  const bool commutes = reduction == nullptr || reduction->commutes;
  return commutes == (operators == Operators::kCommuting);
}

// Whether calls in a row may take each other's messages, which is not a fault of the library.
bool mixes_calls(const Operation& operation, const record::Cell& cell) {
  return operation.messages == record::Messages::kPartners && operation.behind_untimed == nullptr &&
         record::takes_from_several(cell, operation.messages);
}

// Ranks of `comm` agree in `circle`, which are the same.
void check_cases(std::span<const Case> cases, const Operation& stated, MPI_Comm comm,
                 const Circle& circle, Around* calling, base::Random& random, Report& report) {
  // Communicators that setups of one operation share live as long as one of these.
  std::optional<Operation> first_operation;
  std::optional<CallSetup> first;
  const bool share = stated.equip != nullptr || stated.messages != record::Messages::kNone;
  if (share && !cases.empty()) {
    first_operation = operation_for(stated, cases.front().cell);
    first.emplace(cases.front().cell, *first_operation, comm);
  }
  for (const Case& one : cases) {
    const Operation operation = operation_for(stated, one.cell);
    CallSetup setup(one.cell, operation, comm);
    if (!setup.refused().empty()) {
      report.leave_out(setup.refused());
      continue;
    }
    if (!setup.errors().empty()) {
      report.fail(one.text(), base::join(setup.errors(), "; "));
      continue;
    }
    setup.call().around = calling;
    const bool reversed = one.order == BlockOrder::kReversed;
    if (reversed) setup.lay_out(one.order);
    const BufferNeed need = setup.need();
    const Arena arena(std::span(&need, 1));
    for (int check = 1; check <= kChecksEach; ++check) {
      // The first of them as a launch begins, the other one as a visit ends. Not of persistent
      // ones: with MPICH 4.0.2 a scatter never ends that a rank starts again before others have
      // left it, and it loses count of a derived datatype whose request starts again.
      const bool as_visit = check > 1 && operation.prepare == nullptr && !operation.verify_calls &&
                            leaves_one_result(operation, setup.call());
      const bool in_a_row = as_visit && !mixes_calls(operation, one.cell);
      const int error = setup.place(arena.place(random, need));
      if (as_visit) setup.call().pattern_start = pattern_start_of(static_cast<unsigned>(check));
      Outcome outcome =
          agree(circle, error == MPI_SUCCESS ? "" : mpi_error_text(operation.name, error));
      if (outcome.passed()) {
        outcome = reversed
                      ? check_reversed(operation, setup.call(), circle)
                      : check_calls(operation, setup.call(), circle, in_a_row ? kCallsInARow : 1);
      }
      if (outcome.passed()) {
        report.pass();
      } else {
        report.fail(one.text() + ", call " + std::to_string(check), outcome.text());
      }
    }
  }
}

}  // namespace

int check_operations(MPI_Comm comm, const CheckOrder& order, std::FILE* out) {
  const OwnComm own(comm, order.making);
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(own.get(), &rank);
  MPI_Comm_size(own.get(), &ranks);

  Report report(rank, out);
  auto random = base::Random::of({kSeed, static_cast<std::uint64_t>(rank)});
  for (const Operation* const operation : operations_named(order.operations, ranks, report)) {
    std::string wrong = wrong_times(*operation);
    if (wrong.empty()) wrong = wrong_distribution(*operation);
    if (wrong.empty()) wrong = wrong_messages(*operation);
    if (!wrong.empty()) {
      report.fail(operation->name, wrong);
      continue;
    }
    std::vector<Case> cases = Cases(*operation, order.counts, ranks).all();
    std::erase_if(cases, [&](const Case& one) {
      const bool too_much = !order.in_place && one.cell.in_place == "yes";
      return too_much || !has_operator(one, order.operators);
    });
    check_cases(cases, *operation, own.get(), {.comm = comm}, order.calling, random, report);
  }
  report.summarise();
  return report.failed();
}

}  // namespace invar::ops

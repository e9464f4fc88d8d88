#include "shim/start.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <limits>
#include <memory>
#include <optional>

#include "base/text.hpp"
#include "shim/communicator/lookup.hpp"
#include "shim/library/find_library.hpp"
#include "shim/library/library.hpp"
#include "tuning/decision_table.hpp"

namespace invar::shim {
namespace {

struct Tables {
  // Communicators point into those that were used before.
  std::vector<std::unique_ptr<ActiveTable>> all = {};
  std::string said = {};  // by rank 0, of the table
  std::string place = {};
  bool reports = false;
  int rank = 0;
  int ranks = 1;
};

// Lives as long as the process: threads may still be in a call when its end begins.
Tables& tables() {
  static auto* const made = new Tables;
  return *made;
}

void say(const std::string& text) {
  const std::string all = "invar-tuned: " + text + "\n";
  std::fwrite(all.data(), 1, all.size(), stderr);
  std::fflush(stderr);
}

const char* variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool wants_report() {
  const char* const value = variable(kReportVariable);
  if (value == nullptr) return false;
  const std::optional<bool> truth = base::parse_truth(value);
  if (!truth) {
    say(std::string(kReportVariable) + ": '" + value + "' is neither 1 nor 0; there is no report");
  }
  return truth.value_or(false);
}

// What rank 0 read; nothing: it has no table.
struct TableText {
  std::string place = {};
  std::optional<std::string> text = {};
};

TableText read_table(Tables& state) {
  TableText table;
  const char* const path = variable(kTableVariable);
  if (path == nullptr) {
    state.said = std::string(kTableVariable) + " is not set: nothing is replaced";
    return table;
  }
  table.place = path;
  table.text = base::read_file(table.place);
  if (!table.text) {
    state.said = table.place + ": cannot read this table; " + kTableVariable +
                 " must name a file that rank 0 can read; nothing is replaced";
    say(state.said);
  }
  return table;
}

// A text of rank 0 on all ranks.
std::string told(std::string text, int rank) {
  auto bytes = static_cast<std::int64_t>(rank == 0 ? text.size() : 0);
  MPI_Bcast(&bytes, static_cast<int>(sizeof bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(bytes));
  MPI_Bcast(text.data(), static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
  return text;
}

constexpr std::size_t kLongestTable = std::size_t{64} << 20U;

void begin_with_table() {
  Tables& state = tables();
  MPI_Comm_rank(MPI_COMM_WORLD, &state.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &state.ranks);
  TableText table;
  if (state.rank == 0) {
    state.reports = wants_report();
    table = read_table(state);
    if (table.text && table.text->size() > kLongestTable) {
      state.said = table.place +
                   ": is longer than 64 MiB, and so is not a decision table; nothing is "
                   "replaced";
      say(state.said);
      table.text.reset();
    }
  }
  // A first letter tells whether there is one.
  const std::string text = told(table.text ? "t" + *table.text : "", state.rank);
  if (text.empty()) return;
  state.place = state.rank == 0 ? table.place : kTableVariable;
  const std::vector<base::Fault> faults = use_table(std::string_view(text).substr(1), state.place);
  if (faults.empty() || state.rank != 0) return;
  for (const base::Fault& fault : faults) say(fault.text());
  state.said =
      state.place + ": nothing is replaced, because of " + base::count_text(faults.size(), "fault");
  say(state.said);
}

}  // namespace

std::vector<base::Fault> use_table(std::string_view text, const std::string& place) {
  tuned_collectives.store(0, std::memory_order_release);
  std::unique_ptr<ActiveTable> table;
  try {
    table = std::make_unique<ActiveTable>(tuning::parse_table(text, place), place);
  } catch (const base::UserError& error) {
    return error.faults();
  }
  if (!begin_looking_up(*table)) {
    return {base::Fault{.place = place, .what = "the library keeps no attributes for the shim"}};
  }
  tables().all.push_back(std::move(table));
  tuned_collectives.store(tables().all.back()->collectives(), std::memory_order_release);
  return {};
}

const ActiveTable* table_in_use() {
  return tables().all.empty() ? nullptr : tables().all.back().get();
}

void reach_library() noexcept {
  find_library();
  if (has_functions()) return;
  say("the program has loaded its MPI library after its start, where its functions cannot be found "
      "any more; preload that library, too (LD_PRELOAD=libinvar-tuned.so:libmpi.so)");
  std::_Exit(EXIT_FAILURE);
}

void begin() noexcept {
  try {
    if (has_handles()) {
      begin_with_table();
    } else {
      say("the program has loaded its MPI library after its start, where its datatypes cannot be "
          "found any more; preload that library, too (LD_PRELOAD=libinvar-tuned.so:libmpi.so); "
          "nothing is replaced");
    }
  } catch (const std::exception& problem) {
    // Ranks may not be of one mind any more.
    say(std::string("cannot begin: ") + problem.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

void end() noexcept {
  tuned_collectives.store(0, std::memory_order_release);
  end_looking_up();
  try {
    const Tables& state = tables();
    if (!state.reports) return;
    const ActiveTable* const table = table_in_use();
    if (table == nullptr || !state.said.empty()) {
      say(state.said);
    } else {
      say(state.place + ", what rank 0 of " + std::to_string(state.ranks) + " called:\n" +
          report_text(*table));
    }
  } catch (const std::exception&) {
    say("no memory is left for the report");
  }
}

}  // namespace invar::shim

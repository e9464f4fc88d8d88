#include "launch/build/build.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>

#include "base/crc32c.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "base/units.hpp"
#include "launch/build/build_progress.hpp"
#include "launch/build/build_time.hpp"
#include "launch/build/compiler_message.hpp"
#include "launch/build/object_record.hpp"
#include "launch/build/operation_list.hpp"
#include "launch/build/units.hpp"
#include "launch/process/files.hpp"

namespace invar::launch {
namespace {

namespace fs = std::filesystem;

constexpr double kCompilerLimitS = 600;

// What was run and what came of it.
struct BuildFailure {
  std::string command = {};
  std::string output = {};
};

// Compiles one unit; nothing if that went well.
std::optional<BuildFailure> compile(const CompiledUnit& unit, const BuildOrder& order,
                                    const ObjectKeys& keys) {
  write_batch(unit);
  const std::string unfinished = unit.object.string() + ".new";
  const std::string rule_file = unit.object.string() + ".d";
  std::vector<std::string> command{order.mpicxx};
  const std::vector<std::string> flags = engine_flags(order.cxxflags);
  command.insert(command.end(), flags.begin(), flags.end());
  const BuildTarget& target = *order.target;
  command.insert(command.end(), target.flags.begin(), target.flags.end());
  if (unit.may_know_mpi) {
    command.insert(command.end(), target.mpi_flags.begin(), target.mpi_flags.end());
  }
  // The list of all operations, if a user has own ones, is found before ours.
  if (!order.operations.empty()) command.push_back("-I" + merged_folder(order).string());
  if (!order.headers.empty()) command.push_back(headers_flag(order));
  command.insert(command.end(), {"-I" + order.sources.string(), "-MD", "-MF", rule_file, "-c",
                                 (order.sources / unit.source).string(), "-o", unfinished});
  const auto begin = std::chrono::steady_clock::now();
  const fs::file_time_type begin_of_files = fs::file_time_type::clock::now();
  const CommandResult result = run_command(command, order.environment, kCompilerLimitS);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  std::error_code error;
  if (result.status != 0) {
    fs::remove(unfinished, error);
    fs::remove(rule_file, error);
    return BuildFailure{
        command_text(command),
        result.out + result.err + (result.timed_out ? "(stopped after 600 s)\n" : "")};
  }
  fs::remove(unit.record, error);
  const std::string rule = base::read_file(rule_file).value_or("");
  fs::remove(rule_file, error);
  fs::rename(unfinished, unit.object, error);
  if (error)
    return BuildFailure{{}, "cannot write " + unit.object.string() + ": " + error.message()};
  write_record(unit, order, keys, rule, begin_of_files, took.count());
  return std::nullopt;
}

// The compiler's first complaint comes first, then who builds what, then everything it said.
[[noreturn]] void fail(const BuildOrder& order, const std::string& what,
                       const BuildFailure& failure) {
  constexpr std::size_t kLongest = 6000;
  std::string output = failure.output;
  if (output.size() > kLongest) output = output.substr(0, kLongest) + "\n...";
  base::Fault fault = first_complaint(failure.output);
  const bool own =
      !order.operations.empty() && fault.place.starts_with(order.operations.string() + "/");
  if (fault.place.empty()) fault.place = "profile " + order.name;
  if (!fault.what.empty()) fault.what += "; so ";
  fault.what += std::string(order.target->title) + " of '" + order.name + "' " + what + " with " +
                order.mpicxx;
  if (!own) {
    fault.what += ", which must compile C++20 (g++ 11 or clang 14 and later) and link";
  }
  fault.what += ":\n" + (failure.command.empty() ? "" : "$ " + failure.command + "\n") + output;
  throw base::UserError(std::move(fault));
}

void compile_all(const std::vector<CompiledUnit>& units, const BuildOrder& order,
                 const ObjectKeys& keys) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::optional<BuildFailure> first_failure;
  const std::size_t files =
      std::accumulate(units.begin(), units.end(), std::size_t{0},
                      [](std::size_t sum, const CompiledUnit& unit) { return sum + unit.files(); });
  BuildProgress progress(order.name, files, isatty(STDERR_FILENO) != 0);
  const auto begin = std::chrono::steady_clock::now();
  const auto work = [&] {
    for (std::size_t i = next++; i < units.size(); i = next++) {
      {
        const std::lock_guard guard(mutex);
        if (first_failure) return;
      }
      std::optional<BuildFailure> failure;
      try {
        failure = compile(units[i], order, keys);
      } catch (const std::exception& problem) {
        failure = BuildFailure{{}, problem.what()};
      }
      const std::lock_guard guard(mutex);
      if (failure) {
        if (!first_failure) first_failure = std::move(failure);
        continue;
      }
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
      std::fputs(progress.compiled(units[i].files(), elapsed.count()).c_str(), stderr);
    }
  };
  std::vector<std::thread> workers;
  const std::size_t count = std::min(compile_jobs(), units.size());
  for (std::size_t i = 0; i < count; ++i) workers.emplace_back(work);
  for (std::thread& worker : workers) worker.join();
  std::fputs(progress.end().c_str(), stderr);
  if (first_failure) fail(order, "does not compile", *first_failure);
}

// By the first of the target's ways that works; the complaint is that of the last one.
fs::path linked(const BuildOrder& order, const std::vector<CompiledUnit>& units) {
  const BuildTarget& target = *order.target;
  fs::path unfinished = order.dir / (std::string(target.file) + ".new");
  CommandResult result;
  for (const auto& flags : target.link_flags) {
    std::vector<std::string> command{order.mpicxx};
    command.insert(command.end(), flags.begin(), flags.end());
    for (const CompiledUnit& unit : units) command.push_back(unit.object.string());
    command.insert(command.end(), target.link_libraries.begin(), target.link_libraries.end());
    if (!target.exports.empty()) {
      command.push_back("-Wl,--version-script=" + (order.sources / target.exports).string());
    }
    command.insert(command.end(), {"-o", unfinished.string()});
    result = run_command(command, order.environment, kCompilerLimitS);
    if (result.status == 0) return unfinished;
  }
  std::error_code error;
  fs::remove(unfinished, error);
  fail(order, "does not link", {{}, result.out + result.err});
}

// Objects and batches of sources that are gone must not stay for ever.
void remove_stale(const BuildOrder& order, const std::vector<CompiledUnit>& units) {
  for (const char* folder : {"objects", "batches"}) {
    std::error_code error;
    for (fs::directory_iterator entry(order.dir / folder, error), end; !error && entry != end;
         entry.increment(error)) {
      const bool wanted = std::any_of(units.begin(), units.end(), [&](const CompiledUnit& unit) {
        return unit.object == entry->path() || unit.record == entry->path() ||
               unit.source == entry->path();
      });
      std::error_code ignored;
      if (!wanted) fs::remove(entry->path(), ignored);
    }
  }
}

// The user's own sources come first, so that a mistake in them is told at once. Then comes what
// takes longest, which must not be begun last.
std::vector<CompiledUnit> in_order(std::vector<CompiledUnit> units,
                                   const std::vector<double>& seconds, const BuildOrder& order) {
  std::vector<std::size_t> numbers(units.size());
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  const auto own = [&](std::size_t i) {
    return !order.operations.empty() &&
           units[i].source.starts_with(order.operations.string() + "/");
  };
  std::ranges::stable_sort(numbers, [&](std::size_t a, std::size_t b) {
    return own(a) != own(b) ? own(a) : seconds[a] > seconds[b];
  });
  std::vector<CompiledUnit> sorted;
  sorted.reserve(numbers.size());
  for (const std::size_t i : numbers) sorted.push_back(std::move(units[i]));
  return sorted;
}

}  // namespace

std::size_t compile_jobs() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof(mine), &mine) == 0) {
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&mine)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

std::string headers_flag(const BuildOrder& order) {
  return "-I" + (order.sources / order.headers).string();
}

std::vector<std::string> engine_flags(const std::string& cxxflags) {
  // Line numbers for backtraces; full debug information would take a third of the build's time.
  std::vector<std::string> flags{"-std=c++20", "-O2", "-g1"};
  std::string own;
  for (const char letter : cxxflags + " ") {
    if (letter != ' ' && letter != '\t' && letter != '\n') {
      own += letter;
    } else if (!own.empty()) {
      flags.push_back(std::move(own));
      own.clear();
    }
  }
  const std::string told = "-DINVAR_ENGINE_FLAGS=" + base::join(flags, ",");
  flags.insert(flags.end(), {"-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", told});
  return flags;
}

std::string engine_key(const fs::path& sources, const fs::path& operations,
                       const std::string& compiler_state, const std::string& cxxflags) {
  std::string all = flags_key(compiler_state, cxxflags);
  for (const fs::path& file : files_of_user(operations)) {
    all += file.string() + "=" + file_checksum(file.string()) + ";";
  }
  for (const std::string& file : engine_files(sources)) {
    all += file + "=" + file_checksum((sources / file).string()) + ";";
  }
  return base::crc_text(base::crc32c(all)) + "-" + std::to_string(all.size());
}

void build_engine(const BuildOrder& order) {
  make_directories(order.dir / "objects");
  const ObjectKeys keys = object_keys(order);
  const std::vector<CompiledUnit> units = units_of(order);
  if (!order.operations.empty()) {
    write_merged_operations(order.sources / "ops" / "catalogue.def", order.operations,
                            merged_folder(order) / "ops" / "catalogue.def");
  }
  remove_stale(order, units);
  std::vector<fs::path> folders = sibling_objects(order.dir);
  std::vector<CompiledUnit> stale;
  std::copy_if(units.begin(), units.end(), std::back_inserter(stale),
               [&](const CompiledUnit& unit) {
                 return !is_current(unit, order, keys) && !adopt(unit, order, keys, folders);
               });
  folders.insert(folders.begin(), order.dir / "objects");
  const std::vector<double> seconds = expected_seconds(stale, folders);
  const auto count_files = [](const std::vector<CompiledUnit>& some) {
    std::size_t count = 0;
    for (const CompiledUnit& unit : some) count += unit.files();
    return count;
  };
  const std::string about =
      stale.empty()
          ? ""
          : ", about " + base::span_text(std::ceil(wall_seconds(seconds, compile_jobs())));
  std::fprintf(stderr, "%s: building %s (%zu of %zu files to compile%s)\n", order.name.c_str(),
               std::string(order.target->title).c_str(), count_files(stale), count_files(units),
               about.c_str());
  compile_all(in_order(std::move(stale), seconds, order), order, keys);
  const fs::path unfinished = linked(order, units);
  std::error_code error;
  fs::rename(unfinished, order.dir / order.target->file, error);
  if (error) fail(order, "cannot be installed", {{}, error.message()});
}

}  // namespace invar::launch

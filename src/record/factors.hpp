// The table of factors that do not define the arm. One row says all that plans, campaigns,
// messages, tables and answers have to know of a factor. A new factor is one member of Cell, one
// row here, and what acts on it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace invar::record {

struct Cell;
struct OperationInfo;

// What a factor is for those who read about a cell.
enum class FactorRole : std::uint8_t {
  kSubject,  // operation, size: always told first, in columns and fields of their own
  kRanks,    // always told, "4 ranks"
  kNodes,    // told if there are several
  kDerived,  // follows from others, never told
  kSetting,  // told where it is unusual, and where cells differ in it
  kStart,    // how ranks start a repetition: synchronisations are compared by these
  kScheme,   // whose way of measuring the cell has
  kFamily,   // what the cell is compared with, told only where cells differ in nothing else
};

// How people write a level in a campaign.
enum class LevelKind : std::uint8_t {
  kWord,      // one of Factor::words
  kName,      // what it can be only the engine knows
  kNumber,    // Factor::numbers
  kTruth,     // true, false: "yes", "no"
  kRoot,      // a rank, or "rotating"
  kDuration,  // "1us", "off": nanoseconds
  kText,      // as Factor::level reads it
};

// A level as Factor::parse takes it; nothing, with `complaint` set, if it is none.
struct LevelText {
  std::optional<std::string> text = {};
  std::string complaint = {};
  std::string remedy = {};
  std::string_view blamed_key = {};  // of another factor, if its level is the cause
};

// What a whole number may be, both ends included.
struct NumberRange {
  std::uint64_t least = 1;
  std::uint64_t most = 10'000'000;
};

struct Factor {
  std::string_view name;  // of the column
  FactorRole role = FactorRole::kSetting;
  std::string (*text)(const Cell&) = nullptr;
  // False if the text is not a level of this factor.
  bool (*parse)(Cell&, std::string_view) = nullptr;

  // The level of all cells of a plan that was written before there was this column. It is never
  // changed, whatever the usual level becomes (the member of Cell says that). None: plans must have
  // the column.
  std::optional<std::string_view> absent = {};
  // Plans and tables of every version have this column. Those of factors that came later have it
  // only where a cell has another level than `absent`, so that older files and readers stay right.
  bool always_written = false;

  // The key in [[cells]]: "rank-order". Empty: a campaign gives it no levels by a key.
  std::string_view key = {};
  LevelKind kind = LevelKind::kWord;
  std::vector<std::string> words = {};
  NumberRange numbers = {};                        // of kNumber
  LevelText (*level)(std::string_view) = nullptr;  // of kText
  // The levels that a written one stands for in a cell of so many ranks; campaigns keep what is
  // written, cells have these. Null: every level stands for itself.
  std::vector<std::string> (*expand)(std::string_view level, std::uint32_t ranks) = nullptr;
  // May stand in [engine] for all cells, too; a block that has the key overrules it.
  bool in_engine = false;
  // Null: every operation has this factor. Else its level follows from the operation where nobody
  // chose one.
  bool (*applies)(const OperationInfo&) = nullptr;
  // "has a root": for messages, "none of these operations has a root".
  std::string_view lack = {};
  // The level that an operation has where none is written; neither text nor complaint: the cell
  // keeps the level it has. The cell's earlier factors are set. Null: the usual one.
  LevelText (*of_operation)(const OperationInfo&, const Cell&) = nullptr;
  // The level that means the same once the cell's size is known: written as another one it would be
  // measured twice. Null: every level means something of its own.
  void (*settle)(const OperationInfo&, Cell&) = nullptr;
  // What is wrong with the cell's level for this operation, as `complaint`. Null: nothing can be.
  LevelText (*check)(const OperationInfo&, const Cell&) = nullptr;

  // Seconds that its level adds to a repetition, where the calls of one take `calls_s`: expected
  // times count it (docs/formats.md). Null: none, as for what is part of the call's own time.
  double (*seconds)(const Cell&, double calls_s) = nullptr;
  // Does its level need every call by itself, as what acts before each does? Then calls cannot be
  // timed in batches, because only the first one of a batch would meet it. Null: no.
  bool (*each_call)(const Cell&) = nullptr;

  // In messages: "dither 1000 ns". Without title the name is told, its underscores as spaces.
  std::string_view title = {};
  std::string_view unit = {};
  // Messages tell every other level of this factor. None: it is told only where cells differ in it.
  std::optional<std::string_view> silent = {};

  // Its lines in the template of `invar init`; empty: the template tells of it with another one.
  std::string sample = {};
};

// In the order of the columns.
std::span<const Factor> factors();

// Null if there is none of that name, or of that key.
const Factor* find_factor(std::string_view name);
const Factor* find_factor_by_key(std::string_view key);
// What cells may be told apart by: "operation", "size", or a key. Null: none of these.
const Factor* find_cell_factor(std::string_view word);
std::vector<std::string> cell_factor_words();

// What all factors add to a repetition of the cell (Factor::seconds).
double seconds_beside_calls(const Cell& cell, double calls_s);

// The first factor that needs every call of the cell by itself (Factor::each_call); null: none.
const Factor* factor_before_each_call(const Cell& cell);

// The level of a cell, where it is not what is usual for its operation; empty: it is.
std::string unusual_level(const Factor& factor, const OperationInfo& info, const Cell& cell);

// "rank order reversed", "dither 1000 ns", "in place".
std::string level_words(const Factor& factor, const Cell& cell);

}  // namespace invar::record

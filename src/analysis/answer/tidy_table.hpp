// Tidy tables: what an answer consists of, one row an observation, one column a variable, whatever
// the question. Reporters (src/report/kit) print any of them on a terminal, as CSV, as JSON and in
// a page.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "record/cell.hpp"

namespace invar::analysis {

// What a column holds, from which follow its unit and how a terminal writes it. Names of columns
// carry the unit: `median_ns`, `size_bytes`, `budget_s`.
enum class Kind {
  kText,
  // A record::Cell. Called `cell` it becomes a column a factor, and in JSON the keys of its levels.
  // A second one, which may be absent, is an object in JSON, and its columns carry the end of its
  // name: `size_bytes_b` of `cell_b`.
  kCell,
  kYesNo,      // bool
  kVerdict,    // a Word
  kCount,      // an integer
  kBytes,      // an integer: "64 KiB"
  kCapacity,   // an estimate of bytes: "49.3 KiB"
  kTime,       // ns: "1.24 us"
  kSeconds,    // s: "90 s"
  kRatio,      // one time over another: "1.30"
  kShare,      // a part of a whole or a relative difference, 1 for 100 %
  kP,          // of a test
  kStarredP,   // the same with asterisks at .05, .01, .001
  kLogSd,      // standard deviation of natural logarithms: "1.8 %", "factor 2.4"
  kBandwidth,  // GB/s: "3.42"
  kRate,       // in a second: "4.21 M"
  kNumber,     // any other
};

// "text", "cell", "yes-no", ...: for a page, which draws by kind.
std::string_view kind_name(Kind kind);

// "ns", "s", "bytes", "GB/s"; empty for what has no unit.
std::string_view unit_of(Kind kind);

// One of a fixed list of words: what machines read, and what people do.
struct Word {
  std::optional<std::string> name = {};  // "faster"; none: there is no verdict
  std::string words = {};                // "openmpi faster"
};

template <typename Content>
struct Named {
  std::string name = {};  // of a record::Cell: not used, its levels have names
  Content value = {};
};
struct Value;
using List = std::vector<Value>;
// Several values under names: for JSON only, no row of a table.
using Field = Named<Value>;
using Record = std::vector<Field>;

// One value of a row, which may be absent: null in JSON, empty in CSV. Rows are lists of what they
// hold, so every constructor converts.
// NOLINTBEGIN(google-explicit-constructor)
struct Value {
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Word, record::Cell, List,
               Record>
      content = {};

  Value() = default;
  Value(std::nullopt_t /*absent*/) {}
  Value(double number) : content(number) {}
  Value(std::string text) : content(std::move(text)) {}
  Value(std::string_view text) : content(std::string(text)) {}
  Value(const char* text) : content(std::string(text)) {}
  Value(Word word) : content(std::move(word)) {}
  Value(record::Cell cell) : content(std::move(cell)) {}
  Value(List list) : content(std::move(list)) {}
  Value(Record record) : content(std::move(record)) {}
  template <std::same_as<bool> T>
  Value(T truth) : content(truth) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T number) : content(static_cast<std::int64_t>(number)) {}
  template <typename T>
  Value(const std::optional<T>& given) {
    if (given) *this = Value(*given);
  }

  [[nodiscard]] bool absent() const { return content.index() == 0; }
};
// NOLINTEND(google-explicit-constructor)

struct TidyColumn {
  std::string name = {};
  Kind kind = Kind::kText;
  // Names of the columns that hold the ends of this one's interval; empty: it has none.
  std::string low = {};
  std::string high = {};
};

// A column as a terminal shows it, with its interval beside it.
struct ShownColumn {
  std::string header = {};
  std::string column = {};  // a TidyColumn's name
  std::string absent = {};  // what stands where there is not a value: "-", "not testable"
  // Decimals of a share in percent; none: as many as its size asks for.
  std::optional<int> decimals = {};
  // Significant digits of a plain number; none: as many as it has, up to six.
  std::optional<int> digits = {};
  // Texts are aligned to the left, numbers to the right, unless one of these says otherwise.
  bool left = false;
  bool right = false;
  // The factors of a cell that get a column; empty: operation, size, and what else varies.
  std::vector<std::string> factors = {};
  bool glued = false;  // follows the column before it with a single space, under its header
};

struct TidyTable {
  std::string id = {};     // its key in JSON, and its name with --format csv; empty: terminal only
  std::string title = {};  // for people; empty: it needs none
  std::vector<TidyColumn> columns = {};
  std::vector<std::vector<Value>> rows = {};  // as many values as columns
  std::vector<ShownColumn> shown = {};        // empty: a terminal does not show it
  // How much each row says, where a terminal has no room for all of them: those that weigh most
  // are kept, in their order. Empty: the first ones are. Below 0: for who asks for everything
  // alone.
  std::vector<int> weights = {};
  // False: JSON says the same in another shape (Answer::facts).
  bool in_json = true;
  // Why there are no rows, where that may be asked; an empty text: there are. JSON has it as
  // `ID_missing`.
  std::optional<std::string> missing = {};
};

// Its place among the columns. Throws std::invalid_argument if there is none of that name.
std::size_t column_index(const TidyTable& table, std::string_view name);

// Shows no rates any more, on a terminal: where ranks got their turns by chance a time says so, and
// bytes in a second would be taken for what the machine can do. Machines still have them.
void hide_rates(TidyTable& table);

}  // namespace invar::analysis

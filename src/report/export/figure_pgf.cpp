#include "report/export/figure_pgf.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "base/text.hpp"

namespace invar::report {
namespace {

constexpr const char* kNoValue = "nan";
// Sizes that have room beside each other below an axis.
constexpr std::size_t kMostTicks = 12;

// By what a table is split into files; "cell" is panel and size together, "target" the same of
// factors, whose panels are operations.
struct Split {
  std::string_view table;
  std::string_view file;
  std::vector<std::string_view> keys;
};

const std::vector<Split>& splits() {
  static const std::vector<Split> all{
      {"ratio", "ratio", {"panel", "arm"}},
      {"regime_ratio", "regime_ratio", {"panel", "arm", "regime"}},
      {"boxes", "boxes", {"panel", "arm"}},
      {"times", "times", {"panel", "arm"}},
      {"times", "estimate", {"cell", "arm"}},
      {"launches", "launches", {"cell", "arm"}},
      {"launches", "of_panel", {"panel", "arm"}},
      {"histogram", "histogram", {"cell", "arm"}},
      {"density", "density", {"cell", "arm"}},
      {"ecdf", "ecdf", {"cell", "arm"}},
      {"tail", "tail", {"cell", "arm"}},
      {"order", "order", {"cell", "arm"}},
      {"order_median", "order_median", {"cell", "arm"}},
      {"normality", "normality", {"cell", "arm"}},
      {"sample_means", "sample_means", {"cell", "arm", "sample_size"}},
      {"sample_means_histogram", "sample_means_histogram", {"cell", "arm", "sample_size"}},
      {"share", "share", {"target"}},
      {"effects", "effects", {"target"}},
      {"power", "power", {"pairing", "groups"}},
      {"reproducibility", "reproducibility", {"number", "method"}},
      {"reproducibility", "by_size", {"panel", "number", "method"}},
      {"reproducibility_box", "reproducibility_box", {"number", "method"}},
  };
  return all;
}

// Ends of a logarithmic axis. TeX counts in points up to 16384 from where the logarithm is 0, which
// a narrow range far from there exceeds: axes reach over a factor of 1.5 at least, those of ratios
// from 0.95 to 1.05.
struct Limits {
  std::string_view table;
  std::string_view key;
  std::vector<std::string_view> columns;
};

const std::vector<Limits>& limits() {
  static const std::vector<Limits> all{
      {"ratio", "panel", {"ratio", "ratio_low", "ratio_high"}},
      {"regime_ratio", "panel", {"ratio", "ratio_low", "ratio_high"}},
      {"times", "panel", {"median_ns", "low_ns", "high_ns"}},
      {"ecdf", "cell", {"ns"}},
      {"order", "cell", {"low_ns", "high_ns"}},
      {"effects", "target", {"ratio", "ratio_low", "ratio_high"}},
  };
  return all;
}

// Names of one kind, numbered from 1 in the order in which they come.
class Names {
 public:
  std::size_t number_of(const std::string& name) {
    const auto [found, fresh] = numbers_.emplace(name, numbers_.size() + 1);
    if (fresh) names_.push_back(name);
    return found->second;
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return names_; }

 private:
  std::map<std::string, std::size_t> numbers_ = {};
  std::vector<std::string> names_ = {};
};

std::string field_text(const FigureField& field) {
  if (const auto* text = std::get_if<std::string>(&field)) return *text;
  const auto* number = std::get_if<double>(&field);
  return number != nullptr ? base::shortest_text(*number) : std::string(kNoValue);
}

std::size_t column_of(const FigureTable& table, std::string_view name) {
  const auto found = std::ranges::find(table.columns, name, &FigureColumn::name);
  return static_cast<std::size_t>(found - table.columns.begin());
}

bool has_column(const FigureTable& table, std::string_view name) {
  return column_of(table, name) < table.columns.size();
}

// Lines of an answer's table.
bool is_of_lines(const FigureTable& table) { return has_column(table, "series"); }

// Each of their tables counts its panels, series and places (of words) by itself.
std::string kind_of_lines(const FigureTable& table, const std::string& column) {
  if (column == "x") return table.name + "words";
  return column == "panel" || column == "series" ? table.name + column : column;
}

bool is_of_factors(const FigureTable& table) {
  return table.name == "share" || table.name == "effects";
}

class PgfWriter {
 public:
  explicit PgfWriter(const std::vector<FigureTable>& tables) {
    for (const FigureTable& table : tables) {
      learn_sizes(table);
      // The table of arms comes first, and without it the reference is the first arm.
      for (const char* column : {"reference", "arm", "in_arm"}) {
        if (!is_of_factors(table)) learn_arms(table, column);
      }
    }
    for (const FigureTable& table : tables) {
      if (table.name == "arms") continue;  // in the labels
      bool split = false;
      for (const Split& one : splits()) {
        if (one.table != table.name) continue;
        split = true;
        add(table, one);
      }
      if (is_of_lines(table)) {
        add(table, {table.name, table.name, {"panel", "series"}});
        add_limits(table, {table.name, "panel", {"y", "low", "high"}});
        of_lines_.push_back(table.name);
      } else if (!split) {
        add(table, {table.name, table.name, {}});
      }
      for (const Limits& one : limits()) {
        if (one.table == table.name) add_limits(table, one);
      }
    }
  }

  std::vector<FigureFile> files() {
    std::vector<FigureFile> result;
    for (auto& [name, text] : texts_) {
      result.push_back({.path = "data/" + name + ".csv", .text = std::move(text)});
    }
    result.push_back({.path = "data/labels.tex", .text = labels()});
    return result;
  }

 private:
  static std::string panel_of(const FigureTable& table, const std::vector<FigureField>& row) {
    return field_text(row[column_of(table, "panel")]);
  }

  // Sizes of every panel, ascending: the places on an axis of sizes.
  void learn_sizes(const FigureTable& table) {
    const std::size_t panel = column_of(table, "panel");
    // Lines have places of their own.
    if (!has_column(table, "size_bytes") || is_of_factors(table) || is_of_lines(table)) return;
    for (const std::vector<FigureField>& row : table.rows) {
      const auto* bytes = std::get_if<double>(&row[column_of(table, "size_bytes")]);
      sizes_[field_text(row[panel])][bytes != nullptr ? *bytes : -1] =
          field_text(row[column_of(table, "size")]);
    }
  }

  void learn_arms(const FigureTable& table, const char* name) {
    const std::size_t column = column_of(table, name);
    if (column == table.columns.size()) return;
    for (const auto& row : table.rows) {
      const std::size_t number = names_["arm"].number_of(field_text(row[column]));
      if (table.name == "launches") {
        measured_ = std::max(measured_, number);
        groups_.insert(field_text(row[column_of(table, "group")]));
      }
      // Which may be any of the arms.
      if (std::string_view(name) == "reference") {
        names_["reference"].number_of(field_text(row[column]));
      }
    }
  }

  std::size_t place_of_size(const FigureTable& table, const std::vector<FigureField>& row) const {
    const auto& sizes = sizes_.at(panel_of(table, row));
    const auto* bytes = std::get_if<double>(&row[column_of(table, "size_bytes")]);
    return static_cast<std::size_t>(
        std::distance(sizes.begin(), sizes.find(bytes != nullptr ? *bytes : -1)));
  }

  // An arm that others are compared with is an arm; yes and no are 1 and 0.
  std::string code(const FigureTable& table, const std::string& column, const FigureField& field) {
    if (!std::holds_alternative<std::string>(field)) return field_text(field);
    const std::string& text = std::get<std::string>(field);
    if (column == "decided") return text == "yes" ? "1" : "0";
    // In figures of factors the panel is an operation, and the reference a level.
    std::string kind = column;
    if (column == "reference") kind = is_of_factors(table) ? "level" : "arm";
    if (column == "in_arm") kind = "arm";
    if (column == "panel" && is_of_factors(table)) kind = "operation";
    if (is_of_lines(table)) kind = kind_of_lines(table, kind);
    return std::to_string(names_[kind].number_of(text));
  }

  std::string key(const FigureTable& table, const std::vector<FigureField>& row,
                  std::string_view name) {
    if (name == "cell" || name == "target") {
      return std::to_string(names_[std::string(name)].number_of(
          panel_of(table, row) + ", " + field_text(row[column_of(table, "size")])));
    }
    const std::string column(name);
    const FigureField& field = row[column_of(table, column)];
    const std::string kind = is_of_lines(table) ? kind_of_lines(table, column) : column;
    return std::to_string(names_[kind].number_of(field_text(field)));
  }

  void add(const FigureTable& table, const Split& split) {
    const bool with_cells = has_column(table, "size_bytes") && has_column(table, "panel") &&
                            !is_of_factors(table) && !is_of_lines(table);
    const bool levels = is_of_factors(table);
    std::string header;
    for (const FigureColumn& column : table.columns) {
      if (column.name != "size") header += (header.empty() ? "" : ",") + column.name;
    }
    if (with_cells) header += ",x";
    if (levels) header += ",y";
    if (split.keys.empty()) texts_[std::string(split.file)] = header + "\n";
    std::map<std::string, std::size_t> lines;
    for (const std::vector<FigureField>& row : table.rows) {
      // Without a size above 0 there is no place on a logarithmic axis.
      if (split.file == "times") {
        const auto* bytes = std::get_if<double>(&row[column_of(table, "size_bytes")]);
        if (bytes == nullptr || !(*bytes > 0)) continue;
      }
      std::string name(split.file);
      for (const std::string_view one : split.keys) name += "-" + key(table, row, one);
      if (!split.keys.empty()) {
        const std::string_view numbers = std::string_view(name).substr(split.file.size() + 1);
        has_.emplace(std::string(split.file), std::string(numbers.substr(0, numbers.find('-'))));
      }
      std::string& text = texts_[name];
      if (text.empty()) text = header + "\n";
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (table.columns[i].name == "size") continue;
        line += (line.empty() ? "" : ",") + code(table, table.columns[i].name, row[i]);
      }
      if (with_cells) line += "," + std::to_string(place_of_size(table, row));
      if (levels) {
        line += "," + std::to_string(lines[name]++);
        add_level(table, row, name);
      }
      text += line + "\n";
    }
  }

  void add_limits(const FigureTable& table, const Limits& axis) {
    for (const std::vector<FigureField>& row : table.rows) {
      const bool ratio = axis.columns.front() == "ratio";
      const auto [found, fresh] =
          ends_.try_emplace({std::string(axis.table), key(table, row, axis.key)},
                            ratio ? std::pair(0.95, 1.05) : std::pair(0.0, 0.0));
      auto& [low, high] = found->second;
      for (const std::string_view column : axis.columns) {
        const auto* value = std::get_if<double>(&row[column_of(table, column)]);
        if (value == nullptr || !(*value > 0)) continue;
        low = low > 0 ? std::min(low, *value) : *value;
        high = std::max(high, *value);
      }
    }
  }

  // Names of the lines of a picture of factors: "cache: cold-flush / warm".
  void add_level(const FigureTable& table, const std::vector<FigureField>& row,
                 const std::string& file) {
    std::string name = field_text(row[column_of(table, "factor")]);
    if (table.name == "effects") {
      name += ": " + field_text(row[column_of(table, "level")]) + " / " +
              field_text(row[column_of(table, "reference")]);
    }
    lists_[file].push_back(name);
  }

  static std::string list_text(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items)
      text += (text.empty() ? "{" : ",{") + tex_text(item) + "}";
    return text;
  }

  std::string labels() {
    std::string text = "% What the numbers in the data stand for.\n";
    const auto name = [&](const std::string& kind, const std::string& number,
                          const std::string& content) {
      text += "\\invarname{" + kind + "}{" + number + "}{" + content + "}\n";
    };
    for (const auto& [kind, names] : names_) {
      name(kind, "count", std::to_string(names.all().size()));
      for (std::size_t i = 0; i < names.all().size(); ++i) {
        name(kind, std::to_string(i + 1), tex_text(names.all()[i]));
      }
    }
    // Behind them are levels that are compared, which have no place on an axis of launches.
    name("measured", "count", std::to_string(measured_));
    // The first ones that have data: some may have failed.
    name("group", "count", std::to_string(groups_.size()));
    std::vector<std::string> groups(groups_.begin(), groups_.end());
    std::ranges::sort(groups, std::less(), [](const std::string& group) {
      return base::parse_double(group).value_or(0);
    });
    for (std::size_t i = 0; i < std::min<std::size_t>(groups.size(), 2); ++i) {
      name("group", std::to_string(i + 1), groups[i]);
    }
    for (const auto& [panel, sizes] : sizes_) {
      std::vector<std::string> items;
      std::vector<std::string> places;  // on a logarithmic axis
      std::vector<std::string> place_texts;
      double least = 1;
      const std::size_t step = 1 + (sizes.size() - 1) / kMostTicks;
      for (const auto& [bytes, size] : sizes) {
        items.push_back(size);
        if (bytes > 0 && (least == 1 || bytes < least)) least = bytes;
        if (bytes > 0 && (items.size() - 1) % step == 0) {
          places.push_back(base::shortest_text(bytes));
          place_texts.push_back(size);
        }
      }
      const std::string number = std::to_string(names_["panel"].number_of(panel));
      name("sizes", number, list_text(items));
      name("bytes", number, base::join(places, ","));
      name("bytetexts", number, list_text(place_texts));
      name("last", number, std::to_string(items.size() - 1));
      // A logarithmic axis of one size has no length of its own.
      name("from", number, base::shortest_text(least / 1.5));
      name("to", number, base::shortest_text(std::max(1.0, sizes.rbegin()->first) * 1.5));
    }
    for (const std::string& table : of_lines_) {
      const auto words = names_.find(table + "words");
      if (words != names_.end()) name(table + "words", "all", list_text(words->second.all()));
    }
    for (const auto& [file, place] : has_) name("has" + file, place, "");
    constexpr double kLeast = 1.5;
    // Places without values have axes, too.
    for (const Limits& axis : limits()) {
      for (std::size_t i = 1; i <= names_[std::string(axis.key)].all().size(); ++i) {
        ends_.try_emplace({std::string(axis.table), std::to_string(i)}, 0.95, 1.05);
      }
    }
    for (const auto& [of, ends] : ends_) {
      const double middle = std::sqrt(ends.first * ends.second);
      const bool narrow = ends.first != 0.95 && ends.second < kLeast * ends.first;
      const double low = narrow ? middle / std::sqrt(kLeast) : ends.first;
      const double high = narrow ? middle * std::sqrt(kLeast) : ends.second;
      constexpr double kBeyond = 1.03;
      name(of.first + "low", of.second, base::shortest_text(low / kBeyond));
      name(of.first + "high", of.second, base::shortest_text(high * kBeyond));
    }
    for (const auto& [file, items] : lists_) {
      const std::size_t dash = file.rfind('-');
      name(file.substr(0, dash), file.substr(dash + 1), list_text(items));
      name(file.substr(0, dash) + "last", file.substr(dash + 1), std::to_string(items.size() - 1));
    }
    return text;
  }

  std::map<std::string, Names> names_ = {};
  std::size_t measured_ = 0;           // number of the last arm that has launches
  std::set<std::string> groups_ = {};  // launch groups that have launches
  std::map<std::string, std::map<double, std::string>> sizes_ = {};  // by panel
  std::map<std::string, std::vector<std::string>> lists_ = {};
  std::vector<std::string> of_lines_ = {};
  std::set<std::pair<std::string, std::string>> has_ = {};  // file and place
  // By table and place.
  std::map<std::pair<std::string, std::string>, std::pair<double, double>> ends_ = {};
  std::map<std::string, std::string> texts_ = {};  // by the file's name
};

}  // namespace

std::vector<FigureFile> pgf_files(const std::vector<FigureTable>& tables) {
  return PgfWriter(tables).files();
}

std::string tex_text(std::string_view text) {
  static const std::map<char, std::string_view> special_letters{{'\\', "\\textbackslash{}"},
                                                                {'{', "\\{"},
                                                                {'}', "\\}"},
                                                                {'$', "\\$"},
                                                                {'&', "\\&"},
                                                                {'#', "\\#"},
                                                                {'_', "\\_"},
                                                                {'%', "\\%"},
                                                                {'~', "\\textasciitilde{}"},
                                                                {'^', "\\textasciicircum{}"},
                                                                {'<', "\\textless{}"},
                                                                {'>', "\\textgreater{}"},
                                                                {'|', "\\textbar{}"},
                                                                {'"', "\\textquotedbl{}"},
                                                                {'`', "\\textasciigrave{}"}};
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto next = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if (byte < 0x80) {
      const auto special = special_letters.find(text[i]);
      if (special != special_letters.end()) {
        result += special->second;
      } else {
        result += byte < 0x20 || byte == 0x7F ? '?' : text[i];
      }
      continue;
    }
    // The letters of Latin 1, which fonts in T1 have.
    if (byte == 0xC3 && (next & 0xC0U) == 0x80U) {
      result += text.substr(i, 2);
      ++i;
      continue;
    }
    result += '?';
    while (i + 1 < text.size() && (static_cast<unsigned char>(text[i + 1]) & 0xC0U) == 0x80U) ++i;
  }
  return result;
}

}  // namespace invar::report

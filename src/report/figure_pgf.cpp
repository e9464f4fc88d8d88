#include "report/figure_pgf.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.hpp"

namespace invar::report {
namespace {

constexpr const char* kNoValue = "nan";

// By what a table is split into files; "cell" is panel and size together.
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
      {"histogram", "histogram", {"cell", "arm"}},
      {"density", "density", {"cell", "arm"}},
      {"ecdf", "ecdf", {"cell", "arm"}},
      {"tail", "tail", {"cell", "arm"}},
      {"order", "order", {"cell", "arm"}},
      {"order_median", "order_median", {"cell", "arm"}},
      {"normality", "normality", {"cell", "arm"}},
      {"share", "share", {"cell"}},
      {"effects", "effects", {"cell"}},
      {"power", "power", {"pairing", "groups"}},
      {"reproducibility", "reproducibility", {"number", "method"}},
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

class PgfWriter {
 public:
  explicit PgfWriter(const std::vector<FigureTable>& tables) {
    for (const FigureTable& table : tables) learn_sizes(table);
    for (const FigureTable& table : tables) {
      bool split = false;
      for (const Split& one : splits()) {
        if (one.table != table.name) continue;
        split = true;
        add(table, one);
      }
      if (!split) add(table, {table.name, table.name, {}});
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
    if (panel == table.columns.size()) return;
    for (const std::vector<FigureField>& row : table.rows) {
      const auto* bytes = std::get_if<double>(&row[column_of(table, "size_bytes")]);
      sizes_[field_text(row[panel])][bytes != nullptr ? *bytes : -1] =
          field_text(row[column_of(table, "size")]);
    }
  }

  std::size_t place_of_size(const FigureTable& table, const std::vector<FigureField>& row) const {
    const auto& sizes = sizes_.at(panel_of(table, row));
    const auto* bytes = std::get_if<double>(&row[column_of(table, "size_bytes")]);
    return static_cast<std::size_t>(
        std::distance(sizes.begin(), sizes.find(bytes != nullptr ? *bytes : -1)));
  }

  // An arm that others are compared with is an arm; yes and no are 1 and 0.
  std::string code(const std::string& column, const FigureField& field) {
    if (!std::holds_alternative<std::string>(field)) return field_text(field);
    const std::string& text = std::get<std::string>(field);
    if (column == "decided") return text == "yes" ? "1" : "0";
    return std::to_string(names_[column == "reference" ? "arm" : column].number_of(text));
  }

  std::string key(const FigureTable& table, const std::vector<FigureField>& row,
                  std::string_view name) {
    if (name == "cell") {
      return std::to_string(names_["cell"].number_of(panel_of(table, row) + ", " +
                                                     field_text(row[column_of(table, "size")])));
    }
    const std::string column(name);
    const FigureField& field = row[column_of(table, column)];
    return std::to_string(names_[column].number_of(field_text(field)));
  }

  void add(const FigureTable& table, const Split& split) {
    const bool with_cells = column_of(table, "panel") < table.columns.size();
    const bool levels = table.name == "share" || table.name == "effects";
    std::string header;
    for (const FigureColumn& column : table.columns) {
      if (column.name != "size") header += (header.empty() ? "" : ",") + column.name;
    }
    if (with_cells) header += ",x";
    if (levels) header += ",y";
    if (split.keys.empty()) texts_[std::string(split.file)] = header + "\n";
    std::map<std::string, std::size_t> lines;
    for (const std::vector<FigureField>& row : table.rows) {
      std::string name(split.file);
      for (const std::string_view one : split.keys) name += "-" + key(table, row, one);
      std::string& text = texts_[name];
      if (text.empty()) text = header + "\n";
      std::string line;
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (table.columns[i].name == "size") continue;
        line += (line.empty() ? "" : ",") + code(table.columns[i].name, row[i]);
      }
      if (with_cells) line += "," + std::to_string(place_of_size(table, row));
      if (levels) {
        line += "," + std::to_string(lines[name]++);
        add_level(table, row, name);
      }
      text += line + "\n";
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
    for (const auto& [panel, sizes] : sizes_) {
      std::vector<std::string> items;
      for (const auto& [bytes, size] : sizes) items.push_back(size);
      const std::string number = std::to_string(names_["panel"].number_of(panel));
      name("sizes", number, list_text(items));
      name("last", number, std::to_string(items.size() - 1));
    }
    for (const auto& [file, items] : lists_) {
      const std::size_t dash = file.rfind('-');
      name(file.substr(0, dash), file.substr(dash + 1), list_text(items));
      name(file.substr(0, dash) + "last", file.substr(dash + 1), std::to_string(items.size() - 1));
    }
    return text;
  }

  std::map<std::string, Names> names_ = {};
  std::map<std::string, std::map<double, std::string>> sizes_ = {};  // by panel
  std::map<std::string, std::vector<std::string>> lists_ = {};
  std::map<std::string, std::string> texts_ = {};  // by the file's name
};

}  // namespace

std::vector<FigureFile> pgf_files(const std::vector<FigureTable>& tables) {
  return PgfWriter(tables).files();
}

std::string tex_text(std::string_view text) {
  static const std::map<char, std::string_view> kSpecial{{'\\', "\\textbackslash{}"},
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
      const auto special = kSpecial.find(text[i]);
      if (special != kSpecial.end()) {
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

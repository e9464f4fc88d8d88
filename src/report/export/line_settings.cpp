// What scripts of lines are told, in their languages.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "report/export/line_figures.hpp"

namespace invar::report {
namespace {

std::string_view axis_word(LineAxis axis) {
  switch (axis) {
    case LineAxis::kNumber:
      return "number";
    case LineAxis::kTime:
      return "time";
    case LineAxis::kRatio:
      return "ratio";
    case LineAxis::kWords:
      return "words";
  }
  return "number";
}

// Columns of the answer's table that are texts: scripts read all others as numbers.
std::string quoted_words(const LineFigure& figure) {
  std::vector<std::string> names;
  for (const FigureColumn& column : figure.table.columns) {
    if (column.text) names.push_back("\"" + column.name + "\"");
  }
  return base::join(names, ", ");
}

// A linear axis of times in TeX has one unit for all its numbers.
struct TexUnit {
  double ns = 1;
  std::string_view name = "ns";
};

constexpr std::size_t kXColumn = 2;
constexpr std::size_t kYColumn = 3;

double largest(const FigureTable& table, std::size_t column) {
  double most = 0;
  for (const std::vector<FigureField>& row : table.rows) {
    if (const auto* value = std::get_if<double>(&row[column])) {
      most = std::max(most, std::abs(*value));
    }
  }
  return most;
}

TexUnit tex_unit(const FigureTable& table) {
  const double most = largest(table, kYColumn);
  if (most >= 1e9) return {1e9, "s"};
  if (most >= 1e6) return {1e6, "ms"};
  return most >= 1e3 ? TexUnit{1e3, "\\textmu{}s"} : TexUnit{};
}

// A few whole numbers, as numbers of ranks are, each get one.
std::string tex_ticks(const LineFigure& figure) {
  constexpr std::size_t kMostTicks = 8;
  std::set<double> places;
  for (const std::vector<FigureField>& row : figure.table.rows) {
    const auto* x = std::get_if<double>(&row[kXColumn]);
    if (x == nullptr || *x != std::round(*x)) return {};
    places.insert(*x);
  }
  if (places.size() > kMostTicks) return {};
  std::vector<std::string> texts;
  for (const double place : places) texts.push_back(base::shortest_text(place));
  return base::join(texts, ",");
}

// Parts of the lines beside points; 0: they have none.
std::size_t pieces_of(const LineFigure& figure) {
  const std::vector<FigureColumn>& columns = figure.table.columns;
  const auto found = std::ranges::find(columns, figure.piece, &FigureColumn::name);
  if (found == columns.end()) return 0;
  return static_cast<std::size_t>(
      largest(figure.table, static_cast<std::size_t>(found - columns.begin())));
}

std::string tex_settings(const LineFigure& figure) {
  std::vector<std::string> axis;
  std::string y_title(figure.y_title);
  double unit_ns = 1;
  // A logarithmic axis in TeX spans a factor of 1.5, and most ratios lie closer together.
  if (figure.y_log && figure.y != LineAxis::kRatio) {
    axis.emplace_back("ymode=log");
    axis.emplace_back(figure.y == LineAxis::kTime ? "time ticks=y" : "log ticks with fixed point");
    axis.push_back("ymin/.expanded=\\invarlab{" + std::string(figure.name) + "low}{\\place}");
    axis.push_back("ymax/.expanded=\\invarlab{" + std::string(figure.name) + "high}{\\place}");
  } else if (figure.y == LineAxis::kTime) {
    const TexUnit unit = tex_unit(figure.table);
    unit_ns = unit.ns;
    y_title += ", " + std::string(unit.name);
  }
  if (figure.y == LineAxis::kRatio) {
    axis.emplace_back(
        "extra y ticks={1}, extra y tick labels={}, extra y tick style={grid style=black}");
  }
  if (figure.x_log) {
    // Numbers of six digits and more would touch each other.
    axis.emplace_back(largest(figure.table, kXColumn) < 1e5
                          ? "xmode=log, log ticks with fixed point"
                          : "xmode=log");
  }
  if (const std::string ticks = tex_ticks(figure); !ticks.empty()) {
    axis.push_back("xtick={" + ticks + "}");
  }
  if (!figure.joined) axis.emplace_back("only marks");
  if (!figure.fit.empty()) axis.emplace_back("mark size=0.8pt");
  const std::string fit = figure.fit.empty()
                              ? std::string()
                              : fmt::format("\\def\\invarfit{{{}}}\\def\\invarpieces{{{}}}\n",
                                            figure.fit, pieces_of(figure));
  return fmt::format(
      "\\def\\invarfile{{{}}}\\def\\invarunit{{{}}}\n\\def\\invarxtitle{{{}}}\n"
      "\\def\\invarytitle{{{}}}\n{}\\def\\invaroptions{{{}}}\n",
      figure.name, base::shortest_text(unit_ns), figure.x_title, y_title, fit,
      base::join(axis, ",\n  "));
}

}  // namespace

std::string line_settings(const LineFigure& figure, std::string_view language) {
  if (language == "pgfplots") return tex_settings(figure);
  const bool r = language == "r";
  const auto truth = [&](bool value) {
    return r ? (value ? "TRUE" : "FALSE") : (value ? "True" : "False");
  };
  const auto field = [&](std::string_view name, const std::string& value) {
    return r ? fmt::format("  {} = {}", name, value) : fmt::format("    \"{}\": {}", name, value);
  };
  const auto quoted = [](std::string_view text) { return "\"" + std::string(text) + "\""; };
  const std::vector<std::string> fields{
      field("name", quoted(figure.name)),       field("x_title", quoted(figure.x_title)),
      field("y_title", quoted(figure.y_title)), field("x", quoted(axis_word(figure.x))),
      field("y", quoted(axis_word(figure.y))),  field("x_log", truth(figure.x_log)),
      field("y_log", truth(figure.y_log)),      field("joined", truth(figure.joined)),
      field("fit", quoted(figure.fit)),         field("piece", quoted(figure.piece))};
  const std::string words = quoted_words(figure);
  if (r) return "words <- c(" + words + ")\nspec <- list(\n" + base::join(fields, ",\n") + ")\n";
  return "\nWORDS = {" + words + "}\nSPEC = {\n" + base::join(fields, ",\n") + ",\n}\n";
}

}  // namespace invar::report

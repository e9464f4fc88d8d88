#include "report/export/figures.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "base/text.hpp"
#include "report/export/figure_pgf.hpp"
#include "report/export/figure_scripts.hpp"
#include "report/kit/text_table.hpp"

namespace invar::report {
namespace {

struct Figure {
  std::string_view name;
  std::string_view shows;
  std::vector<std::string_view> tables;  // the first one must have rows
  std::string_view missing;              // why there is none
};

const std::vector<Figure>& figures() {
  static const std::vector<Figure> all{
      {"ratio",
       "Ratio of times to the reference, with intervals and the band of differences that do not "
       "matter; filled: decided.",
       {"ratio", "arms"},
       "nothing is compared here"},
      {"launches",
       "Medians of the launches over the smallest of each size, as boxes; asterisks "
       "where a test of other suites' users says that an arm differs from the reference.",
       {"launches", "boxes", "ratio", "arms"},
       "no launch has a time"},
      {"times",
       "Time of one call over the message size, both logarithmic, with intervals over launches.",
       {"times", "arms"},
       "no operation here has message sizes above 0"},
      {"distribution",
       "Distribution of all observations: histogram, kernel density, and a line at the mean.",
       {"histogram", "density", "times", "arms"},
       "no observations"},
      {"ecdf",
       "Distribution function of all observations, and its tail.",
       {"ecdf", "tail", "arms"},
       "no observations"},
      {"medians",
       "Medians of the launches in the order of measurement, with the estimate over all of them.",
       {"launches", "times", "arms"},
       "no launch has a time"},
      {"means",
       "Mean of every launch with its 95 % interval over repetitions, without outliers: launches "
       "differ by more than these intervals say.",
       {"launches", "arms"},
       "no launch has a time"},
      {"bars",
       "Means of two launch groups beside each other, as somebody would report who starts a "
       "benchmark once.",
       {"launches", "arms"},
       "no launch has a time"},
      {"order",
       "Observations in the order of measurement, and stretches in which the machine was slower.",
       {"order", "order_median", "perturbations", "arms"},
       "no observations"},
      {"canary",
       "The canary, a round trip between two cores without MPI: the state of the machine.",
       {"canary", "canary_histogram", "regimes"},
       "no canary was measured"},
      {"regimes",
       "Ratio of times in each regime of the machine.",
       {"regime_ratio", "regimes", "arms"},
       "the machine was in one regime, or nothing is compared"},
      {"normality",
       "Means of samples of repetitions against the normal distribution (Q-Q).",
       {"normality", "arms"},
       "no launch has repetitions enough"},
      {"sample-means",
       "Means of 500 samples of 10, 20 and 30 repetitions: histograms, and against the normal "
       "distribution (Q-Q).",
       {"sample_means", "sample_means_histogram", "arms"},
       "no launch has repetitions enough"},
      {"factors",
       "Share of the variance of log times that each factor makes.",
       {"share"},
       "no factor has two levels here"},
      {"effects",
       "Effect of every level of every factor against the first one.",
       {"effects"},
       "no factor has two levels here"},
      {"power",
       "Share of planted delays that is found, by their size and the number of launch groups.",
       {"power"},
       "this is not a campaign of 'invar self-test'"},
      {"reproducibility",
       "Numbers of every method over repeats of a campaign, each over the least of its repeats.",
       {"reproducibility", "reproducibility_box"},
       "this is not a directory of 'invar reproduce'"},
      {"reproducibility-sizes",
       "The same numbers by message size, a box a method.",
       {"reproducibility"},
       "this is not a directory of 'invar reproduce'"},
  };
  return all;
}

struct Language {
  std::string_view name;
  std::string_view ending;
  std::string_view comment;
  std::string_view needs;
  std::string_view run;
};

constexpr std::array<Language, 3> kLanguages{{
    {"r", ".R", "#", "R with ggplot2 (Debian: r-base-core and r-cran-ggplot2)",
     "Rscript ratio.R, from any directory, writes ratio.pdf and ratio.png beside the script"},
    {"python", ".py", "#", "Python 3.8 with matplotlib 3.6 or later (Debian: python3-matplotlib)",
     "python3 ratio.py, from any directory, writes ratio.pdf and ratio.png beside the script"},
    {"pgfplots", ".tex", "%",
     "pdflatex or lualatex with pgfplots, preview and the fonts of Latin Modern (Debian: "
     "texlive-latex-base, texlive-pictures, preview-latex-style and lmodern)",
     "pdflatex ratio.tex, in this directory, writes ratio.pdf with a page a picture. The pictures "
     "are in the folder 'pictures', to be edited and to be included in documents, which "
     "pictures/settings.tex says how; fonts are Type 1"},
}};

const Language& language_of(std::string_view name) {
  return *std::ranges::find(kLanguages, name, &Language::name);
}

std::string_view script_of(std::string_view language, std::string_view name) {
  for (const FigureScript& script : figure_scripts()) {
    if (language == script.language && name == script.name) return script.text;
  }
  return {};
}

const FigureTable* find_table(const std::vector<FigureTable>& tables, std::string_view name) {
  const auto found = std::ranges::find(tables, name, &FigureTable::name);
  return found == tables.end() ? nullptr : &*found;
}

bool has_data(const Figure& figure, const std::vector<FigureTable>& tables) {
  const FigureTable* table = find_table(tables, figure.tables.front());
  if (table == nullptr) return false;
  if (figure.name != "times") return !table->rows.empty();
  // A logarithmic axis.
  const auto size = std::ranges::find(table->columns, "size_bytes", &FigureColumn::name);
  const auto column = static_cast<std::size_t>(size - table->columns.begin());
  return std::ranges::any_of(table->rows, [&](const std::vector<FigureField>& row) {
    const auto* bytes = std::get_if<double>(&row[column]);
    return bytes != nullptr && *bytes > 0;
  });
}

std::string script_name(const Figure& figure, const Language& language) {
  return std::string(figure.name) + std::string(language.ending);
}

std::string header_of(const Figure& figure, const Language& language,
                      const FigureContext& context) {
  const std::string comment(language.comment);
  std::string text = comment + " " + std::string(figure.shows) + "\n" + comment + " Campaign " +
                     printable(context.campaign) + "; exported by invar " + context.invar +
                     "; data:";
  for (const std::string_view table : figure.tables) {
    text += " data/" + std::string(table) + (language.name == "pgfplots" ? "-*" : "") + ".csv";
  }
  return text + "\n";
}

// Programs are one file that needs no other. Of TeX the picture is a file of its own, for
// documents.
std::vector<FigureFile> script_files(const Figure& figure, const Language& language,
                                     const FigureContext& context, const std::string& script) {
  const std::string name = script_name(figure, language);
  const std::string header = header_of(figure, language, context);
  if (language.name != "pgfplots") {
    return {{.path = name,
             .text = header + std::string(script_of(language.name, "common")) + "\n" + script}};
  }
  std::string document(script_of(language.name, "document"));
  const std::string mark = "FIGURE_NAME";
  document.replace(document.find(mark), mark.size(), figure.name);
  return {{.path = name, .text = header + document},
          {.path = "pictures/" + name, .text = header + script}};
}

// What a reader of the figures has to know of the data behind them.
std::string state_words(const FigureContext& context) {
  std::string text;
  if (!context.state.empty()) text += "State of the campaign: " + context.state + ".\n";
  for (const std::string& problem : context.problems) {
    text += wrapped("problem: ", printable(problem));
  }
  for (const std::string& warning : context.warnings) {
    text += wrapped("look at: ", printable(warning));
  }
  return text.empty() ? text : "\n" + text;
}

std::string readme_of(const std::vector<FigureTable>& tables, const Language& language,
                      const FigureContext& context, const FigureExport& result,
                      const std::vector<Figure>& drawn) {
  std::string text = "Figures of the campaign " + printable(context.campaign) +
                     ", exported by invar " + context.invar + "\n\n" +
                     wrapped("", context.sentence) + state_words(context) + "\nNeeds " +
                     std::string(language.needs) + ".\n" + std::string(language.run) + ".\n\n";
  for (const Figure& figure : drawn) {
    text += wrapped(script_name(figure, language) + ": ", figure.shows);
  }
  for (const std::string& left : result.left_out) text += wrapped("left out: ", left);
  text += "\nData, one row a thing that is drawn. An empty field: the value does not exist.\n";
  if (language.name == "pgfplots") {
    text +=
        "Here in numbers alone, one file a panel (or cell) and arm; what the numbers stand for "
        "is in data/labels.tex; nan: no value.\n";
  }
  for (const FigureTable& table : tables) {
    text += "\ndata/" + table.name + ".csv\n";
    for (const FigureColumn& column : table.columns) {
      text += wrapped("  " + column.name + ": ", column.meaning);
    }
  }
  return text;
}

}  // namespace

bool is_figure_language(std::string_view language) {
  return std::ranges::find(kLanguages, language, &Language::name) != kLanguages.end();
}

FigureExport figure_export(std::vector<FigureTable> tables, std::vector<LineFigure> lines,
                           std::string_view language_name, const FigureContext& context) {
  const Language& language = language_of(language_name);
  FigureExport result;
  std::set<std::string> used;
  std::vector<Figure> drawn;
  const auto draw = [&](const Figure& figure, const std::string& script) {
    for (const std::string_view table : figure.tables) used.emplace(table);
    for (FigureFile& file : script_files(figure, language, context, script)) {
      result.files.push_back(std::move(file));
    }
    drawn.push_back(figure);
    result.drawn.push_back(script_name(figure, language));
  };
  for (const Figure& figure : figures()) {
    // What is about repeats, or about one campaign, is not missing in the other.
    if (find_table(tables, figure.tables.front()) == nullptr) continue;
    if (!has_data(figure, tables)) {
      result.left_out.push_back(std::string(figure.name) + ": " + std::string(figure.missing));
      continue;
    }
    draw(figure, std::string(script_of(language_name, figure.name)));
  }
  for (LineFigure& line : lines) {
    if (line.table.rows.empty()) {
      result.left_out.push_back(std::string(line.name) + ": the answer has no such values");
      continue;
    }
    draw({.name = line.name, .shows = line.shows, .tables = {line.name}, .missing = {}},
         line_settings(line, language_name) + std::string(script_of(language_name, "lines")));
    tables.push_back(std::move(line.table));
  }
  std::erase_if(tables, [&](const FigureTable& table) { return !used.contains(table.name); });
  result.files.push_back(
      {.path = "README.txt", .text = readme_of(tables, language, context, result, drawn)});
  if (language_name == "pgfplots") {
    result.files.push_back(
        {.path = "pictures/settings.tex", .text = std::string(script_of("pgfplots", "settings"))});
    for (FigureFile& file : pgf_files(tables)) result.files.push_back(std::move(file));
    return result;
  }
  for (const FigureTable& table : tables) {
    result.files.push_back({.path = "data/" + table.name + ".csv", .text = table.csv()});
  }
  return result;
}

}  // namespace invar::report

// Candidates, decision tables and selection trees: what parses, written and read again, is the
// same.
#include <string>

#include "fuzz/fuzz.hpp"
#include "tuning/candidate.hpp"
#include "tuning/decision_table.hpp"
#include "tuning/files/mpich_tree.hpp"
#include "tuning/written_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace invar;
  const std::string text(fuzz::text_of(data, size));
  if (const auto candidate = tuning::parse_candidate(text).value) {
    fuzz::must_hold(tuning::parse_candidate(tuning::to_string(*candidate)).value == *candidate,
                    "a candidate written is the one read");
  }
  fuzz::may_be_refused([&] {
    const tuning::DecisionTable table = tuning::parse_table(text, "table.csv");
    fuzz::must_hold(tuning::parse_table(tuning::table_text(table), "written.csv") == table,
                    "a table written is the one read");
  });
  fuzz::may_be_refused([&] {
    const tuning::WrittenFiles written = tuning::parse_written(text, "files.csv");
    fuzz::must_hold(tuning::parse_written(tuning::written_text(written), "written.csv") == written,
                    "files that are written are those read");
  });
  fuzz::may_be_refused([&] {
    const tuning::Tree tree = tuning::parse_tree(text, "tree.json");
    fuzz::must_hold(tuning::parse_tree(tuning::tree_text(tree), "written.json") == tree,
                    "a tree written is the one read");
  });
  static_cast<void>(tuning::find_mpich_tree(text));
  return 0;
}

// plan.csv and visits.csv: read_plan and plan_csv.
#include "record/plan.hpp"
#include "fuzz/fuzz.hpp"

namespace {

using namespace invar;

bool same_cells(const record::Plan& a, const record::Plan& b) {
  if (a.cells.size() != b.cells.size()) return false;
  for (std::size_t i = 0; i < a.cells.size(); ++i) {
    if (a.cells[i].id != b.cells[i].id || !a.cells[i].same_levels(b.cells[i])) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const auto extent : {record::PlanExtent::kWhole, record::PlanExtent::kPart}) {
    fuzz::may_be_refused([&] {
      const record::Plan plan = record::read_plan(fuzz::text_of(data, size), "plan.csv", extent);
      const std::string csv = record::plan_csv(plan);
      try {
        const record::Plan again = record::read_plan(csv, "written.csv", extent);
        fuzz::must_hold(again.rows == plan.rows, "a plan's rows written are those read");
        fuzz::must_hold(same_cells(again, plan), "a plan's cells written are those read");
      } catch (const base::CommandError& error) {
        std::fprintf(stderr, "%s\n%s\n", error.what(), csv.c_str());
        fuzz::must_hold(false, "a plan that was written can be read");
      }
    });
  }
  return 0;
}

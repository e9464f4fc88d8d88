// Open MPI's rules from 6.0 on, as coll_tuned_dynamic_file.c reads them: of the rules for an
// operation the first one that fits the communicator counts, and in it the first one that fits the
// size. Both limits of each are included. No rule: Open MPI's own choice.
#include "base/json_writer.hpp"
#include "tuning/files/open_mpi_rules.hpp"

namespace invar::tuning {
namespace {

void write_choice(base::JsonWriter& json, const Choice& choice) {
  json.field("alg", open_mpi_number(choice))
      .field("faninout", choice.fanout)
      .field("seg_size", choice.segment_bytes);
}

void write_forced(base::JsonWriter& json, const OperationPlan& plan) {
  if (!plan.forced) return;
  json.begin_object();
  write_choice(json, *plan.forced);
  json.end_object();
}

void write_ranks(base::JsonWriter& json, const OperationPlan& plan, const RanksPlan& ranks) {
  json.begin_object().field("comm_size_min", ranks.ranks).field("comm_size_max", ranks.ranks);
  json.key("rules").begin_array();
  for (const Range& range : ranks.ranges) {
    json.begin_object();
    if (plan.sized) json.field("msg_size_min", range.from).field("msg_size_max", range.to);
    write_choice(json, range.choice);
    json.end_object();
  }
  write_forced(json, plan);
  json.end_array().end_object();
}

void write_operation(base::JsonWriter& json, const OperationPlan& plan) {
  json.key(plan.operation).begin_array();
  for (const RanksPlan& ranks : plan.ranks) write_ranks(json, plan, ranks);
  if (plan.forced) {
    json.begin_object().key("rules").begin_array();
    write_forced(json, plan);
    json.end_array().end_object();
  }
  json.end_array();
}

}  // namespace

void tell_open_mpi(const TuningRequest& request, const FilePlan& plan, TunedFile& file) {
  file.set = plan.process_knobs;
  file.set.emplace_back("OMPI_MCA_coll_tuned_use_dynamic_rules", "1");
  file.set.emplace_back("OMPI_MCA_coll_tuned_dynamic_rules_filename", request.path);
}

void write_open_mpi_json(const TuningRequest& request, const FilePlan& plan, TunedFile& file) {
  base::JsonWriter json;
  json.begin_object().key("collectives").begin_object();
  for (const OperationPlan& operation : plan.operations) write_operation(json, operation);
  json.end_object().end_object();
  file.text = json.text() + '\n';
  tell_open_mpi(request, plan, file);
}

}  // namespace invar::tuning

#include "record/operation/operation_json.hpp"

#include <utility>

namespace invar::record {
namespace {

// A length is {"constant": 1, "per_rank": 2}: only what is not 0.
void write_blocks(base::JsonWriter& json, const char* key, const Blocks& blocks) {
  json.key(key).begin_object();
  const auto write = [&](const char* name, std::uint32_t number) {
    if (number != 0) json.field(name, number);
  };
  write("constant", blocks.constant);
  write("per_rank", blocks.per_rank);
  write("per_neighbour", blocks.per_neighbour);
  write("shares", blocks.shares);
  write("shares_per_rank", blocks.shares_per_rank);
  write("per_message", blocks.per_message);
  write("per_packed", blocks.per_packed);
  json.end_object();
}

void write_buffers(base::JsonWriter& json, const BufferTable& table) {
  json.key("buffers").begin_object();
  for (const auto& [key, buffers] :
       {std::pair{"others", &table.others}, std::pair{"root", &table.root},
        std::pair{"others_in_place", &table.others_in_place},
        std::pair{"root_in_place", &table.root_in_place}}) {
    json.key(key).begin_object();
    write_blocks(json, "send", buffers->send);
    write_blocks(json, "recv", buffers->recv);
    write_blocks(json, "scratch", buffers->scratch);
    json.end_object();
  }
  json.end_object();
}

void write_datatypes(base::JsonWriter& json, const std::vector<DatatypeInfo>& datatypes) {
  json.key("datatypes").begin_array();
  for (const DatatypeInfo& type : datatypes) {
    json.begin_object()
        .field("name", type.name)
        .field("size_bytes", type.size_bytes)
        .field("extent_bytes", type.extent_bytes);
    json.key("reductions").begin_array();
    for (const std::string& name : type.reductions) json.value(name);
    json.end_array();
    if (!type.ordered.empty()) {
      json.key("ordered").begin_array();
      for (const std::string& name : type.ordered) json.value(name);
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

void write_parts(base::JsonWriter& json, const std::vector<PartInfo>& parts) {
  json.key("parts").begin_array();
  for (const PartInfo& part : parts) {
    json.begin_object()
        .field("operation", part.operation)
        .field("size", name_of(part.size))
        .end_object();
  }
  json.end_array();
}

void write_roles(base::JsonWriter& json, const std::vector<RoleRule>& roles) {
  json.key("roles").begin_array();
  for (const RoleRule& rule : roles) {
    json.begin_object()
        .field("role", name_of(rule.role))
        .field("ranks", name_of(rule.ranks))
        .field("number", rule.number)
        .end_object();
  }
  json.end_array();
}

void write_times(base::JsonWriter& json, const OperationInfo& info) {
  json.key("marks").begin_array();
  for (const MarkInfo& mark : info.marks) {
    json.begin_object().field("name", mark.name).field("summary", mark.summary).end_object();
  }
  json.end_array();
  if (info.optional_marks) json.field("optional_marks", true);
  json.key("times").begin_array();
  for (const TimeInfo& time : info.times) {
    json.begin_object()
        .field("name", time.name)
        .field("summary", time.summary)
        .field("kind", name_of(time.kind))
        .field("from_role", name_of(time.from_role))
        .field("from", time.from)
        .field("to_role", name_of(time.to_role))
        .field("to", time.to)
        .end_object();
  }
  json.end_array();
}

}  // namespace

void write_operation(base::JsonWriter& json, const OperationInfo& info) {
  json.begin_object()
      .field("name", info.name)
      .field("summary", info.summary)
      .field("sized", info.sized)
      .field("rooted", info.rooted)
      .field("reduces", info.reduces)
      .field("in_place", info.in_place)
      .field("neighbours", info.neighbours)
      .field("persistent", info.persistent)
      .field("form_of", info.form_of);
  write_datatypes(json, info.datatypes);
  json.field("emulates", info.emulates);
  if (!info.parts.empty()) write_parts(json, info.parts);
  if (info.splits > 0) json.field("splits", info.splits);
  json.field("chain", name_of(info.chain));
  write_buffers(json, info.buffers);
  // Only where they say something: operations of earlier versions had none of these.
  if (info.arrays != Arrays::kNone) json.field("arrays", name_of(info.arrays));
  if (info.distributes != Distributes::kNothing) {
    json.field("distributes", name_of(info.distributes));
  }
  if (info.large_counts) json.field("large_counts", true);
  if (info.counted != OperationInfo().counted) write_blocks(json, "counted", info.counted);
  if (info.counts_bytes) json.field("counts_bytes", true);
  if (info.rank_counts != RankCounts::kAny) json.field("rank_counts", name_of(info.rank_counts));
  if (info.reorders) json.field("reorders", true);
  if (info.segments != Segments::kNone) json.field("segments", name_of(info.segments));
  if (info.hosts != HostNeed::kAny) json.field("hosts", name_of(info.hosts));
  if (info.messages != Messages::kNone) json.field("messages", name_of(info.messages));
  if (info.copies) json.field("copies", true);
  if (info.both_ways) json.field("both_ways", true);
  if (info.windowed) json.field("windowed", true);
  if (info.chooses != CallChoice::kCalls) json.field("chooses", name_of(info.chooses));
  if (info.delays) json.field("delays", true);
  if (info.overheads) json.field("overheads", true);
  if (info.overlaps) json.field("overlaps", true);
  if (info.walks > 0) json.field("walks", info.walks);
  if (info.chases) json.field("chases", true);
  json.field("requests", info.requests);
  if (!info.batches) json.field("batches", false);
  write_roles(json, info.roles);
  write_times(json, info);
  json.field("missing", info.missing).end_object();
}

std::vector<TimeInfo> usual_times() {
  return {{.name = "whole", .summary = "until every rank that takes part is done"}};
}

}  // namespace invar::record

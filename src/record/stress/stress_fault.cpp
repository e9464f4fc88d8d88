#include "record/stress/stress_fault.hpp"

#include "base/json_writer.hpp"

namespace invar::record {

std::string stress_fault_json(const StressFault& fault) {
  base::JsonWriter json;
  json.begin_object()
      .field("fault", fault.fault)
      .field("kind", fault.kind)
      .field("operation", fault.operation)
      .field("pattern", fault.pattern)
      .field("size_bytes", fault.size_bytes)
      .field("message", fault.message)
      .field("from", fault.from)
      .field("to", fault.to)
      .field("rank", fault.rank)
      .field("offset_bytes", fault.offset_bytes)
      .field("expected", fault.expected)
      .field("found", fault.found)
      .field("what", fault.what)
      .field("more", fault.more)
      .end_object();
  return json.text();
}

std::string stress_counts_json(const StressCounts& counts) {
  base::JsonWriter json;
  json.begin_object()
      .field("seconds", counts.seconds)
      .field("messages", counts.messages)
      .field("large_messages", counts.large_messages)
      .field("bytes", counts.bytes)
      .field("collectives", counts.collectives)
      .field("ended", counts.ended)
      .end_object();
  return json.text();
}

}  // namespace invar::record

// What is known of an operation, as JSON (docs/formats.md, "What an engine says of its
// operations"): the engine prints it, profiles keep it, and it is sealed with each arm.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/json_whole.hpp"
#include "base/json_writer.hpp"
#include "record/operation/operation_info.hpp"

namespace invar::record {

void write_operation(base::JsonWriter& json, const OperationInfo& info);

// The time that every operation had before operations said which ones they have.
std::vector<TimeInfo> usual_times();

// An operation says something that this version has no word for.
class NewerWord : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace operation_json {

// The value whose name_of() is `name`. Throws NewerWord if there is none.
template <class Enumeration>
Enumeration named(const std::string& name, Enumeration last) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    const auto value = static_cast<Enumeration>(i);
    if (name_of(value) == name) return value;
  }
  throw NewerWord("'" + name + "' is unknown to this version of Invar");
}

inline Role role(const std::string& name) { return named(name, Role::kStandsBy); }

template <class Json>
Blocks blocks_from(const Json& json) {
  return {.constant = base::whole_or(json, "constant", 0U),
          .per_rank = base::whole_or(json, "per_rank", 0U),
          .per_neighbour = base::whole_or(json, "per_neighbour", 0U),
          .shares = base::whole_or(json, "shares", 0U),
          .shares_per_rank = base::whole_or(json, "shares_per_rank", 0U),
          .per_message = base::whole_or(json, "per_message", 0U),
          .per_packed = base::whole_or(json, "per_packed", 0U)};
}

template <class Json>
Buffers buffers_from(const Json& json) {
  return {.send = blocks_from(json.at("send")),
          .recv = blocks_from(json.at("recv")),
          .scratch = blocks_from(json.at("scratch"))};
}

template <class Json>
DatatypeInfo datatype_from(const Json& json) {
  DatatypeInfo type{.name = json.at("name").template get<std::string>(),
                    .size_bytes = base::whole<std::uint32_t>(json.at("size_bytes"))};
  type.extent_bytes = base::whole_or(json, "extent_bytes", type.size_bytes);
  for (const Json& name : json.at("reductions")) {
    type.reductions.push_back(name.template get<std::string>());
  }
  if (json.contains("ordered")) {
    for (const Json& name : json.at("ordered")) {
      type.ordered.push_back(name.template get<std::string>());
    }
  }
  return type;
}

template <class Json>
TimeInfo time_from(const Json& json) {
  const auto text = [&](const char* key) { return json.at(key).template get<std::string>(); };
  return {.name = text("name"),
          .summary = text("summary"),
          .kind = named(text("kind"), TimeKind::kLast),
          .from_role = role(text("from_role")),
          .from = text("from"),
          .to_role = role(text("to_role")),
          .to = text("to")};
}

}  // namespace operation_json

// `Json` is nlohmann's, ordered or not: a template, because the engine, which shares this folder,
// has no JSON library. Keys that earlier versions did not write have their defaults. Throws
// Json::exception for what is no such object, NewerWord for a word of a newer version.
template <class Json>
OperationInfo operation_from(const Json& json) {
  using namespace operation_json;  // NOLINT
  OperationInfo info;
  json.at("name").get_to(info.name);
  json.at("summary").get_to(info.summary);
  json.at("sized").get_to(info.sized);
  json.at("rooted").get_to(info.rooted);
  json.at("reduces").get_to(info.reduces);
  json.at("in_place").get_to(info.in_place);
  json.at("neighbours").get_to(info.neighbours);
  json.at("persistent").get_to(info.persistent);
  for (const Json& type : json.at("datatypes")) info.datatypes.push_back(datatype_from(type));
  json.at("missing").get_to(info.missing);
  info.form_of = json.value("form_of", "");
  info.emulates = json.value("emulates", "");
  if (json.contains("parts")) {
    for (const Json& part : json.at("parts")) {
      info.parts.push_back(
          {.operation = part.at("operation").template get<std::string>(),
           .size = named(part.at("size").template get<std::string>(), PartSize::kOne)});
    }
  }
  info.splits = base::whole_or(json, "splits", 0U);
  info.arrays = named(json.value("arrays", "none"), Arrays::kTyped);
  info.distributes = named(json.value("distributes", "nothing"), Distributes::kPairs);
  info.large_counts = json.value("large_counts", false);
  if (json.contains("counted")) info.counted = blocks_from(json.at("counted"));
  info.counts_bytes = json.value("counts_bytes", false);
  info.rank_counts = named(json.value("rank_counts", "any"), RankCounts::kPowerOfTwo);
  info.reorders = json.value("reorders", false);
  info.segments = named(json.value("segments", "none"), Segments::kOfShare);
  info.hosts = named(json.value("hosts", "any"), HostNeed::kEven);
  info.messages = named(json.value("messages", "none"), Messages::kPairs);
  info.copies = json.value("copies", false);
  info.both_ways = json.value("both_ways", false);
  info.windowed = json.value("windowed", false);
  info.chooses = named(json.value("chooses", "calls"), CallChoice::kNothing);
  info.delays = json.value("delays", false);
  info.overheads = json.value("overheads", false);
  info.overlaps = json.value("overlaps", false);
  info.walks = base::whole_or(json, "walks", 0U);
  info.chases = json.value("chases", false);
  info.requests = base::whole_or(json, "requests", 0U);
  info.batches = json.value("batches", true);
  info.chain = named(json.value("chain", "tree"), Chain::kRing);
  if (json.contains("buffers")) {
    const Json& buffers = json.at("buffers");
    info.buffers = {.others = buffers_from(buffers.at("others")),
                    .root = buffers_from(buffers.at("root")),
                    .others_in_place = buffers_from(buffers.at("others_in_place")),
                    .root_in_place = buffers_from(buffers.at("root_in_place"))};
  }
  if (json.contains("roles")) {
    for (const Json& rule : json.at("roles")) {
      info.roles.push_back(
          {.role = role(rule.at("role").template get<std::string>()),
           .ranks = named(rule.at("ranks").template get<std::string>(), Ranks::kUpperHalf),
           .number = base::whole<std::uint32_t>(rule.at("number"))});
    }
  }
  if (json.contains("marks")) {
    for (const Json& mark : json.at("marks")) {
      info.marks.push_back({.name = mark.at("name").template get<std::string>(),
                            .summary = mark.at("summary").template get<std::string>()});
    }
  }
  info.optional_marks = json.value("optional_marks", false);
  if (json.contains("times")) {
    for (const Json& time : json.at("times")) info.times.push_back(time_from(time));
  }
  if (info.times.empty()) info.times = usual_times();
  return info;
}

}  // namespace invar::record

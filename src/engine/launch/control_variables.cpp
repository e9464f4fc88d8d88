#include "engine/launch/control_variables.hpp"

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <optional>
#include <vector>

#include "base/json_writer.hpp"
#include "engine/algorithms/tool_session.hpp"
#include "host/environment.hpp"

namespace invar::engine {

#if INVAR_HAS_TOOL_INTERFACE

namespace {

// What MPI_T_cvar_get_info tells.
struct Info {
  std::string name;
  int verbosity = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum items = MPI_T_ENUM_NULL;
  int bind = 0;
  int scope = 0;
};

std::optional<Info> get_info(int index) {
  Info info;
  // Lengths first: the standard has the needed one returned when the buffer is none.
  int name_length = 0;
  int text_length = 0;
  if (MPI_T_cvar_get_info(index, nullptr, &name_length, &info.verbosity, &info.type, &info.items,
                          nullptr, &text_length, &info.bind, &info.scope) != MPI_SUCCESS) {
    return std::nullopt;
  }
  std::vector<char> name(static_cast<std::size_t>(name_length > 0 ? name_length : 0) + 2, '\0');
  name_length = static_cast<int>(name.size()) - 1;
  text_length = 0;
  if (MPI_T_cvar_get_info(index, name.data(), &name_length, &info.verbosity, &info.type,
                          &info.items, nullptr, &text_length, &info.bind,
                          &info.scope) != MPI_SUCCESS) {
    return std::nullopt;
  }
  info.name = name.data();
  return info;
}

// Constants differ between libraries: compared with the macros, never written as numbers.
const char* scope_name(int scope) {
  if (scope == MPI_T_SCOPE_CONSTANT) return "constant";
  if (scope == MPI_T_SCOPE_READONLY) return "readonly";
  if (scope == MPI_T_SCOPE_LOCAL) return "local";
  if (scope == MPI_T_SCOPE_GROUP) return "group";
  if (scope == MPI_T_SCOPE_GROUP_EQ) return "group-eq";
  if (scope == MPI_T_SCOPE_ALL) return "all";
  if (scope == MPI_T_SCOPE_ALL_EQ) return "all-eq";
  return "unknown";
}

const char* type_name(MPI_Datatype type) {
  if (type == MPI_INT) return "int";
  if (type == MPI_UNSIGNED) return "unsigned";
  if (type == MPI_LONG) return "long";
  if (type == MPI_UNSIGNED_LONG) return "unsigned long";
  if (type == MPI_UNSIGNED_LONG_LONG) return "unsigned long long";
  if (type == MPI_COUNT) return "count";
  if (type == MPI_CHAR) return "char";
  if (type == MPI_DOUBLE) return "double";
  if (type == MPI_C_BOOL) return "bool";
  if (type == MPI_INT32_T) return "int32";
  if (type == MPI_UINT32_T) return "uint32";
  if (type == MPI_INT64_T) return "int64";
  if (type == MPI_UINT64_T) return "uint64";
  return "unknown";
}

std::string double_text(double number) {
  base::JsonWriter json;
  json.value(number);
  return json.text();
}

template <typename T>
std::optional<std::string> read_number(MPI_T_cvar_handle handle, int count) {
  std::vector<T> values(static_cast<std::size_t>(count) + 1);
  if (MPI_T_cvar_read(handle, values.data()) != MPI_SUCCESS) return std::nullopt;
  std::string text;
  for (int i = 0; i < count; ++i) {
    if (i > 0) text += ",";
    if constexpr (std::is_floating_point_v<T>) {
      text += double_text(values[static_cast<std::size_t>(i)]);
    } else {
      text += std::to_string(values[static_cast<std::size_t>(i)]);
    }
  }
  return text;
}

std::optional<std::string> read_text(MPI_T_cvar_handle handle, int count) {
  // Open MPI counts the characters without the final zero but writes it, and the text may have
  // grown since the handle was made.
  std::vector<char> text(static_cast<std::size_t>(count) + 8192, '\0');
  if (MPI_T_cvar_read(handle, text.data()) != MPI_SUCCESS) return std::nullopt;
  return std::string(text.data());
}

std::optional<std::string> read_value(int index, const Info& info) {
  MPI_Comm world = MPI_COMM_WORLD;
  void* object = nullptr;
  if (info.bind == MPI_T_BIND_MPI_COMM) {
    object = &world;
  } else if (info.bind != MPI_T_BIND_NO_OBJECT) {
    return std::nullopt;
  }
  MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, object, &handle, &count) != MPI_SUCCESS) return std::nullopt;
  std::optional<std::string> value;
  if (count >= 0 && count < (1 << 20)) {
    const MPI_Datatype type = info.type;
    if (type == MPI_CHAR) {
      value = read_text(handle, count);
    } else if (type == MPI_INT || type == MPI_INT32_T) {
      value = read_number<std::int32_t>(handle, count);
    } else if (type == MPI_UNSIGNED || type == MPI_UINT32_T) {
      value = read_number<std::uint32_t>(handle, count);
    } else if (type == MPI_LONG) {
      value = read_number<long>(handle, count);
    } else if (type == MPI_UNSIGNED_LONG) {
      value = read_number<unsigned long>(handle, count);
    } else if (type == MPI_UNSIGNED_LONG_LONG || type == MPI_UINT64_T) {
      value = read_number<std::uint64_t>(handle, count);
    } else if (type == MPI_INT64_T) {
      value = read_number<std::int64_t>(handle, count);
    } else if (type == MPI_COUNT) {
      value = read_number<MPI_Count>(handle, count);
    } else if (type == MPI_DOUBLE) {
      value = read_number<double>(handle, count);
    } else if (type == MPI_C_BOOL) {
      value = read_number<unsigned char>(handle, count);
    }
  }
  MPI_T_cvar_handle_free(&handle);
  return value;
}

void write_items(base::JsonWriter& json, MPI_T_enum items) {
  json.key("items").begin_array();
  int count = 0;
  int length = 0;
  if (items != MPI_T_ENUM_NULL &&
      MPI_T_enum_get_info(items, &count, nullptr, &length) == MPI_SUCCESS) {
    for (int i = 0; i < count; ++i) {
      int value = 0;
      char name[256] = "";
      length = static_cast<int>(sizeof(name)) - 1;
      if (MPI_T_enum_get_item(items, i, &value, name, &length) != MPI_SUCCESS) continue;
      json.value(std::to_string(value) + "=" + name);
    }
  }
  json.end_array();
}

std::optional<std::string> recordable(std::optional<std::string> value) {
  if (value && host::holds_secrets(*value)) return "(not recorded)";
  return value;
}

}  // namespace

std::string control_variables_json() {
  base::JsonWriter json;
  json.begin_array();
  if (const ToolSession session; session.opened()) {
    int count = 0;
    if (MPI_T_cvar_get_num(&count) != MPI_SUCCESS) count = 0;
    for (int i = 0; i < count; ++i) {
      const std::optional<Info> info = get_info(i);
      if (!info) continue;
      json.begin_object()
          .field("name", info->name)
          .field("type", type_name(info->type))
          .field("scope", scope_name(info->scope))
          .field("value", recordable(read_value(i, *info)));
      write_items(json, info->items);
      json.end_object();
    }
  }
  json.end_array();
  return json.text();
}

#else

std::string control_variables_json() { return "[]"; }

#endif

}  // namespace invar::engine

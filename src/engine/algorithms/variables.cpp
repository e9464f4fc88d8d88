#include "engine/algorithms/variables.hpp"

#include <optional>
#include <stdexcept>

namespace invar::engine {
WrittenVariables::WrittenVariables() {
  if (!session_.opened()) {
    throw std::runtime_error("the library has no tool interface (MPI_T_init_thread failed)");
  }
}

#if INVAR_HAS_TOOL_INTERFACE

namespace {

// Calls read(value) with a value of the variable's type; false for types that are no whole numbers.
template <typename Use>
bool with_type(MPI_Datatype type, Use use) {
  if (type == MPI_INT || type == MPI_INT32_T) {
    use(std::int32_t{});
  } else if (type == MPI_UNSIGNED || type == MPI_UINT32_T) {
    use(std::uint32_t{});
  } else if (type == MPI_LONG) {
    use(long{});
  } else if (type == MPI_UNSIGNED_LONG) {
    use(0UL);
  } else if (type == MPI_UNSIGNED_LONG_LONG || type == MPI_UINT64_T) {
    use(std::uint64_t{});
  } else if (type == MPI_INT64_T) {
    use(std::int64_t{});
  } else if (type == MPI_COUNT) {
    use(MPI_Count{});
  } else if (type == MPI_C_BOOL) {
    use(static_cast<unsigned char>(0));
  } else {
    return false;
  }
  return true;
}

std::optional<std::int64_t> read_integer(MPI_T_cvar_handle handle, MPI_Datatype type) {
  std::optional<std::int64_t> number;
  with_type(type, [&](auto value) {
    if (MPI_T_cvar_read(handle, &value) == MPI_SUCCESS) number = static_cast<std::int64_t>(value);
  });
  return number;
}

bool write_integer(MPI_T_cvar_handle handle, MPI_Datatype type, std::int64_t number) {
  bool written = false;
  with_type(type, [&](auto value) {
    using Value = decltype(value);
    value = static_cast<Value>(number);
    // What does not fit would be another number.
    if (static_cast<std::int64_t>(value) != number) return;
    written = MPI_T_cvar_write(handle, &value) == MPI_SUCCESS;
  });
  return written;
}

std::runtime_error cannot(const std::string& name, const std::string& what) {
  return std::runtime_error("the library's control variable " + name + " " + what);
}

}  // namespace

WrittenVariables::~WrittenVariables() {
  for (auto& [name, variable] : variables_) MPI_T_cvar_handle_free(&variable.handle);
}

WrittenVariables::Variable& WrittenVariables::find(const std::string& name) {
  if (const auto known = variables_.find(name); known != variables_.end()) return known->second;
  int index = 0;
  if (MPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) {
    throw cannot(name, "does not exist");
  }
  int name_length = 0;
  int text_length = 0;
  int verbosity = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum items = MPI_T_ENUM_NULL;
  int bind = 0;
  int scope = 0;
  if (MPI_T_cvar_get_info(index, nullptr, &name_length, &verbosity, &type, &items, nullptr,
                          &text_length, &bind, &scope) != MPI_SUCCESS) {
    throw cannot(name, "tells nothing of itself");
  }
  if (bind != MPI_T_BIND_NO_OBJECT) throw cannot(name, "belongs to an object");
  if (!with_type(type, [](auto) {})) throw cannot(name, "is not a whole number");
  Variable variable{.type = type};
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, nullptr, &variable.handle, &count) != MPI_SUCCESS) {
    throw cannot(name, "cannot be reached");
  }
  if (count != 1) {
    MPI_T_cvar_handle_free(&variable.handle);
    throw cannot(name, "has " + std::to_string(count) + " values");
  }
  return variables_.emplace(name, variable).first->second;
}

std::int64_t WrittenVariables::write(const std::string& name, std::int64_t number) {
  const Variable& variable = find(name);
  const auto before = read_integer(variable.handle, variable.type);
  if (!before) throw cannot(name, "cannot be read");
  if (!write_integer(variable.handle, variable.type, number)) {
    throw cannot(name, "does not take " + std::to_string(number) + " while the library runs");
  }
  const auto after = read_integer(variable.handle, variable.type);
  if (after == number) return *before;
  write_integer(variable.handle, variable.type, *before);
  throw cannot(name, "was set to " + std::to_string(number) + ", and " +
                         (after ? std::to_string(*after) : "nothing") + " is read");
}

#else

WrittenVariables::~WrittenVariables() = default;

std::int64_t WrittenVariables::write(const std::string& name, std::int64_t /*number*/) {
  throw std::runtime_error("the library has no control variable " + name);
}

#endif

}  // namespace invar::engine

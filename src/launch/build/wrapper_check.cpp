#include "launch/build/wrapper_check.hpp"

#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "launch/build/build.hpp"
#include "launch/process/files.hpp"

namespace invar::launch {
namespace {

constexpr const char* kCpp =
    "#include <concepts>\ntemplate <std::integral T> T* copy(T of) { return new T(of); }\n";
constexpr const char* kMpi =
    "#include <mpi.h>\n"
    "int main(int argc, char** argv) {\n"
    "  MPI_Init(&argc, &argv);\n"
    "  if (argc > 1000) throw argc;\n"
    "  return MPI_Finalize() + *copy(argc);\n}\n";
constexpr const char* kNoMpi = "int main() { return 0; }\n";

constexpr std::size_t kLongest = 2000;

class Trial {
 public:
  explicit Trial(const BuildOrder& order)
      : mpicxx_(order.mpicxx),
        environment_(order.environment),
        flags_(engine_flags(order.cxxflags)) {
    if (!order.headers.empty()) flags_.push_back(headers_flag(order));
  }

  // What the compiler says against `text`; empty: nothing.
  [[nodiscard]] std::string complaint(const std::string& text, bool link) const {
    const std::string source = (scratch_.path() / "check.cpp").string();
    write_atomically(source, text);
    std::vector<std::string> command{mpicxx_};
    command.insert(command.end(), flags_.begin(), flags_.end());
    if (!link) command.emplace_back("-c");
    command.insert(command.end(), {source, "-o", (scratch_.path() / "check").string()});
    constexpr double kLimitS = 120;
    const CommandResult result = run_command(command, environment_, kLimitS);
    if (result.status == 0) return {};
    std::string said = "$ " + command_text(command) + "\n" + result.out + result.err;
    if (result.timed_out) said += "(stopped after 120 s)\n";
    said = base::trim(said);
    if (said.size() > kLongest) said = said.substr(0, kLongest) + "\n...";
    return said;
  }

 private:
  std::string mpicxx_;
  const Environment& environment_;
  std::vector<std::string> flags_;
  ScratchDir scratch_ = {};
};

}  // namespace

void check_wrapper(const BuildOrder& order) {
  const std::string& mpicxx = order.mpicxx;
  const Trial trial(order);
  const std::string whole = std::string(kCpp) + kMpi;
  const std::string complaint = trial.complaint(whole, true);
  if (complaint.empty()) return;
  const std::string place = "profile " + order.name;
  if (const std::string plain = trial.complaint(std::string(kCpp) + kNoMpi, false);
      !plain.empty()) {
    throw base::UserError(place, mpicxx + " does not compile C++20:\n" + plain,
                          "the wrapper must call g++ 11 or clang 14 or later");
  }
  if (const std::string compiling = trial.complaint(whole, false); !compiling.empty()) {
    throw base::UserError(place,
                          mpicxx +
                              " is not a compiler wrapper of an MPI library: it compiles C++, "
                              "but nothing that includes mpi.h:\n" +
                              compiling,
                          "give the library's own wrapper, as mpicxx or mpic++");
  }
  throw base::UserError(place,
                        mpicxx + " compiles, but does not link a C++ program of MPI:\n" + complaint,
                        "give the library's C++ wrapper, as mpicxx or mpic++; mpicc is for C");
}

}  // namespace invar::launch

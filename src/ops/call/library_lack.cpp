#include "ops/call/library_lack.hpp"

#ifdef SMPI_H  // SimGrid's mpi.h
#include <string_view>

#include "ops/buffers/element.hpp"
#include "record/p2p/levels.hpp"
#endif

namespace invar::ops {

#ifdef SMPI_H

namespace {

// What messages lack: the first call of such a function would end the simulation.
std::string lack_in_messages(const record::P2pLevels& levels) {
  if (levels.form == record::P2pForm::kMatchedProbe) return "SimGrid's SMPI has no MPI_Mprobe";
  if (levels.form == record::P2pForm::kPersistent && levels.mode == record::SendMode::kBuffered) {
    return "SimGrid's SMPI has no MPI_Bsend_init";
  }
  return {};
}

// The checks of all collectives have found these (invar mpi run simgrid -- --check).
std::string lack_in_collective(std::string_view operation, const Call& call) {
  if (operation == "ibarrier" && call.ranks > 2) {
    return "SimGrid's MPI_Ibarrier of more than two ranks ends before all have come";
  }
  if (call.element == nullptr) return {};
  // Also where another operation is made of MPI_Alltoallv. Some of the data are lost.
  if (operation.find("alltoall") != std::string_view::npos && call.in_place &&
      call.element->has_gaps()) {
    return "SimGrid's SMPI mixes up elements with gaps in place";
  }
  if (call.reduces_as == nullptr) return {};
  // MPI_Exscan does not call them, others write behind their buffers.
  if (call.reduces_as->name == "user") return "SimGrid's SMPI does not reduce derived datatypes";
  if (operation == "iexscan" && call.reduces_as->name != "sum" && call.reduces_as->name != "bor") {
    return "SimGrid's MPI_Iexscan begins with 0, which is the least of all";
  }
  return {};
}

}  // namespace

// This is what SimGrid 3.32 lacks. Neighbourhood collectives have a reason of their own
// (ops/forms.hpp).
std::string library_lack(const Operation& operation, const Call& call) {
  if (call.levels != nullptr) return lack_in_messages(*call.levels);
  return lack_in_collective(operation.name, call);
}

#else

std::string library_lack(const Operation& /*operation*/, const Call& /*call*/) { return {}; }

#endif

}  // namespace invar::ops

#include "ops/mockups/splits/part_types.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "ops/buffers/element.hpp"
#include "ops/mockups/bodies/body.hpp"

namespace invar::ops {
namespace {

class PartTypes final : public Equipment {
 public:
  PartTypes(const Call& call, int parts) {
    const int length = body::share_of(call.count, parts);
    const auto block_bytes =
        static_cast<MPI_Aint>(static_cast<std::size_t>(call.count) * call.element->extent_bytes);
    parts_.reserve(static_cast<std::size_t>(parts));
    int begin = 0;
    for (int part = 0; part < parts; ++part) {
      BlockPart& own = parts_.emplace_back();
      own.offset = static_cast<std::size_t>(begin);
      own.count = std::min(length, call.count - begin);
      own.of_blocks_count = own.count > 0 ? 1 : 0;
      own.of_blocks = call.type;
      begin += own.count;
      if (own.count == 0) continue;
      MPI_Datatype elements = MPI_DATATYPE_NULL;
      MPI_Type_contiguous(own.count, call.type, &elements);
      MPI_Type_create_resized(elements, 0, block_bytes, &own.of_blocks);
      MPI_Type_commit(&own.of_blocks);
      MPI_Type_free(&elements);
    }
  }
  PartTypes(const PartTypes&) = delete;
  PartTypes& operator=(const PartTypes&) = delete;
  ~PartTypes() override {
    for (BlockPart& part : parts_) {
      if (part.count > 0) MPI_Type_free(&part.of_blocks);
    }
  }

  [[nodiscard]] const BlockPart& part(int number) const {
    return parts_[static_cast<std::size_t>(number)];
  }

 private:
  std::vector<BlockPart> parts_ = {};
};

}  // namespace

template <int kParts>
Equipped make_part_types(const Call& call) {
  return {.made = std::make_unique<PartTypes>(call, kParts)};
}
template Equipped make_part_types<2>(const Call& call);
template Equipped make_part_types<4>(const Call& call);
template Equipped make_part_types<8>(const Call& call);

BlockPart block_part(const Call& call, int part) {
  return static_cast<const PartTypes&>(*call.equipment).part(part);
}

}  // namespace invar::ops

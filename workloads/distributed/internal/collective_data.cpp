// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/internal/collective_data.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/nonzero.h>

#include <algorithm>

#include "harness/text/numbers.h"

namespace stepbench::distributed {
namespace {

// Limits the memory of indices, which take eight bytes each where elements may take one.
constexpr std::int64_t kBlock = 1 << 20;

bool sums(CollectiveOp op) {
  return op == CollectiveOp::kAllReduce || op == CollectiveOp::kReduceScatter;
}

// Largest sum: bfloat16 is exact up to 256, int8 up to 127.
std::int64_t most_summed(int world) { return std::min(world, 64); }

// Number of ranks that send 1 at an element of the buffer; the others send 0.
at::Tensor sum_at(const at::Tensor& index, int world) {
  return index.remainder(most_summed(world)) + 1;
}

// Value that `rank` sends at an element of its buffer.
at::Tensor sent_at(const at::Tensor& index, const CollectiveShape& shape, const at::Tensor& rank) {
  if (!sums(shape.op)) return (rank * 3 + index).remainder(61);
  return (rank + index).remainder(shape.world).less(sum_at(index, shape.world));
}

at::Tensor received_at(const at::Tensor& index, const CollectiveShape& shape) {
  const std::int64_t part = shape.elements / shape.world;
  const at::Tensor zero = index * 0;
  switch (shape.op) {
    case CollectiveOp::kAllReduce:
      return sum_at(index, shape.world);
    case CollectiveOp::kReduceScatter:
      return sum_at(index + part * shape.rank, shape.world);
    case CollectiveOp::kBroadcast:
      return sent_at(index, shape, zero);
    case CollectiveOp::kAllGather:
      return sent_at(index.remainder(part), shape, index.floor_divide(part));
    case CollectiveOp::kAllToAll:
      break;
  }
  return sent_at(index.remainder(part) + part * shape.rank, shape, index.floor_divide(part));
}

template <typename Body>
void for_blocks(const at::Tensor& buffer, const Body& body) {
  for (std::int64_t from = 0; from < buffer.numel(); from += kBlock) {
    const std::int64_t to = std::min(from + kBlock, buffer.numel());
    body(at::arange(from, to, buffer.options().dtype(at::kLong)), buffer.slice(0, from, to));
  }
}

}  // namespace

void fill_sent(at::Tensor& sent, const CollectiveShape& shape) {
  for_blocks(sent, [&](const at::Tensor& index, const at::Tensor& block) {
    block.copy_(sent_at(index, shape, index * 0 + shape.rank));
  });
}

std::optional<std::string> wrong_element(const at::Tensor& received, const CollectiveShape& shape) {
  std::optional<std::string> wrong;
  for_blocks(received, [&](const at::Tensor& index, const at::Tensor& block) {
    if (wrong) return;
    const at::Tensor right = received_at(index, shape).to(at::kDouble);
    const at::Tensor got = block.to(at::kDouble);
    const at::Tensor places = at::nonzero(got.ne(right)).flatten();
    if (places.numel() == 0) return;
    const auto first = places[0].item<std::int64_t>();
    wrong = "element " + std::to_string(index[first].item<std::int64_t>()) + " is " +
            text::short_number(got[first].item<double>()) + " and must be " +
            text::short_number(right[first].item<double>());
  });
  return wrong;
}

}  // namespace stepbench::distributed

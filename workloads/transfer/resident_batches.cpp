// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/resident_batches.h"

#include <ATen/ops/empty.h>

#include <algorithm>

#include "harness/error.h"

namespace stepbench {

ResidentBatches::ResidentBatches(const Batch& all, at::Device device, LoaderOptions loader,
                                 EpochOrder order)
    : device_(device),
      sample_bytes_(static_cast<std::int64_t>(all.bytes()) / std::max<std::int64_t>(all.size, 1)),
      loader_(loader),
      order_(std::move(order)) {
  const BatchTensors host = batch_tensors(all);
  all_ = {.input = host.input.to(device, false, true),
          .target = host.target.to(device, false, true)};
}

BatchTensors ResidentBatches::next(StepRecorder& step) {
  const auto wanted = static_cast<std::size_t>(loader_.batch_size);
  const std::size_t least = loader_.drop_last ? wanted : 1;
  if (indices_.size() < at_ + least) {
    indices_ = order_(++epoch_);
    at_ = 0;
    if (indices_.size() < least) throw Error("an epoch yields no batch");
    if (epoch_ > 0) step.first_of_epoch();
  }
  const std::size_t count = std::min(wanted, indices_.size() - at_);
  if (count < wanted) step.partial_batch();
  const auto h2d = step.phase(PhaseId::kH2d);
  at::Tensor numbers =
      at::empty({static_cast<std::int64_t>(count)}, at::TensorOptions().dtype(at::kLong));
  std::copy_n(indices_.begin() + static_cast<std::ptrdiff_t>(at_), count,
              numbers.data_ptr<std::int64_t>());
  at_ += count;
  numbers = numbers.to(device_);
  step.add(Count::kSamples, static_cast<std::int64_t>(count));
  step.add(Count::kBytes, static_cast<std::int64_t>(count) * sample_bytes_);
  return {.input = all_.input.index_select(0, numbers),
          .target = all_.target.index_select(0, numbers)};
}

}  // namespace stepbench

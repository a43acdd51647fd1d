// SPDX-License-Identifier: Apache-2.0
#include "workloads/transfer/internal/resident_batches.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/base/error.h"

namespace stepbench::transfer {

ResidentBatches::ResidentBatches(const Batch& all, at::Device device,
                                 const loader::LoaderOptions& loader, loader::EpochOrder order)
    : device_(device),
      sample_bytes_(static_cast<std::int64_t>(all.bytes()) / std::max<std::int64_t>(all.size, 1)),
      batch_size_(loader.batch_size),
      order_(all.size, loader, std::move(order)) {
  const transfer::BatchTensors host = transfer::batch_tensors(all);
  all_ = {.input = host.input.to(device, false, true),
          .target = host.target.to(device, false, true)};
}

transfer::BatchTensors ResidentBatches::next(StepRecorder& step) {
  std::optional<loader::BatchSamples> samples = epoch_ < 0 ? std::nullopt : order_.next();
  if (!samples) {
    if (epoch_ >= 0) step.first_of_epoch();
    order_.begin(++epoch_);
    samples = order_.next();
    if (!samples) throw Error("an epoch yields no batch");
  }
  const auto count = static_cast<std::int64_t>(samples->indices.size());
  marks_.samples = count;
  marks_.bytes = count * sample_bytes_;
  marks_.partial = count < batch_size_;
  const auto h2d = step.phase(PhaseId::kH2d);
  // From pageable memory even this copy would wait for all pending work of the device.
  const bool pinned = device_.is_cuda();
  at::Tensor numbers =
      at::empty({count}, at::TensorOptions().dtype(at::kLong).pinned_memory(pinned));
  std::ranges::copy(samples->indices, numbers.data_ptr<std::int64_t>());
  numbers = numbers.to(device_, pinned);
  return {.input = all_.input.index_select(0, numbers),
          .target = all_.target.index_select(0, numbers)};
}

}  // namespace stepbench::transfer

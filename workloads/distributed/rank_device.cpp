// SPDX-License-Identifier: Apache-2.0
#include "workloads/distributed/rank_device.h"

#include <ATen/Context.h>

#include <string>

#include "harness/base/error.h"
#include "workloads/distributed/meeting_place.h"

namespace stepbench::distributed {

c10::Device device_of_rank(c10::Device device, const WorkerContext& context) {
  if (device.is_cpu() || context.world == 1) return device;
  const int devices = at::hasCUDA() ? static_cast<int>(at::getNumGPUs()) : 0;
  const int local = meeting_place(context.variables).local_rank;
  // A launcher may show each rank its own device alone. Where several ranks mean the same one, NCCL
  // says so.
  if (devices == 1) return {device.type(), 0};
  if (devices > 0 && local >= devices) {
    throw Error("rank " + std::to_string(context.rank) + " is number " + std::to_string(local + 1) +
                " on a machine with " + std::to_string(devices) +
                " CUDA devices, and nccl takes one for each rank");
  }
  device.set_index(static_cast<c10::DeviceIndex>(local));
  return device;
}

}  // namespace stepbench::distributed

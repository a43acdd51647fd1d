// SPDX-License-Identifier: Apache-2.0
#include "workloads/torch_loader/pinned.h"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <utility>

namespace stepbench::torch_loader {
namespace {

class TorchPinnedMemory final : public loader::PinnedMemory {
 public:
  explicit TorchPinnedMemory(c10::Device device) : device_(device) {}

  void enter_thread() override { c10::impl::VirtualGuardImpl(device_.type()).setDevice(device_); }
  std::shared_ptr<void> allocate(std::size_t bytes) override {
    auto piece = std::make_shared<c10::DataPtr>(
        at::globalContext().getPinnedMemoryAllocator(device_.type())->allocate(bytes));
    return {piece, piece->get()};
  }

 private:
  c10::Device device_;
};

}  // namespace

std::unique_ptr<loader::PinnedMemory> pinned_memory(c10::Device device) {
  if (!device.is_cuda()) return nullptr;
  return std::make_unique<TorchPinnedMemory>(device);
}

}  // namespace stepbench::torch_loader

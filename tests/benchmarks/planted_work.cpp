// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/planted_work.h"

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <malloc.h>

#include <charconv>

#include "harness/base/error.h"

namespace stepbench {
namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;
constexpr std::int64_t kBlockBytes = 32 * kMebi;
constexpr std::int64_t kCopyBytes = 4 * kMebi;

class Items final : public PlantedWork {
 public:
  Items(std::int64_t count, const at::Device& device)
      : count_(count), value_(at::zeros({1}, device)) {}
  void once() override {
    for (std::int64_t i = 0; i < count_; ++i) sum_ += value_.item().toDouble();
  }

 private:
  std::int64_t count_;
  at::Tensor value_;
  double sum_ = 0;
};

class TinyOps final : public PlantedWork {
 public:
  TinyOps(std::int64_t count, const at::Device& device)
      : count_(count), value_(at::zeros({1}, device)) {}
  void once() override {
    for (std::int64_t i = 0; i < count_; ++i) value_.add_(1);
  }

 private:
  std::int64_t count_;
  at::Tensor value_;
};

class Allocations final : public PlantedWork {
 public:
  Allocations(std::int64_t count, const at::Device& device) : count_(count), device_(device) {}
  void once() override {
    for (std::int64_t i = 0; i < count_; ++i) {
      at::full({kBlockBytes}, 1, at::dtype(at::kByte).device(device_));
      give_back();
    }
  }

 private:
  void give_back() const {
    if (device_.is_cpu()) {
      ::malloc_trim(0);
    } else {
      c10::getDeviceAllocator(device_.type())->emptyCache();
    }
  }

  std::int64_t count_;
  at::Device device_;
};

class Copies final : public PlantedWork {
 public:
  Copies(std::int64_t count, const at::Device& device, bool pinned)
      : count_(count),
        host_(at::empty({kCopyBytes}, at::dtype(at::kByte).pinned_memory(pinned)).fill_(1)),
        there_(at::empty({kCopyBytes}, at::dtype(at::kByte).device(device))) {}
  void once() override {
    for (std::int64_t i = 0; i < count_; ++i) there_.copy_(host_, /*non_blocking=*/false);
  }

 private:
  std::int64_t count_;
  at::Tensor host_;
  at::Tensor there_;
};

}  // namespace

std::unique_ptr<PlantedWork> make_planted_work(std::string_view text, const std::string& device) {
  if (text.empty()) return nullptr;
  const std::size_t equals = text.find('=');
  const std::string_view kind = text.substr(0, equals);
  const std::string_view size = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), count);
  const at::Device where(device);
  if (error == std::errc() && end == size.data() + size.size() && count > 0) {
    if (kind == "items") return std::make_unique<Items>(count, where);
    if (kind == "tiny_ops") return std::make_unique<TinyOps>(count, where);
    if (kind == "allocations") return std::make_unique<Allocations>(count, where);
    if (kind == "pageable") return std::make_unique<Copies>(count, where, false);
    if (kind == "synchronous") return std::make_unique<Copies>(count, where, true);
  }
  throw Error(
      "STEPBENCH_PLANTED: expected items=N, tiny_ops=N, allocations=N, pageable=N or "
      "synchronous=N, not '" +
      std::string(text) + "'");
}

}  // namespace stepbench

// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/fork/task_board.h"

#include <memory>

namespace stepbench::loader {
namespace {

constexpr std::size_t kCounters = 64;  // bytes in front of the indices

}  // namespace

TaskBoard::TaskBoard(int tasks, std::int64_t samples_per_task)
    : samples_per_task_(samples_per_task),
      memory_(kCounters + static_cast<std::size_t>(tasks) *
                              static_cast<std::size_t>(samples_per_task) * sizeof(std::int64_t)),
      shared_(std::construct_at(reinterpret_cast<Shared*>(memory_.data()))) {
  static_assert(sizeof(Shared) <= kCounters);
}

TaskBoard::~TaskBoard() { std::destroy_at(shared_); }

std::span<std::int64_t> TaskBoard::samples(int task, std::int64_t count) const {
  auto* all = reinterpret_cast<std::int64_t*>(memory_.data() + kCounters);
  return {all + task * samples_per_task_, static_cast<std::size_t>(count)};
}

}  // namespace stepbench::loader

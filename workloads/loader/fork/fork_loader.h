// SPDX-License-Identifier: Apache-2.0
// Engine fork: worker processes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "workloads/loader/engine.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Batches that a consumer may hold while it requests the next one, in addition to those read ahead.
inline constexpr int kBatchesHeld = 2;

// Worker processes with the dispatch rules of Python's DataLoader. `dataset` and `clock` must
// outlive the loader. With transport shm_ring the memory is made and touched here. Names in
// /dev/shm start with `segment_prefix`; empty: a prefix with this process's id. Throws ConfigError
// naming the bytes needed and available if memory is insufficient.
[[nodiscard]] std::unique_ptr<Loader> make_fork_loader(const data::Dataset& dataset,
                                                       const LoaderOptions& options,
                                                       EpochOrder order, const Clock& clock,
                                                       const std::string& segment_prefix = {});

// Peak use of /dev/shm by torch_fd: batches read ahead, held by the consumer, and being written by
// each worker.
[[nodiscard]] std::size_t segment_bytes_needed(const data::Dataset& dataset,
                                               const LoaderOptions& options);
// Throws ConfigError if `there` is less than `needed`.
void require_shared_memory(std::size_t needed, std::size_t there);

// The row of loader.engine.
[[nodiscard]] Engine fork_engine();

}  // namespace stepbench::loader

// SPDX-License-Identifier: Apache-2.0
// The order in which an epoch takes its samples, without torch: sequential, shuffled as Python's
// DataLoader does, drawn by weights, or sorted by length. Pure functions of their arguments, any
// thread, except for Python's shuffle, which one thread uses, and weights, which are read from a
// file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

[[nodiscard]] EpochOrder sequential_order(std::int64_t samples);
// A Fisher-Yates shuffle per epoch, a function of (seed, epoch). Differs from torch.randperm's
// order.
[[nodiscard]] EpochOrder shuffled_order(std::int64_t samples, std::uint64_t seed);
// `draws` draws with replacement; a function of (seed, epoch).
[[nodiscard]] EpochOrder drawn_order(std::int64_t samples, std::int64_t draws, std::uint64_t seed);
// Draws samples in proportion to their weights; without replacement, no sample twice.
[[nodiscard]] EpochOrder weighted_order(std::vector<double> weights, std::int64_t draws,
                                        bool replacement, std::uint64_t seed);
// One rank's part of an order, as DistributedSampler deals it out: every world-th sample from the
// rank's own on. All ranks get equally many; the first samples repeat to make up the number.
[[nodiscard]] EpochOrder order_of_rank(EpochOrder of_all, std::int64_t rank, std::int64_t world);
// Samples per epoch over all ranks, for a data set of this size.
[[nodiscard]] std::int64_t epoch_samples(std::int64_t samples, const LoaderOptions& options);

// Python's BatchSampler: cuts an epoch's order into batches. A view; `order` must outlive it.
class BatchCut {
 public:
  BatchCut(std::span<const std::int64_t> order, std::int64_t batch_size, bool drop_last);
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::span<const std::int64_t> operator[](std::int64_t batch) const;

 private:
  std::span<const std::int64_t> order_;
  std::int64_t batch_size_;
  std::int64_t count_;
};

// Sorts by length within each group of options.bucket_batches batches and shuffles the batches of a
// group, as a function of (seed, epoch). A partial last batch keeps its place at the end.
void sort_by_length(std::span<std::int64_t> order, const LoaderOptions& options,
                    std::int64_t epoch);

[[nodiscard]] std::int64_t batch_count(std::int64_t samples, std::int64_t batch_size,
                                       bool drop_last);
// Loader::batches_per_epoch() for a data set of this size.
[[nodiscard]] std::int64_t epoch_batches(std::int64_t samples, const LoaderOptions& options);

// Python's DataLoader(shuffle=True): its exact order.

// The order of epochs directly after torch.manual_seed(seed), each with its own iterator or, with
// `one_iterator`, all with the same (persistent workers). An epoch depends on all draws before it,
// so asking for epochs in order is cheapest. One thread.
[[nodiscard]] EpochOrder python_shuffle(std::int64_t samples, std::uint64_t seed,
                                        bool one_iterator);

// Weights of the weighted samplers.

// The relative probability of each sample (options.weights: a file, or `balanced`). Throws
// ConfigError(loader.weights) for weights that torch.multinomial rejects, for a data set whose
// samples have no class, and if the numbers of weights and samples differ;
// ConfigError(loader.num_samples) for more draws without replacement than samples.
[[nodiscard]] std::vector<double> sample_weights(const data::Dataset& dataset,
                                                 const LoaderOptions& options);

// Weight of a sample: 1 / (number of samples of its class).
[[nodiscard]] std::vector<double> balanced_weights(const std::vector<std::int64_t>& labels);

}  // namespace stepbench::loader

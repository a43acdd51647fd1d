// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/order.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "workloads/data/philox.h"
#include "workloads/data/sample_lengths.h"

namespace stepbench::loader {
namespace {

constexpr std::uint32_t kBucketDraws = 12;  // Philox sequence, above those of the data sets

std::vector<std::int64_t> identity(std::int64_t samples) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return order;
}

// Fisher-Yates.
template <typename T>
void shuffle(std::vector<T>& order, data::Philox& random) {
  for (std::size_t left = order.size(); left > 1; --left) {
    std::swap(order[left - 1], order[static_cast<std::size_t>(random.below(left))]);
  }
}

std::vector<std::int64_t> drawn_by_weight(const std::vector<double>& weights, std::int64_t draws,
                                          data::Philox& random) {
  std::vector<double> until(weights.size());
  std::partial_sum(weights.begin(), weights.end(), until.begin());
  std::vector<std::int64_t> order(static_cast<std::size_t>(draws));
  for (std::int64_t& index : order) {
    index = std::ranges::upper_bound(until, random.uniform() * until.back()) - until.begin();
  }
  return order;
}

// Each sample's key is exponential with its weight as rate; the smallest keys come first
// (Efraimidis and Spirakis, 2006).
std::vector<std::int64_t> drawn_once_by_weight(const std::vector<double>& weights,
                                               std::int64_t draws, data::Philox& random) {
  std::vector<double> keys;
  for (const double weight : weights) keys.push_back(-std::log1p(-random.uniform()) / weight);
  std::vector<std::int64_t> order = identity(static_cast<std::int64_t>(weights.size()));
  std::ranges::stable_sort(order, {},
                           [&](std::int64_t i) { return keys[static_cast<std::size_t>(i)]; });
  order.resize(static_cast<std::size_t>(draws));
  return order;
}

}  // namespace

EpochOrder sequential_order(std::int64_t samples) {
  return [samples](std::int64_t) { return identity(samples); };
}

EpochOrder shuffled_order(std::int64_t samples, std::uint64_t seed) {
  return [samples, seed](std::int64_t epoch) {
    std::vector<std::int64_t> order = identity(samples);
    data::Philox random(seed, static_cast<std::uint64_t>(epoch));
    shuffle(order, random);
    return order;
  };
}

EpochOrder drawn_order(std::int64_t samples, std::int64_t draws, std::uint64_t seed) {
  return [samples, draws, seed](std::int64_t epoch) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(draws));
    data::Philox random(seed, static_cast<std::uint64_t>(epoch));
    for (std::int64_t& index : order) {
      index = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(samples)));
    }
    return order;
  };
}

EpochOrder weighted_order(std::vector<double> weights, std::int64_t draws, bool replacement,
                          std::uint64_t seed) {
  return [weights = std::move(weights), draws, replacement, seed](std::int64_t epoch) {
    data::Philox random(seed, static_cast<std::uint64_t>(epoch));
    return replacement ? drawn_by_weight(weights, draws, random)
                       : drawn_once_by_weight(weights, draws, random);
  };
}

EpochOrder order_of_rank(EpochOrder of_all, std::int64_t rank, std::int64_t world) {
  if (world == 1 || !of_all) return of_all;
  return [of_all = std::move(of_all), rank, world](std::int64_t epoch) {
    const std::vector<std::int64_t> all = of_all(epoch);
    const auto samples = static_cast<std::int64_t>(all.size());
    std::vector<std::int64_t> mine;
    if (samples == 0) return mine;
    for (std::int64_t i = rank; i < samples + rank; i += world) {
      mine.push_back(all[static_cast<std::size_t>(i % samples)]);
    }
    return mine;
  };
}

std::int64_t epoch_samples(std::int64_t samples, const LoaderOptions& options) {
  return options.num_samples > 0 ? options.num_samples : samples;
}

std::int64_t epoch_batches(std::int64_t samples, const LoaderOptions& options) {
  if (samples < 0 || options.joined || options.batch_size == 0) return -1;
  const std::int64_t of_rank =
      (epoch_samples(samples, options) + options.world - 1) / options.world;
  return batch_count(of_rank, options.batch_size, options.drop_last);
}

void sort_by_length(std::span<std::int64_t> order, const LoaderOptions& options,
                    std::int64_t epoch) {
  if (options.bucket_batches <= 1 || options.lengths == nullptr) return;
  const auto batch = static_cast<std::size_t>(options.batch_size);
  const std::size_t whole = order.size() / batch;
  data::Philox random(options.seed, static_cast<std::uint64_t>(epoch), kBucketDraws);
  std::vector<std::pair<std::int64_t, std::int64_t>> bucket;  // length, sample
  for (std::size_t done = 0; done < whole;) {
    const std::size_t batches =
        std::min(whole - done, static_cast<std::size_t>(options.bucket_batches));
    const std::span<std::int64_t> part = order.subspan(done * batch, batches * batch);
    bucket.clear();
    for (const std::int64_t sample : part) {
      bucket.emplace_back(options.lengths->of(sample, options.seed), sample);
    }
    std::ranges::stable_sort(bucket, {}, &std::pair<std::int64_t, std::int64_t>::first);
    std::vector<std::size_t> turns(batches);
    std::iota(turns.begin(), turns.end(), std::size_t{0});
    shuffle(turns, random);
    for (std::size_t i = 0; i < part.size(); ++i) {
      part[i] = bucket[turns[i / batch] * batch + i % batch].second;
    }
    done += batches;
  }
}

std::int64_t batch_count(std::int64_t samples, std::int64_t batch_size, bool drop_last) {
  return samples / batch_size + (!drop_last && samples % batch_size != 0 ? 1 : 0);
}

BatchCut::BatchCut(std::span<const std::int64_t> order, std::int64_t batch_size, bool drop_last)
    : order_(order),
      batch_size_(batch_size),
      count_(batch_count(static_cast<std::int64_t>(order.size()), batch_size, drop_last)) {}

std::span<const std::int64_t> BatchCut::operator[](std::int64_t batch) const {
  const auto first = static_cast<std::size_t>(batch * batch_size_);
  return order_.subspan(first,
                        std::min(static_cast<std::size_t>(batch_size_), order_.size() - first));
}

}  // namespace stepbench::loader

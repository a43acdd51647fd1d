// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/batches.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "workloads/data/random.h"
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

namespace {

// torch's CPU generator is the standard's, seeded with the low 32 bits.
std::mt19937 torch_generator(std::uint64_t seed) {
  return std::mt19937(static_cast<std::uint32_t>(seed));
}

// tensor.random_() of one int64: two draws, high half first, without the sign bit.
std::uint64_t draw_seed(std::mt19937& generator) {
  const std::uint64_t high = generator();
  const std::uint64_t low = generator();
  return (high << 32U | low) & INT64_MAX;
}

// torch.randperm.
std::vector<std::int64_t> permutation(std::int64_t samples, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::mt19937 generator = torch_generator(seed);
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    std::swap(order[i], order[i + generator() % (order.size() - i)]);
  }
  return order;
}

class Shuffles {
 public:
  Shuffles(std::int64_t samples, std::uint64_t seed, bool one_iterator)
      : samples_(samples), seed_(seed), one_iterator_(one_iterator) {}

  [[nodiscard]] std::vector<std::int64_t> of(std::int64_t epoch) {
    if (epoch < next_ || next_ == 0) {
      generator_ = torch_generator(seed_);
      next_ = 0;
    }
    std::uint64_t sampler_seed = 0;
    for (; next_ <= epoch; ++next_) {
      // Each iterator first draws its workers' base seed.
      if (next_ == 0 || !one_iterator_) (void)draw_seed(generator_);
      sampler_seed = draw_seed(generator_);
    }
    return permutation(samples_, sampler_seed);
  }

 private:
  std::int64_t samples_;
  std::uint64_t seed_;
  bool one_iterator_;
  std::mt19937 generator_;
  std::int64_t next_ = 0;  // next epoch that generator_ would draw
};

}  // namespace

EpochOrder python_shuffle(std::int64_t samples, std::uint64_t seed, bool one_iterator) {
  return [shuffles = std::make_shared<Shuffles>(samples, seed, one_iterator)](std::int64_t epoch) {
    return shuffles->of(epoch);
  };
}

namespace {

constexpr const char* kWeightsOption = "loader.weights";
// Limit of torch.multinomial.
constexpr std::size_t kMaxWeights = std::size_t{1} << 24;

void require_drawable(const std::vector<double>& weights) {
  if (weights.size() > kMaxWeights) {
    throw ConfigError(
        kWeightsOption,
        formatted("{} samples; torch.multinomial draws from at most 2^24", weights.size()));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (std::isfinite(weights[i]) && weights[i] >= 0) continue;
    std::ostringstream weight;
    weight << weights[i];
    throw ConfigError(kWeightsOption,
                      formatted("weight {} is {}, expected a finite number that is not negative", i,
                                weight.str()));
  }
  if (std::accumulate(weights.begin(), weights.end(), 0.0) > 0) return;
  throw ConfigError(kWeightsOption, "all weights are zero: there is nothing to draw");
}

}  // namespace

std::vector<double> balanced_weights(const std::vector<std::int64_t>& labels) {
  std::map<std::int64_t, double> counts;
  for (const std::int64_t label : labels) ++counts[label];
  std::vector<double> weights;
  weights.reserve(labels.size());
  for (const std::int64_t label : labels) weights.push_back(1 / counts[label]);
  return weights;
}

std::vector<double> sample_weights(const data::Dataset& dataset, const LoaderOptions& options) {
  std::vector<double> weights;
  if (options.weights == "balanced") {
    weights = balanced_weights(dataset.labels(options.seed));
    if (weights.empty()) {
      throw ConfigError(kWeightsOption,
                        "balanced needs samples with one class each, and this data set has none; "
                        "give a file with a weight per sample");
    }
  } else {
    weights =
        data::read_numbers({.option = kWeightsOption,
                            .path = options.weights,
                            .expected = "`balanced` or a text file with a weight per sample"});
    if (weights.size() != static_cast<std::size_t>(dataset.size())) {
      throw ConfigError(kWeightsOption, formatted("{} has {} weights for {} samples",
                                                  options.weights, weights.size(), dataset.size()));
    }
  }
  require_drawable(weights);
  const std::int64_t draws = epoch_samples(dataset.size(), options);
  if (!options.with_replacement && draws > dataset.size()) {
    throw ConfigError(
        "loader.num_samples",
        formatted("cannot draw {} of {} samples without replacement", draws, dataset.size()));
  }
  return weights;
}

using Indices = std::vector<std::int64_t>;

BatchOrder::BatchOrder(std::int64_t samples, const LoaderOptions& options, EpochOrder order)
    : samples_(samples),
      options_(options),
      order_(std::move(order)),
      indices_(std::make_shared<const Indices>()) {}

void BatchOrder::begin(std::int64_t epoch) {
  at_ = 0;
  epoch_ = drawn_ = epoch;
  if (samples_ < 0) {
    indices_ = std::make_shared<const Indices>(static_cast<std::size_t>(options_.batch_size));
    batches_ = kEndless;
    return;
  }
  Indices order = order_(epoch);
  sort_by_length(order, options_, epoch);
  indices_ = std::make_shared<const Indices>(std::move(order));
  left_ = pass_ = drawn();
  const bool endless = options_.joined && pass_ > 0;
  batches_ = endless ? kEndless : batch_count(pass_, options_.batch_size, options_.drop_last);
}

std::optional<BatchSamples> BatchOrder::next() {
  if (samples_ < 0) return BatchSamples{.indices = *indices_, .epoch = epoch_};
  if (endless() && drawn() - at_ < options_.batch_size) append_epochs();
  const std::int64_t size = std::min(options_.batch_size, drawn() - at_);
  if (size == 0 || (options_.drop_last && size < options_.batch_size)) return std::nullopt;
  BatchSamples batch{.indices = std::span(*indices_).subspan(static_cast<std::size_t>(at_),
                                                             static_cast<std::size_t>(size)),
                     .epoch = epoch_};
  at_ += size;
  if (!endless()) return batch;
  batch.left = left_;
  batch.pass = pass_;
  batch.owner = indices_;
  move_on(size);
  return batch;
}

// Makes a new vector: batches under way own the old one.
void BatchOrder::append_epochs() {
  auto indices = std::make_shared<Indices>(indices_->begin() + at_, indices_->end());
  while (static_cast<std::int64_t>(indices->size()) < options_.batch_size) {
    Indices epoch = order_(++drawn_);
    assert(static_cast<std::int64_t>(epoch.size()) == pass_);
    // The first samples complete the previous epoch's last batch and stay unsorted.
    const auto batch = static_cast<std::size_t>(options_.batch_size);
    const std::size_t fill = (batch - indices->size()) % batch;
    if (fill < epoch.size()) {
      sort_by_length(std::span(epoch).subspan(fill), options_, drawn_);
    }
    indices->insert(indices->end(), epoch.begin(), epoch.end());
  }
  indices_ = std::move(indices);
  at_ = 0;
}

void BatchOrder::move_on(std::int64_t samples) {
  for (; samples >= left_; left_ = pass_, ++epoch_) samples -= left_;
  left_ -= samples;
}

}  // namespace stepbench::loader

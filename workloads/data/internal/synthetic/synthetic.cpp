// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/synthetic/synthetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "harness/base/format.h"
#include "workloads/data/dataset.h"
#include "workloads/data/random.h"

namespace stepbench::data {
namespace {

// Philox sequences of one sample.
constexpr std::uint32_t kLabelDraws = 1;
constexpr std::uint32_t kImageDraws = 2;
constexpr std::uint32_t kCostDraws = 3;
constexpr std::uint32_t kStragglerDraws = 10;

constexpr std::int64_t kCacheLine = 64;

struct TouchBuffer final : Dataset::Scratch {
  explicit TouchBuffer(std::int64_t bytes)
      : memory(static_cast<std::size_t>(bytes), std::byte{1}) {}
  std::vector<std::byte> memory;
  std::uint64_t sum = 0;  // keeps the reads from being optimised away
};

// A 32-bit mixer (Chris Wellons, "lowbias32"): each float depends only on its own position, which
// vectorises.
std::uint32_t mix(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}

void fill_uniform(float* out, std::size_t count, std::uint32_t key) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::int32_t>(mix(static_cast<std::uint32_t>(i) ^ key));
    out[i] = static_cast<float>(bits) * 0x1p-31F;
  }
}

void fill_bytes(std::byte* out, std::size_t count, std::uint32_t key) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<std::byte>(mix(static_cast<std::uint32_t>(i) ^ key));
  }
}

Variant synthetic_variant() {
  const Requires with_cost{.option = "data.cost",
                           .op = Requires::Op::kNotEqual,
                           .value = std::string{"none"},
                           .doc = "needs a cost per sample (cost: sleep or spin)"};
  return {
      .name = "synthetic",
      .doc =
          "Samples made from (seed, index) with a chosen size and cost, to separate the loader's "
          "own cost from that of real data. Fields: image float32, label int64.",
      .options =
          {
              samples_option(),
              image_size_option(),
              {.name = "channels",
               .type = OptionType::kInteger,
               .doc = "Planes of the image tensor.",
               .default_value = std::int64_t{3},
               .min = 1,
               .max = 4096,
               .identity_default = std::int64_t{3}},
              {.name = "features",
               .type = OptionType::kInteger,
               .doc = "When set, a sample is a vector of this length in place of an image.",
               .min = 1,
               .max = 1e9},
              {.name = "classes",
               .type = OptionType::kInteger,
               .doc = "Labels are drawn from 0 to classes - 1.",
               .default_value = std::int64_t{10},
               .min = 1,
               .max = 1e9,
               .identity_default = std::int64_t{10}},
              {.name = "fill",
               .type = OptionType::kEnum,
               .doc = "all: every byte of a sample is written. label: the image memory is left as "
                      "it is and only the label is written, which costs next to nothing.",
               .default_value = std::string{"all"},
               .choices = {"all", "label"},
               .identity_default = std::string{"all"}},
              {.name = "cost",
               .type = OptionType::kEnum,
               .doc = "What a sample costs beyond its bytes. sleep: waits, as remote storage does; "
                      "spin: computes, as a decoder does (sleep hides that cores are scarce).",
               .default_value = std::string{"none"},
               .choices = {"none", "sleep", "spin"},
               .identity_default = std::string{"none"}},
              {.name = "cost_us",
               .type = OptionType::kNumber,
               .doc = "Mean cost of one sample.",
               .unit = "us",
               .default_value = 1000.0,
               .min = 0,
               .max = 60e6,
               .requires_ = with_cost},
              {.name = "cost_distribution",
               .type = OptionType::kEnum,
               .doc = "How the cost varies from sample to sample; drawn from (seed, index), so it "
                      "repeats exactly.",
               .default_value = std::string{"fixed"},
               .choices = {"fixed", "normal", "exponential", "gamma"},
               .identity_default = std::string{"fixed"},
               .requires_ = with_cost},
              {.name = "cost_cv",
               .type = OptionType::kNumber,
               .doc = "Standard deviation of the cost divided by its mean; for normal and gamma.",
               .default_value = 0.25,
               .min = 0.001,
               .max = 10,
               .requires_ = with_cost},
              {.name = "straggler_share",
               .type = OptionType::kNumber,
               .doc = "Share of the samples that cost straggler_us more; drawn from (seed, index). "
                      "A straggler holds up all later batches unless loader.in_order is false.",
               .default_value = 0.0,
               .min = 0,
               .max = 1,
               .identity_default = 0.0,
               .requires_ = with_cost},
              {.name = "straggler_us",
               .type = OptionType::kNumber,
               .doc = "What a straggler costs beyond its share of the distribution.",
               .unit = "us",
               .default_value = 0.0,
               .min = 0,
               .max = 60e6,
               .identity_default = 0.0,
               .requires_ = with_cost},
              {.name = "collate_us",
               .type = OptionType::kNumber,
               .doc = "What a sample costs when its batch is put together: computes, as a slow "
                      "collate_fn does. Beside cost_us.",
               .unit = "us",
               .default_value = 0.0,
               .min = 0,
               .max = 60e6,
               .identity_default = 0.0},
              {.name = "dtype",
               .type = OptionType::kEnum,
               .doc = "Type of the image: float32 in [-1, 1), or uint8, a quarter of the bytes.",
               .default_value = std::string{"float32"},
               .choices = {"float32", "uint8"},
               .identity_default = std::string{"float32"}},
              {.name = "touch_bytes",
               .type = OptionType::kInteger,
               .doc = "Extra memory that each sample reads, as a tokenizer table or a decoder's "
                      "buffers would: it wears the caches.",
               .unit = "bytes",
               .default_value = std::int64_t{0},
               .min = 0,
               .max = 1e9,
               .identity_default = std::int64_t{0}},
          },
  };
}

SyntheticOptions synthetic_options(const ResolvedCase& resolved) {
  SyntheticOptions options{
      .samples = resolved.integer("data.samples"),
      .shape = {},
      .classes = resolved.integer("data.classes"),
      .fill = resolved.text("data.fill") == "all",
      .cost = one_of<SampleCost>(resolved.text("data.cost")).value_or(SampleCost::kNone),
      .touch_bytes = resolved.integer("data.touch_bytes"),
      .collate_us = resolved.number("data.collate_us"),
      .dtype = resolved.text("data.dtype") == "uint8" ? DType::kUInt8 : DType::kFloat32};
  if (resolved.has("data.features")) {
    options.shape = {resolved.integer("data.features")};
  } else {
    const std::int64_t size = resolved.integer("data.image_size");
    options.shape = {resolved.integer("data.channels"), size, size};
  }
  if (options.cost != SampleCost::kNone) {
    options.cost_us = resolved.number("data.cost_us");
    options.distribution = one_of<CostDistribution>(resolved.text("data.cost_distribution"))
                               .value_or(CostDistribution::kFixed);
    options.cost_cv = resolved.number("data.cost_cv");
    options.straggler_share = resolved.number("data.straggler_share");
    options.straggler_us = resolved.number("data.straggler_us");
  }
  return options;
}

}  // namespace

Synthetic::Synthetic(SyntheticOptions options) : options_(std::move(options)) {
  fields_ = {{.name = "image", .shape = options_.shape, .dtype = options_.dtype},
             {.name = "label", .shape = {}, .dtype = DType::kInt64}};
}

std::unique_ptr<Dataset::Scratch> Synthetic::make_scratch() const {
  return std::make_unique<TouchBuffer>(options_.touch_bytes);
}

double Synthetic::cost_us(const SampleKey& key) const {
  double us = usual_cost_us(key);
  if (options_.straggler_share > 0) {
    Philox random(key.seed, static_cast<std::uint64_t>(key.index), kStragglerDraws);
    if (random.uniform() < options_.straggler_share) us += options_.straggler_us;
  }
  return us;
}

double Synthetic::usual_cost_us(const SampleKey& key) const {
  Philox random(key.seed, static_cast<std::uint64_t>(key.index), kCostDraws);
  const double mean = options_.cost_us;
  switch (options_.distribution) {
    case CostDistribution::kFixed:
      break;
    case CostDistribution::kNormal:
      return std::max(0.0, mean * (1 + options_.cost_cv * standard_normal(random)));
    case CostDistribution::kExponential:
      return -mean * std::log1p(-random.uniform());
    case CostDistribution::kGamma:
      return mean * unit_gamma(random, 1 / (options_.cost_cv * options_.cost_cv));
  }
  return mean;
}

void Synthetic::read(const SampleKey& key, SampleSlots out, Scratch& scratch,
                     ReadCost& cost) const {
  const std::int64_t began = cost.clock != nullptr ? cost.clock->now_ns() : 0;
  const auto stream = static_cast<std::uint64_t>(key.index);
  const std::int64_t drawn = label(key.seed, key.index);
  std::memcpy(out[1], &drawn, sizeof drawn);
  if (options_.fill) {
    const std::uint32_t image_key = Philox(key.seed, stream, kImageDraws).next();
    if (options_.dtype == DType::kUInt8) {
      fill_bytes(out[0], fields_[0].bytes(), image_key);
    } else {
      fill_uniform(reinterpret_cast<float*>(out[0]), fields_[0].bytes() / sizeof(float), image_key);
    }
  }
  if (options_.touch_bytes > 0) {
    auto& buffer = static_cast<TouchBuffer&>(scratch);
    for (std::size_t i = 0; i < buffer.memory.size(); i += kCacheLine) {
      buffer.sum += static_cast<std::uint64_t>(buffer.memory[i]);
    }
  }
  const std::int64_t made = cost.clock != nullptr ? cost.clock->now_ns() : 0;
  cost.decode_ns += made - began;
  if (options_.cost == SampleCost::kSleep) sleep_us(cost_us(key));
  if (options_.cost == SampleCost::kSpin) spin_us(cost_us(key));
  if (options_.cost != SampleCost::kNone && cost.clock != nullptr) {
    // Sleeping emulates storage, computing a decoder.
    (options_.cost == SampleCost::kSleep ? cost.fetch_ns : cost.decode_ns) +=
        cost.clock->now_ns() - made;
  }
  // Time that is neither counts as collating.
  if (options_.collate_us > 0) spin_us(options_.collate_us);
}

std::int64_t Synthetic::label(std::uint64_t seed, std::int64_t index) const {
  Philox random(seed, static_cast<std::uint64_t>(index), kLabelDraws);
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(options_.classes)));
}

std::vector<std::int64_t> Synthetic::labels(std::uint64_t seed) const {
  std::vector<std::int64_t> labels;
  for (std::int64_t index = 0; index < size(); ++index) labels.push_back(label(seed, index));
  return labels;
}

std::string Synthetic::digest() const {
  return formatted("synthetic:{}:{}:{}", options_.samples, fields_[0].bytes() + fields_[1].bytes(),
                   options_.classes);
}

DataKind synthetic_kind() {
  return {.variant = synthetic_variant(),
          .input =
              [](const ResolvedCase& resolved) {
                const bool image =
                    !resolved.has("data.features") && resolved.integer("data.channels") == 3;
                return image ? InputKind::kImage : InputKind::kVector;
              },
          .open = [](const ResolvedCase& resolved) -> std::unique_ptr<Dataset> {
            return std::make_unique<Synthetic>(synthetic_options(resolved));
          }};
}

}  // namespace stepbench::data

// SPDX-License-Identifier: Apache-2.0
// Makes data sets of the kinds that are files of numbers: their content, and the files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "workloads/data/internal/generate/maker.h"
#include "workloads/data/random.h"

namespace stepbench::data {

[[nodiscard]] const Maker& mnist_idx_maker();
[[nodiscard]] const Maker& cifar_bin_maker();
[[nodiscard]] const Maker& token_bin_maker();
[[nodiscard]] const Maker& safetensors_maker();
[[nodiscard]] const Maker& raw_tensor_maker();

// Writes the files of one generated set, one after another. One thread.
class FileMaker {
 public:
  // Writes the manifest from `maker` and `values`.
  FileMaker(const Maker& maker, const MakerValues& values, const MakeProgress& progress);

  // Receives a file's content, piece by piece.
  class Sink {
   public:
    explicit Sink(const std::filesystem::path& path) : file_(path) {}
    void bytes(std::span<const std::byte> data) { file_.append(data); }
    template <typename T>
    void little(T value) {
      std::byte raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      bytes(raw);
    }
    void big32(std::uint32_t value);
    void text(const std::string& value) { bytes(std::as_bytes(std::span(value))); }
    [[nodiscard]] std::int64_t commit() { return file_.commit(); }  // returns the file's size

   private:
    MadeFile file_;
  };

  // Calls `write` to fill the file unless it exists; adds `items` to the progress.
  void file(const std::string& name, std::int64_t items, const std::function<void(Sink&)>& write);
  [[nodiscard]] MadeFolder finish();

 private:
  MadeSet set_;
  const MakeProgress& progress_;
  std::int64_t done_ = 0;
  MadeFolder result_;
};

// Content of generated sets other than photographs: a function of seed and position, so that any
// reader can be checked and several formats can have the same content. Pure.

inline constexpr std::uint32_t kRecordDraws = 6;  // Philox sequences of one seed
inline constexpr std::uint32_t kMadeTokenDraws = 7;

// Noise over stripes whose width depends on the class, which a model can learn.
inline void made_record(std::uint64_t seed, std::int64_t index, std::int64_t label,
                        std::span<std::byte> out) {
  Philox random(seed, static_cast<std::uint64_t>(index), kRecordDraws);
  const auto stripe = static_cast<std::size_t>(label % 16 + 1);
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    bits = i % 4 == 0 ? random.next() : bits >> 8;
    const std::uint32_t light = i / stripe % 2 == 0 ? 128 : 0;
    out[i] = static_cast<std::byte>(light + (bits & 127));
  }
}

// Every second token is a function of the one before it, which a model can learn.
inline std::int64_t made_token(std::uint64_t seed, std::int64_t position, std::int64_t vocabulary) {
  Philox random(seed, static_cast<std::uint64_t>(position / 2), kMadeTokenDraws);
  const auto first =
      static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(vocabulary)));
  return position % 2 == 0 ? first : (first * 7 + 1) % vocabulary;
}

}  // namespace stepbench::data

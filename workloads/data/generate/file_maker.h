// SPDX-License-Identifier: Apache-2.0
// Writes the files of a generated data set.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "workloads/data/generate/maker.h"

namespace stepbench::data {

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

}  // namespace stepbench::data

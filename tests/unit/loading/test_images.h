// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "workloads/data/generate/jpeg_encoder.h"
#include "workloads/data/jpeg/jpeg_decoder.h"
#include "workloads/data/philox.h"

namespace stepbench::test {

using Rgb = std::array<std::uint8_t, 3>;

// Coarse blocks and fine noise: every coefficient of the transform is in use.
inline std::vector<std::uint8_t> noise(const JpegEncoding& encoding, std::uint64_t seed) {
  Philox random(seed, 77);
  std::vector<std::uint8_t> pixels;
  for (int y = 0; y < encoding.height; ++y) {
    for (int x = 0; x < encoding.width; ++x) {
      for (int c = 0; c < encoding.components; ++c) {
        const auto coarse = static_cast<unsigned>((x / 5 * 37 + y / 7 * 59 + c * 83) % 160);
        pixels.push_back(static_cast<std::uint8_t>(coarse + random.next() % 80));
      }
    }
  }
  return pixels;
}

inline std::vector<Rgb> decode(JpegDecoder& decoder, std::span<const std::byte> file,
                               const JpegDecoder::Region& region) {
  (void)decoder.open(file);
  decoder.start(region);
  std::vector<std::uint8_t> row(decoder.row_bytes());
  std::vector<Rgb> pixels;
  for (std::int64_t y = 0; y < region.height; ++y) {
    const std::uint8_t* pixel = decoder.next_row(row.data());
    for (std::int64_t x = 0; x < region.width; ++x, pixel += 4)
      pixels.push_back({pixel[0], pixel[1], pixel[2]});
  }
  decoder.close();
  return pixels;
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "stepbench-test-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  void write(const std::string& name, std::span<const std::byte> bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
  }
  void write(const std::string& name, const std::string& text) const {
    write(name, std::as_bytes(std::span(text)));
  }

 private:
  std::filesystem::path path_;
};

// A small valid file.
inline std::vector<std::byte> jpeg(int width, int height, std::uint64_t seed) {
  const JpegEncoding encoding{.width = width, .height = height};
  return encode_jpeg(noise(encoding, seed), encoding);
}

}  // namespace stepbench::test

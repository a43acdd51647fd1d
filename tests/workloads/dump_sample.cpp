// SPDX-License-Identifier: Apache-2.0
// dump-sample FOLDER SIZE SEED EPOCH exact|fast train|eval OUT: writes the float32 tensors of all
// samples to OUT, and one line per sample, "path label left top width height flip", to stdout for
// comparison with another implementation.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>

#include "workloads/data/data_files.h"
#include "workloads/data/internal/jpeg/jpeg_decoder.h"
#include "workloads/data/internal/jpeg/jpeg_folder.h"

int main(int argc, char** argv) {
  using namespace stepbench;
  if (argc != 8) return 2;
  try {
    const data::JpegFolder data({.path = argv[1],
                                 .image_size = std::stoll(argv[2]),
                                 .augment = std::string(argv[6]) == "train",
                                 .fast_decode = std::string(argv[5]) == "fast"});
    std::ofstream out(argv[7], std::ios::binary);
    std::vector<float> image(data.fields()[0].bytes() / sizeof(float));
    std::int64_t label = 0;
    const std::array<std::byte*, 2> slots = {reinterpret_cast<std::byte*>(image.data()),
                                             reinterpret_cast<std::byte*>(&label)};
    const auto scratch = data.make_scratch();
    data::ReadCost cost;
    data::JpegDecoder decoder;
    std::vector<std::byte> file;
    for (std::int64_t i = 0; i < data.size(); ++i) {
      const data::SampleKey key{
          .index = i, .seed = std::stoull(argv[3]), .epoch = std::stoll(argv[4])};
      data.read(key, slots, *scratch, cost);
      out.write(reinterpret_cast<const char*>(image.data()),
                static_cast<std::streamsize>(image.size() * sizeof(float)));
      const std::string& path = data.folder().files[static_cast<std::size_t>(i)].path;
      data::read_file(path, std::size_t{1} << 28, file);
      const data::JpegDecoder::Size size = decoder.open(file);
      const data::Crop crop = data::JpegFolder::crop_of(key, size.width, size.height);
      std::printf("%s %ld %ld %ld %ld %ld %d\n", path.c_str(), static_cast<long>(label),
                  static_cast<long>(crop.left), static_cast<long>(crop.top),
                  static_cast<long>(crop.width), static_cast<long>(crop.height), crop.flip ? 1 : 0);
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "dump-sample: %s\n", error.what());
    return 1;
  }
  return 0;
}

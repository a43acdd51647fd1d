// SPDX-License-Identifier: Apache-2.0
// Reads a folder of JPEG files, one epoch per line on standard input, and prints the seconds from
// the epoch's start to its last batch and the images read. Workers persist.
//
//   image_epochs FOLDER WORKERS BATCH exact|fast [fresh|reused]
//   image_epochs --libjpeg     prints the decoder it was built with
#include <charconv>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

extern "C" {
#include <jpeglib.h>
}

#include "harness/base/error.h"
#include "workloads/data/internal/jpeg/jpeg_folder.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/inline_loader.h"
#include "workloads/loader/internal/thread/thread_loader.h"

namespace {

using namespace stepbench;

#define STEPBENCH_TEXT(value) #value
#define STEPBENCH_VALUE(macro) STEPBENCH_TEXT(macro)
#if defined(LIBJPEG_TURBO_VERSION)
constexpr const char* kLibjpeg = "libjpeg-turbo " STEPBENCH_VALUE(LIBJPEG_TURBO_VERSION);
#else
constexpr const char* kLibjpeg = "libjpeg " STEPBENCH_VALUE(JPEG_LIB_VERSION);
#endif

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

void serve(const std::string& folder, std::int64_t workers, std::int64_t batch_size, bool fast,
           bool reused) {
  const HostClock clock;
  data::JpegFolderOptions source;
  source.path = folder;
  source.fast_decode = fast;
  const data::JpegFolder data(source);
  const loader::LoaderOptions options{.batch_size = batch_size,
                                      .shuffle = true,
                                      .num_workers = workers,
                                      .persistent_workers = true,
                                      .reuse_buffers = reused};
  loader::EpochOrder order = loader::shuffled_order(data.size(), 0);
  std::unique_ptr<loader::Loader> loader;
  if (workers == 0) {
    loader = std::make_unique<loader::InlineLoader>(data, options, std::move(order), clock);
  } else {
    loader = loader::make_thread_loader(data, options, std::move(order), clock);
  }
  std::int64_t epoch = 0;
  for (std::string line; std::getline(std::cin, line);) {
    const auto began = std::chrono::steady_clock::now();
    std::int64_t images = 0;
    loader->begin_epoch(epoch++);
    while (const std::optional<Batch> batch = loader->next()) images += batch->size;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
    std::printf("%.6f %lld\n", seconds.count(), static_cast<long long>(images));
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--libjpeg") {
    std::puts(kLibjpeg);
    return 0;
  }
  if (argc != 5 && argc != 6) {
    std::fputs(
        "usage: image_epochs FOLDER WORKERS BATCH exact|fast [fresh|reused]\n       image_epochs "
        "--libjpeg\n",
        stderr);
    return 2;
  }
  try {
    serve(argv[1], number(argv[2]), number(argv[3]), std::string_view(argv[4]) == "fast",
          argc == 6 && std::string_view(argv[5]) == "reused");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "image_epochs: %s\n", error.what());
    return 1;
  }
  return 0;
}

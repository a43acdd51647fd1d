// SPDX-License-Identifier: Apache-2.0
// shard-trace FOLDER: makes a small set of tar shards there; then per line of stdin "workers
// prefetch_factor batch_size drop_last persistent joined" prints as one line two epochs of its
// loader, or that many batches of joined ones: the classes of a batch joined by commas, batches and
// epochs ("|") parted by blanks.
#include <cstring>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "workloads/data/formats/web_dataset.h"
#include "workloads/data/generate/make_webdataset.h"
#include "workloads/loader/inline_loader.h"
#include "workloads/loader/thread/thread_loader.h"

namespace {

using namespace stepbench;  // NOLINT(google-build-using-namespace): a program of one function

constexpr std::int64_t kImages = 29;

void make_shards(const std::string& folder) {
  const data::Maker& maker = data::webdataset_maker();
  data::MakerValues values = data::maker_values(maker, folder);
  values.options = {{"images", kImages}, {"classes", kImages}, {"seed", 0},  {"width", 16},
                    {"height", 16},      {"quality", 30},      {"shards", 7}};
  (void)data::make_data(maker, values, {});
}

std::string epoch_text(loader::Loader& loader, std::int64_t epoch, std::int64_t batches) {
  std::ostringstream text;
  loader.begin_epoch(epoch);
  for (std::int64_t left = batches; left > 0; --left) {
    const auto batch = loader.next();
    if (!batch) break;
    for (std::int64_t i = 0; i < batch->size; ++i) {
      std::int64_t label = 0;
      std::memcpy(&label, batch->fields[1].data + i * std::int64_t{sizeof label}, sizeof label);
      text << (i == 0 ? "" : ",") << label;
    }
    text << ' ';
  }
  text << "| ";
  return text.str();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  make_shards(argv[1]);
  const data::WebDataset data({.path = argv[1], .image = {.image_size = 8}, .classes = kImages});
  const HostClock clock;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream in(line);
    loader::LoaderOptions options;
    std::int64_t joined = 0;
    in >> options.num_workers >> options.prefetch_factor >> options.batch_size >>
        options.drop_last >> options.persistent_workers >> joined;
    options.joined = joined > 0;
    std::unique_ptr<loader::Loader> loader;
    if (options.num_workers == 0) {
      loader = std::make_unique<loader::InlineLoader>(data, options, loader::EpochOrder{}, clock);
    } else {
      loader = loader::make_thread_loader(data, options, {}, clock);
    }
    if (options.joined) {
      std::cout << epoch_text(*loader, 0, joined) << '\n';
    } else {
      std::cout << epoch_text(*loader, 0, kImages) << epoch_text(*loader, 1, kImages) << '\n';
    }
  }
}

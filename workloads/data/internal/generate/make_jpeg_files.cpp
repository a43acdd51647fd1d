// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/generate/make_jpeg_files.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <mutex>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"

namespace stepbench::data {

// Runs a loop on all cores, for making files.

// Calls work(0) to work(count - 1) on one thread per core, and `progress` (may be empty) on this
// thread with the number done so far. Rethrows the first error; items under way finish then, no
// others start.
void in_parallel(std::int64_t count, const std::function<void(std::int64_t)>& work,
                 const std::function<void(std::int64_t)>& progress);

namespace {

constexpr unsigned kMaxThreads = 16;

class Team {
 public:
  Team(std::int64_t count, const std::function<void(std::int64_t)>& work)
      : count_(count), work_(work) {}

  void run(const std::function<void(std::int64_t)>& progress) {
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    const auto size = std::min<std::int64_t>(std::min(cores, kMaxThreads), count_);
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < size; ++i) threads.emplace_back([this] { take(); });
    std::unique_lock lock(mutex_);
    for (std::int64_t shown = 0; !error_ && shown < count_;) {
      changed_.wait(lock, [&] { return error_ || done_ != shown; });
      shown = done_;
      lock.unlock();
      if (progress) progress(shown);
      lock.lock();
    }
    lock.unlock();
    threads.clear();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void take() {
    for (;;) {
      const std::int64_t index = next_++;
      if (index >= count_) return;
      try {
        work_(index);
        const std::lock_guard lock(mutex_);
        ++done_;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = count_;
      }
      changed_.notify_one();
    }
  }

  std::int64_t count_;
  const std::function<void(std::int64_t)>& work_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t done_ = 0;
  std::exception_ptr error_;
};

}  // namespace

void in_parallel(std::int64_t count, const std::function<void(std::int64_t)>& work,
                 const std::function<void(std::int64_t)>& progress) {
  Team(count, work).run(progress);
}

namespace {

namespace fs = std::filesystem;

void check_range(const char* option, std::int64_t value, std::int64_t min, std::int64_t max) {
  if (value < min || value > max) {
    throw ConfigError(option, formatted("{} is outside {} to {}", value, min, max));
  }
}

void check(const JpegFolderPlan& plan) {
  check_range("--images", plan.images, 1, 100'000'000);
  check_range("--classes", plan.classes, 1, 100'000);
  check_range("--width", plan.width, 1, 16'384);
  check_range("--height", plan.height, 1, 16'384);
  check_range("--quality", plan.quality, 1, 100);
  if (plan.images < plan.classes) {
    throw ConfigError("--images",
                      formatted("{} images cannot fill {} classes; every class needs one",
                                plan.images, plan.classes));
  }
}

std::string manifest(const JpegFolderPlan& plan) {
  std::ostringstream text;
  text << "Made by stepbench data make jpeg_folder; version 1\n"
       << "images " << plan.images << "\nclasses " << plan.classes << "\nseed " << plan.seed
       << "\nwidth " << plan.width << "\nheight " << plan.height << "\nquality " << plan.quality
       << "\n";
  return text.str();
}

// Relative to the set's folder.
fs::path path_of(const JpegFolderPlan& plan, std::int64_t index) {
  const auto padded = [](std::int64_t value, int digits) {
    std::string text = std::to_string(value);
    return std::string(
               static_cast<std::size_t>(std::max(0, digits - static_cast<int>(text.size()))), '0') +
           text;
  };
  return fs::path("class_" + padded(index % plan.classes, 5)) /
         formatted("image_{}.jpg", padded(index, 8));
}

}  // namespace

MadeFolder make_jpeg_folder(const JpegFolderPlan& plan, const MakeProgress& progress) {
  check(plan);
  MadeSet set(plan.out, manifest(plan));
  for (std::int64_t label = 0; label < plan.classes; ++label) {
    const fs::path folder = plan.out / path_of(plan, label).parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) throw ConfigError(folder.string(), "cannot be created: " + error.message());
  }
  std::atomic<std::int64_t> made = 0;
  std::atomic<std::int64_t> bytes = 0;
  in_parallel(
      plan.images,
      [&](std::int64_t index) {
        const fs::path path = path_of(plan, index);
        if (const std::int64_t present = set.size_of(path); present >= 0) {
          bytes += present;
          return;
        }
        const std::vector<std::byte> image = make_photograph(plan, index);
        MadeSet::write(plan.out / path, image);
        bytes += static_cast<std::int64_t>(image.size());
        ++made;
      },
      progress);
  set.finish();
  return {.made = made, .bytes = bytes};
}

std::vector<MakerOption> photograph_options() {
  return {{"images", "Number of images", 512, 1, 100'000'000},
          {"classes", "Number of classes", 10, 1, 100'000},
          seed_option(),
          {"width", "Width of most images in pixels; some are turned or cut", 500, 1, 16'384},
          {"height", "Height of most images in pixels", 375, 1, 16'384},
          {"quality", "JPEG quality, 1 to 100", 96, 1, 100}};
}

JpegFolderPlan photograph_plan(const MakerValues& values) {
  return {.out = values.out,
          .images = values.at("images"),
          .classes = values.at("classes"),
          .seed = static_cast<std::uint64_t>(values.at("seed")),
          .width = static_cast<int>(values.at("width")),
          .height = static_cast<int>(values.at("height")),
          .quality = static_cast<int>(values.at("quality"))};
}

const Maker& jpeg_folder_maker() {
  static const Maker row = {
      .kind = "jpeg_folder",
      .doc = "Photograph-like JPEG files in one sub-folder per class",
      .examples =
          "  A small set with the sizes of ImageNet's files (about 500 x 375, 109 kB each):\n"
          "    stepbench data make jpeg_folder --images 512 --classes 10 --out data/imagefolder\n"
          "  Large photographs, to see what data.decode: fast gains:\n"
          "    stepbench data make jpeg_folder --images 64 --classes 4 --width 3000 --height 2000 "
          "--out data/large\n"
          "Then measure:\n"
          "    STEPBENCH_DATA=data/imagefolder stepbench run configs/dataloader_sweep.yaml",
      .options = photograph_options(),
      .counted = "images",
      .make = [](const MakerValues& values, const MakeProgress& progress) {
        return make_jpeg_folder(photograph_plan(values), progress);
      }};
  return row;
}

namespace {

constexpr std::size_t kTarBlockBytes = 512;

// One shard in the ustar format; its bytes depend on the content alone.
class TarWriter {
 public:
  explicit TarWriter(const std::filesystem::path& path) : file_(path) {}

  void add(const std::string& name, std::span<const std::byte> content) {
    std::array<char, kTarBlockBytes> header{};
    const auto put = [&](std::size_t at, const std::string& text) {
      std::memcpy(header.data() + at, text.data(), text.size());
    };
    const auto octal = [](std::size_t value, int digits) {
      std::array<char, 16> text{};
      (void)std::snprintf(text.data(), text.size(), "%0*zo", digits, value);
      return std::string(text.data());
    };
    put(0, name);
    put(100, octal(0644, 7));
    put(108, octal(0, 7));
    put(116, octal(0, 7));
    put(124, octal(content.size(), 11));
    put(136, octal(0, 11));
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    put(263, "00");
    std::size_t sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6) + '\0');
    file_.append(std::as_bytes(std::span(header)));
    file_.append(content);
    const std::vector<std::byte> padding((kTarBlockBytes - content.size() % kTarBlockBytes) %
                                         kTarBlockBytes);
    file_.append(padding);
  }
  [[nodiscard]] std::int64_t finish() {
    file_.append(std::vector<std::byte>(2 * kTarBlockBytes));
    return file_.commit();
  }

 private:
  MadeFile file_;
};

std::string padded(std::int64_t value, int digits) {
  std::array<char, 32> text{};
  (void)std::snprintf(text.data(), text.size(), "%0*lld", digits, static_cast<long long>(value));
  return text.data();
}

void add_sample(TarWriter& tar, const JpegFolderPlan& plan, std::int64_t index) {
  const std::string key = padded(index, 8);
  const std::string label = std::to_string(index % plan.classes);
  const std::string facts = R"({"index":)" + std::to_string(index) + R"(,"class":)" + label + "}";
  tar.add(key + ".jpg", make_photograph(plan, index));
  tar.add(key + ".cls", std::as_bytes(std::span(label)));
  tar.add(key + ".json", std::as_bytes(std::span(facts)));
}

MadeFolder make_webdataset(const MakerValues& values, const MakeProgress& progress) {
  const JpegFolderPlan plan = photograph_plan(values);
  const std::int64_t shards = values.at("shards");
  if (plan.images < shards) {
    throw ConfigError("--shards",
                      formatted("{} shards cannot share {} images", shards, plan.images));
  }
  MadeSet set(values.out, maker_manifest(webdataset_maker(), values));
  const auto begin = [&](std::int64_t shard) {
    return plan.images / shards * shard + std::min(shard, plan.images % shards);
  };
  std::atomic<std::int64_t> made = 0;
  std::atomic<std::int64_t> bytes = 0;
  in_parallel(
      shards,
      [&](std::int64_t shard) {
        const std::string name = formatted("shard-{}.tar", padded(shard, 6));
        if (const std::int64_t present = set.size_of(name); present >= 0) {
          bytes += present;
          return;
        }
        TarWriter tar(values.out / name);
        for (std::int64_t i = begin(shard); i < begin(shard + 1); ++i) add_sample(tar, plan, i);
        bytes += tar.finish();
        ++made;
      },
      [&](std::int64_t done) {
        if (progress) progress(begin(done));
      });
  set.finish();
  return {.made = made, .bytes = bytes};
}

std::vector<MakerOption> sharded_options() {
  std::vector<MakerOption> options = photograph_options();
  options.push_back({"shards", "Number of tar files; each worker reads whole ones", 8, 1, 100'000});
  return options;
}

}  // namespace

const Maker& webdataset_maker() {
  static const Maker row = {
      .kind = "webdataset",
      .doc = "Tar shards of the images of jpeg_folder, with .jpg, .cls and .json for each",
      .examples =
          "    stepbench data make webdataset --images 512 --shards 8 --out data/shards\n"
          "  and in the configuration: data: {kind: webdataset, path: data/shards, classes: "
          "10}",
      .options = sharded_options(),
      .counted = "images",
      .make = make_webdataset};
  return row;
}

}  // namespace stepbench::data

// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/make_jpeg_folder.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <system_error>
#include <thread>

#include "harness/error.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

// Describes the set in its folder. While files are missing it has the second name.
constexpr const char* kManifest = "stepbench-data.txt";
constexpr const char* kUnfinished = "stepbench-data.unfinished.txt";

void check_range(const char* option, std::int64_t value, std::int64_t min, std::int64_t max) {
  if (value < min || value > max) {
    throw ConfigError(option, std::to_string(value) + " is outside " + std::to_string(min) +
                                  " to " + std::to_string(max));
  }
}

void check(const JpegFolderPlan& plan) {
  check_range("--images", plan.images, 1, 100'000'000);
  check_range("--classes", plan.classes, 1, 100'000);
  check_range("--width", plan.width, 1, 16'384);
  check_range("--height", plan.height, 1, 16'384);
  check_range("--quality", plan.quality, 1, 100);
  if (plan.images < plan.classes) {
    throw ConfigError("--images", std::to_string(plan.images) + " images cannot fill " +
                                      std::to_string(plan.classes) +
                                      " classes; every class needs one");
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

[[noreturn]] void cannot(const fs::path& path, const std::string& what) {
  throw ConfigError(path.string(),
                    "cannot be " + what + ": " + std::generic_category().message(errno));
}

void write_whole(const fs::path& path, const void* data, std::size_t size) {
  const std::string part = path.string() + ".part";
  errno = 0;
  std::FILE* file = std::fopen(part.c_str(), "wb");
  if (file == nullptr) cannot(part, "created");
  const bool written = std::fwrite(data, 1, size, file) == size;
  const bool closed = std::fclose(file) == 0;
  if (!written || !closed || std::rename(part.c_str(), path.c_str()) != 0) {
    const int reason = errno;
    std::remove(part.c_str());
    errno = reason;
    cannot(path, "written");
  }
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// True: the folder holds this very set, whole or in part. Throws when it holds anything else.
bool claims(const JpegFolderPlan& plan) {
  std::error_code error;
  if (!fs::exists(plan.out, error)) return false;
  if (!fs::is_directory(plan.out, error))
    throw ConfigError(plan.out.string(), "exists and is not a folder");
  for (const char* name : {kManifest, kUnfinished}) {
    if (!fs::exists(plan.out / name, error)) continue;
    if (read_text(plan.out / name) == manifest(plan)) return true;
    throw ConfigError(plan.out.string(), "holds another made set, see " + std::string(name) +
                                             " in it; name another folder or remove this one");
  }
  const bool empty = fs::is_empty(plan.out, error);
  if (error) throw ConfigError(plan.out.string(), "cannot be listed: " + error.message());
  if (!empty) throw ConfigError(plan.out.string(), "is not empty; name a new or an empty folder");
  return false;
}

fs::path path_of(const JpegFolderPlan& plan, std::int64_t index) {
  const auto padded = [](std::int64_t value, int digits) {
    std::string text = std::to_string(value);
    return std::string(
               static_cast<std::size_t>(std::max(0, digits - static_cast<int>(text.size()))), '0') +
           text;
  };
  return plan.out / ("class_" + padded(index % plan.classes, 5)) /
         ("image_" + padded(index, 8) + ".jpg");
}

// Worker threads take the next index until none is left or one failed.
class Makers {
 public:
  Makers(const JpegFolderPlan& plan, MadeFolder& result) : plan_(plan), result_(result) {}

  void run(const MakeProgress& progress) {
    const auto cores = std::max(1U, std::thread::hardware_concurrency());
    const auto count = std::min<std::int64_t>(std::min(cores, 16U), plan_.images);
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < count; ++i) threads.emplace_back([this] { work(); });
    std::unique_lock lock(mutex_);
    for (std::int64_t shown = 0; !error_ && shown < plan_.images;) {
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
  void work() {
    for (;;) {
      const std::int64_t index = next_++;
      if (index >= plan_.images) return;
      try {
        const fs::path path = path_of(plan_, index);
        std::error_code missing;
        const auto present = static_cast<std::int64_t>(fs::file_size(path, missing));
        std::int64_t bytes = present;
        if (missing || present == 0) {
          const std::vector<std::byte> image = make_photograph(plan_, index);
          write_whole(path, image.data(), image.size());
          bytes = static_cast<std::int64_t>(image.size());
        }
        const std::lock_guard lock(mutex_);
        result_.bytes += bytes;
        result_.made += missing || present == 0 ? 1 : 0;
        ++done_;
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = std::current_exception();
        next_ = plan_.images;
      }
      changed_.notify_one();
    }
  }

  const JpegFolderPlan& plan_;
  MadeFolder& result_;
  std::atomic<std::int64_t> next_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t done_ = 0;
  std::exception_ptr error_;
};

}  // namespace

MadeFolder make_jpeg_folder(const JpegFolderPlan& plan, const MakeProgress& progress) {
  check(plan);
  std::error_code error;
  if (!claims(plan)) {
    fs::create_directories(plan.out, error);
    if (error) throw ConfigError(plan.out.string(), "cannot be created: " + error.message());
    const std::string text = manifest(plan);
    write_whole(plan.out / kUnfinished, text.data(), text.size());
  }
  for (std::int64_t label = 0; label < plan.classes; ++label) {
    const fs::path folder = path_of(plan, label).parent_path();
    fs::create_directories(folder, error);
    if (error) throw ConfigError(folder.string(), "cannot be created: " + error.message());
  }
  MadeFolder result;
  Makers(plan, result).run(progress);
  if (fs::exists(plan.out / kUnfinished, error))
    fs::rename(plan.out / kUnfinished, plan.out / kManifest);
  return result;
}

}  // namespace stepbench

// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

#include "harness/base/error.h"
#include "workloads/loader/preview/picture.h"

namespace stepbench::loader {

void write_png(const Picture& picture, const std::filesystem::path& file) {
  const auto refuse = [&](const std::string& what) { throw ConfigError(file.string(), what); };
  // x: never overwrite a file.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> to(std::fopen(file.c_str(), "wbx"),
                                                           std::fclose);
  if (to == nullptr && errno == EEXIST) refuse("already exists; nothing is overwritten");
  if (to == nullptr) refuse("cannot be made: " + std::generic_category().message(errno));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = PNG_FORMAT_RGB;
  const bool written =
      png_image_write_to_stdio(&image, to.get(), 0, picture.rgb.data(), 0, nullptr) != 0;
  if (written && std::fflush(to.get()) == 0) return;
  const std::string reason = written ? std::generic_category().message(errno) : image.message;
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  refuse("cannot be written: " + reason);
}

}  // namespace stepbench::loader

// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/formats/web_samples.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "workloads/data/file_kind.h"

namespace stepbench::data {
namespace {

constexpr std::uint64_t kMaxImageBytes = std::uint64_t{1} << 28;
constexpr std::uint64_t kMaxLabelBytes = 64;
constexpr std::int64_t kNoNumber = -2;

struct Name {
  std::string_view key;
  std::string extension;  // in lower case
};

// WebDataset's base_plus_ext: the extension begins at the first dot of the last path component.
Name split(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.find('.', slash == std::string_view::npos ? 0 : slash + 1);
  if (dot == std::string_view::npos) return {path, ""};
  std::string extension(path.substr(dot + 1));
  std::ranges::transform(extension, extension.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return {path.substr(0, dot), extension};
}

}  // namespace

bool WebSamples::next(WebSample& sample) {
  if (ended_ || broken_) return false;
  if (!pending_ && !advance()) return false;
  sample.key = split(pending_->name).key;
  sample.offset = pending_->offset;
  sample.image.clear();
  sample.label = -1;
  sample.number = count_++;
  while (pending_ && split(pending_->name).key == sample.key) {
    take(sample);
    pending_.reset();
    if (!advance()) break;
  }
  if (sample.label == kNoNumber) {
    throw file_error(path(), sample.offset, sample.key + ".cls is no class number");
  }
  if (sample.image.empty() || sample.label < 0) {
    throw file_error(path(), sample.offset,
                     "sample '" + sample.key + "' has no " +
                         (sample.image.empty() ? ".jpg" : ".cls") + " entry");
  }
  return true;
}

bool WebSamples::advance() {
  TarReader::Entry entry;
  try {
    ended_ = !tar_.next(entry);
  } catch (...) {
    broken_ = true;
    throw;
  }
  if (!ended_) pending_ = std::move(entry);
  return !ended_;
}

void WebSamples::take(WebSample& sample) {
  const TarReader::Entry& entry = *pending_;
  const std::string extension = split(entry.name).extension;
  const bool image = extension == "jpg" || extension == "jpeg";
  if (!image && extension != "cls") return;
  try {
    tar_.read(entry, image ? kMaxImageBytes : kMaxLabelBytes, image ? sample.image : text_);
  } catch (...) {
    broken_ = true;
    throw;
  }
  if (!image) sample.label = parse_label();
}

std::int64_t WebSamples::parse_label() const {
  std::string_view text(reinterpret_cast<const char*>(text_.data()), text_.size());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  std::int64_t label = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), label);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && label >= 0 ? label : kNoNumber;
}

}  // namespace stepbench::data

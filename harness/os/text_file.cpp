// SPDX-License-Identifier: Apache-2.0
#include "harness/os/text_file.h"

#include <fcntl.h>

#include <array>
#include <charconv>
#include <fstream>

#include "harness/os/descriptor.h"

namespace stepbench::os {

std::optional<std::string> read_text(const std::filesystem::path& file) {
  const Descriptor descriptor{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (!descriptor.is_open()) return std::nullopt;
  std::string text;
  std::array<char, 4096> buffer;
  for (;;) {
    const ssize_t count = ::read(descriptor.value(), buffer.data(), buffer.size());
    if (count < 0) return std::nullopt;
    if (count == 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

std::string first_bytes(const std::filesystem::path& file, std::size_t most) {
  std::string bytes(most, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(bytes.data(), static_cast<std::streamsize>(most));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

std::optional<std::string> read_line(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text) return std::nullopt;
  return std::string{trim(std::string_view{*text}.substr(0, text->find('\n')))};
}

std::optional<std::int64_t> read_integer(const std::filesystem::path& file) {
  const auto line = read_line(file);
  return line ? parse_integer(*line) : std::nullopt;
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split_words(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = text.find_first_of(kBlank, at);
    words.push_back(text.substr(at, end - at));
    at = end == std::string_view::npos ? end : text.find_first_not_of(kBlank, end);
  }
  return words;
}

std::optional<std::string> selected_word(std::string_view line) {
  const std::size_t open = line.find('[');
  const std::size_t close = line.find(']', open);
  if (open == std::string_view::npos || close == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(open + 1, close - open - 1));
}

std::optional<std::string_view> find_field(std::string_view text, std::string_view name) {
  constexpr std::string_view kSeparators = " \t:";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(name) && line.size() > name.size() &&
        kSeparators.find(line[name.size()]) != std::string_view::npos) {
      const std::size_t value = line.find_first_not_of(kSeparators, name.size());
      return value == std::string_view::npos ? std::string_view{} : trim(line.substr(value));
    }
    at = end + 1;
  }
  return std::nullopt;
}

}  // namespace stepbench::os

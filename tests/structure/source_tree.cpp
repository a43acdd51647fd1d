// SPDX-License-Identifier: Apache-2.0
#include "tests/structure/source_tree.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

namespace stepbench::structure {

std::vector<std::string> tracked_files(const std::filesystem::path& root) {
  const std::string command =
      "git -c safe.directory='*' -C '" + root.string() + "' ls-files 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::vector<std::string> lines;
  std::array<char, 4096> buffer{};
  while (pipe && std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
    std::string line = buffer.data();
    if (line.ends_with('\n')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> sources(const std::filesystem::path& root, const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
    const std::string extension = entry.path().extension().string();
    const std::string path = entry.path().lexically_relative(root).generic_string();
    if ((extension == ".h" || extension == ".cpp") && !path.starts_with("tools/examples/")) {
      found.push_back(path);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::set<std::string> public_headers() {
  std::ifstream in(STEPBENCH_PUBLIC_HEADERS);
  std::set<std::string> headers;
  for (std::string line; std::getline(in, line);) headers.insert(line);
  return headers;
}

std::string text_of(const std::filesystem::path& root, const std::string& file) {
  std::ifstream in(root / file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<Include> includes_of(const std::filesystem::path& root, const std::string& file) {
  std::vector<Include> found;
  std::ifstream in(root / file);
  std::string text;
  for (int line = 1; std::getline(in, text); ++line) {
    const std::size_t hash = text.find_first_not_of(" \t");
    if (hash == std::string::npos || text[hash] != '#') continue;
    const std::size_t word = text.find_first_not_of(" \t", hash + 1);
    if (word == std::string::npos || text.compare(word, 7, "include") != 0) continue;
    const std::size_t open = text.find_first_of("\"<", word + 7);
    if (open == std::string::npos) continue;
    const bool angled = text[open] == '<';
    const std::size_t close = text.find(angled ? '>' : '"', open + 1);
    if (close == std::string::npos) continue;
    found.push_back({file, line, text.substr(open + 1, close - open - 1), angled});
  }
  return found;
}

std::string part_of(const std::string& path) {
  const std::size_t first = path.find('/');
  if (first == std::string::npos) return path;
  const std::size_t second = path.find('/', first + 1);
  return path.substr(0, second == std::string::npos ? first : second);
}

}  // namespace stepbench::structure

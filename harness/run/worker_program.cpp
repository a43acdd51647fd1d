// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_program.h"

#include <elf.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/os/descriptor.h"
#include "harness/os/text_file.h"
#include "harness/run/spawn.h"

namespace stepbench {
namespace {

namespace fs = std::filesystem;

template <class Header>
bool read_at(const Descriptor& file, std::uint64_t offset, Header& into) {
  return ::pread(file.value(), &into, sizeof into, static_cast<off_t>(offset)) ==
         static_cast<ssize_t>(sizeof into);
}

std::string to_hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    text += kDigits[value >> 4U];
    text += kDigits[value & 15U];
  }
  return text;
}

std::size_t align4(std::size_t size) { return (size + 3) & ~std::size_t{3}; }

std::optional<std::string> build_id_in_notes(std::string_view notes) {
  for (Elf64_Nhdr header{}; notes.size() >= sizeof header;) {
    std::memcpy(&header, notes.data(), sizeof header);
    const std::size_t name_at = sizeof header;
    const std::size_t value_at = name_at + align4(header.n_namesz);
    const std::size_t end = value_at + align4(header.n_descsz);
    if (end > notes.size()) return std::nullopt;
    if (header.n_type == NT_GNU_BUILD_ID &&
        notes.substr(name_at, 4) == std::string_view{"GNU\0", 4}) {
      return to_hex(notes.substr(value_at, header.n_descsz));
    }
    notes.remove_prefix(end);
  }
  return std::nullopt;
}

std::optional<std::string> elf_build_id(const fs::path& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  Elf64_Ehdr elf{};
  if (!file.is_open() || !read_at(file, 0, elf) || std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
      elf.e_ident[EI_CLASS] != ELFCLASS64 || elf.e_phentsize != sizeof(Elf64_Phdr)) {
    return std::nullopt;
  }
  constexpr std::size_t kMaxNoteBytes = std::size_t{1} << 20;
  for (std::size_t index = 0; index < elf.e_phnum; ++index) {
    Elf64_Phdr segment{};
    if (!read_at(file, elf.e_phoff + index * sizeof segment, segment)) return std::nullopt;
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMaxNoteBytes) continue;
    std::string notes(segment.p_filesz, '\0');
    if (::pread(file.value(), notes.data(), notes.size(), static_cast<off_t>(segment.p_offset)) !=
        static_cast<ssize_t>(notes.size())) {
      continue;
    }
    if (auto id = build_id_in_notes(notes)) return id;
  }
  return std::nullopt;
}

}  // namespace

std::string program_build_id(const fs::path& file) {
  if (auto id = elf_build_id(file)) return *id;
  const auto content = read_text(file);
  if (!content) throw ConfigError(file.string(), "cannot be read");
  return digest(*content);
}

WorkerProgram find_worker(const std::string& asked, const fs::path& program_dir) {
  if (!asked.empty()) {
    std::error_code ignored;
    const bool here = asked.find('/') == std::string::npos && fs::is_regular_file(asked, ignored);
    const std::string path = resolve_program(here ? "./" + asked : asked, {});
    return {fs::absolute(path), program_build_id(path)};
  }
  const std::vector<fs::path> places = {program_dir / "stepbench-worker",
                                        program_dir / "../libexec/stepbench/stepbench-worker"};
  for (const fs::path& place : places) {
    std::error_code ignored;
    if (fs::is_regular_file(place, ignored) && ::access(place.c_str(), X_OK) == 0) {
      return {place, program_build_id(place)};
    }
  }
  throw ConfigError(places.front().string(),
                    "there is no worker program. Build it with `tools/setup && cmake --preset ci "
                    "&& cmake --build "
                    "--preset ci --target stepbench-worker`, or name one with --worker PATH");
}

}  // namespace stepbench

// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/data_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/json_text.h"
#include "harness/json/line_object.h"
#include "harness/os/descriptor.h"
#include "workloads/data/internal/mapped_file.h"
#include "workloads/data/internal/unreadable_files.h"

namespace stepbench::data {
namespace {

[[noreturn]] void raise(const char* doing, int code) {
  throw Error(std::string(doing) + ": " + std::generic_category().message(code));
}

}  // namespace

void read_file(const std::string& path, std::size_t max_bytes, std::vector<std::byte>& bytes) {
  // O_NONBLOCK: the path may have become a pipe since it was listed.
  const os::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) raise("cannot be opened", errno);
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) raise("cannot be inspected", errno);
  if (!S_ISREG(status.st_mode)) throw Error("is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > max_bytes) {
    throw Error(formatted("has {} bytes, more than the limit of {}", size, max_bytes));
  }
  bytes.resize(size);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n =
        ::pread(file.value(), bytes.data() + got, size - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise("cannot be read", errno);
    if (n == 0) break;  // truncated while being read
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
}

namespace {

constexpr std::size_t kDigestBlockBytes = std::size_t{1} << 16;

}  // namespace

std::string file_digest(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) throw Error(path + " cannot be opened");
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::array<char, kDigestBlockBytes> block;
  while (const std::size_t bytes = std::fread(block.data(), 1, block.size(), file.get())) {
    XXH3_128bits_update(state.get(), block.data(), bytes);
  }
  if (std::ferror(file.get()) != 0) throw Error(path + " cannot be read");
  std::array<char, 17> text{};
  (void)std::snprintf(text.data(), text.size(), "%016llx",
                      static_cast<unsigned long long>(XXH3_128bits_digest(state.get()).high64));
  return text.data();
}

namespace {

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // the limit of the format's own reader

struct Type {
  std::string_view name;
  std::uint64_t bytes;
  std::optional<DType> dtype;
};
constexpr Type kTypes[] = {
    {"U8", 1, DType::kUInt8},  {"BOOL", 1, DType::kUInt8},   {"I32", 4, DType::kInt32},
    {"I64", 8, DType::kInt64}, {"F32", 4, DType::kFloat32},  {"I8", 1, std::nullopt},
    {"I16", 2, std::nullopt},  {"U16", 2, std::nullopt},     {"F16", 2, std::nullopt},
    {"BF16", 2, std::nullopt}, {"U32", 4, std::nullopt},     {"U64", 8, std::nullopt},
    {"F64", 8, std::nullopt},  {"F8_E4M3", 1, std::nullopt}, {"F8_E5M2", 1, std::nullopt}};

class Header {
 public:
  explicit Header(const MappedFile& file) : file_(file) {
    const std::span<const std::byte> bytes = file.bytes();
    if (bytes.size() < kLengthBytes) {
      throw file_error(
          file.path(), 0,
          formatted("expected 8 bytes with the header's length, the file has {}", bytes.size()));
    }
    length_ = load_little<std::uint64_t>(bytes.data());
    if (length_ > bytes.size() - kLengthBytes || length_ > kMaxHeaderBytes) {
      throw file_error(file.path(), 0,
                       formatted("the header's length is given as {} bytes, more than follow{}",
                                 length_, looks_like(bytes)));
    }
    data_ = bytes.size() - kLengthBytes - length_;
  }

  [[nodiscard]] std::vector<StoredTensor> tensors() const {
    const auto* text = reinterpret_cast<const char*>(file_.bytes().data()) + kLengthBytes;
    json::LineParser parser;
    const auto json = parser.parse_value({text, length_});
    if (!json) refuse("the header is not JSON" + looks_like(file_.bytes()));
    const auto object = json->object();
    if (!object) refuse("the header is not a JSON object");
    std::vector<StoredTensor> tensors;
    for (const auto& [name, entry] : object->members()) {
      if (name != "__metadata__") tensors.push_back(tensor(std::string(name), entry));
    }
    std::ranges::sort(tensors, {}, &StoredTensor::begin);
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      const StoredTensor& before = tensors[i - 1];
      if (before.begin + before.bytes > tensors[i].begin) {
        throw file_error(file_.path(), tensors[i].begin,
                         formatted("tensor '{}' overlaps '{}'", tensors[i].name, before.name));
      }
    }
    return tensors;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw file_error(file_.path(), kLengthBytes, what);
  }

  [[nodiscard]] std::vector<std::uint64_t> numbers(const std::string& name,
                                                   const json::LineObject& entry,
                                                   const char* key) const {
    const auto found = entry.find(key);
    const auto elements = found ? found->elements() : std::nullopt;
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; elements && i < elements->size(); ++i) {
      if (const auto value = (*elements)[i].natural()) values.push_back(*value);
    }
    if (!elements || values.size() != elements->size()) {
      refuse(formatted("tensor '{}' has no {} of whole numbers", name, key));
    }
    return values;
  }

  [[nodiscard]] StoredTensor tensor(const std::string& name, const json::JsonView& view) const {
    const auto entry = view.object();
    if (!entry) refuse(formatted("tensor '{}' is not described by an object", name));
    const auto dtype = entry->find("dtype");
    if (!dtype || !dtype->text()) refuse(formatted("tensor '{}' has no dtype", name));
    StoredTensor tensor{.name = name, .type = std::string(*dtype->text())};
    const auto* type = std::ranges::find(kTypes, std::string_view(tensor.type), &Type::name);
    if (type == std::end(kTypes)) {
      refuse(formatted("tensor '{}' has the unknown dtype '{}'", name, tensor.type));
    }
    tensor.dtype = type->dtype;
    std::optional<std::uint64_t> bytes = type->bytes;
    for (const std::uint64_t extent : numbers(name, *entry, "shape")) {
      if (bytes) bytes = product(*bytes, extent);
      if (extent > std::uint64_t{INT64_MAX}) bytes.reset();
      tensor.shape.push_back(static_cast<std::int64_t>(extent));
    }
    const std::vector<std::uint64_t> offsets = numbers(name, *entry, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_) {
      refuse(formatted("tensor '{}' does not lie within the {} bytes of data", name, data_));
    }
    tensor.begin = kLengthBytes + length_ + offsets[0];
    tensor.bytes = offsets[1] - offsets[0];
    if (!bytes || *bytes != tensor.bytes) {
      throw file_error(
          file_.path(), tensor.begin,
          formatted("tensor '{}' has {} bytes of data, its shape and dtype need {}", name,
                    tensor.bytes, bytes ? std::to_string(*bytes) : "more than any file has"));
    }
    return tensor;
  }

  const MappedFile& file_;
  std::uint64_t length_ = 0;
  std::uint64_t data_ = 0;  // bytes after the header
};

}  // namespace

std::vector<StoredTensor> read_safetensors(const MappedFile& file) {
  return Header(file).tensors();
}

std::string safetensors_header(std::span<const StoredTensor> tensors) {
  std::map<std::string, std::string> entries;  // by name
  std::int64_t begin = 0;
  for (const StoredTensor& tensor : tensors) {
    const std::int64_t end = begin + static_cast<std::int64_t>(tensor.bytes);
    json::JsonText entry;
    const std::int64_t offsets[] = {begin, end};
    entry.open_object().integers("data_offsets", offsets).text("dtype", tensor.type);
    entries[tensor.name] = entry.integers("shape", tensor.shape).close_object().take();
    begin = end;
  }
  json::JsonText json;
  json.open_object();
  for (const auto& [name, entry] : entries) json.json(name, entry);
  std::string text = json.close_object().take();
  // Align the data.
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes, ' ');
  std::string header;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    header += static_cast<char>(text.size() >> (8 * i) & 0xff);
  }
  return header + text;
}

}  // namespace stepbench::data

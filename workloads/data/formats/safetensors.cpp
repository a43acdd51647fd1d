// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/formats/safetensors.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "workloads/data/file_kind.h"
#include "workloads/data/formats/stored_value.h"

namespace stepbench::data {
namespace {

using Json = nlohmann::json;

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
      throw file_error(file.path(), 0,
                       "expected 8 bytes with the header's length, the file has " +
                           std::to_string(bytes.size()));
    }
    length_ = load_little<std::uint64_t>(bytes.data());
    if (length_ > bytes.size() - kLengthBytes || length_ > kMaxHeaderBytes) {
      throw file_error(file.path(), 0,
                       "the header's length is given as " + std::to_string(length_) +
                           " bytes, more than follow" + looks_like(bytes));
    }
    data_ = bytes.size() - kLengthBytes - length_;
  }

  [[nodiscard]] std::vector<StoredTensor> tensors() const {
    const auto* text = reinterpret_cast<const char*>(file_.bytes().data()) + kLengthBytes;
    Json json;
    try {
      json = Json::parse(text, text + length_);
    } catch (const Json::parse_error& error) {
      throw file_error(file_.path(), kLengthBytes + (error.byte == 0 ? 0 : error.byte - 1),
                       "the header is not JSON" + looks_like(file_.bytes()));
    } catch (const Json::out_of_range&) {
      throw file_error(file_.path(), kLengthBytes, "the header holds a number beyond all doubles");
    }
    if (!json.is_object()) refuse("the header is not a JSON object");
    std::vector<StoredTensor> tensors;
    for (const auto& [name, entry] : json.items()) {
      if (name != "__metadata__") tensors.push_back(tensor(name, entry));
    }
    std::ranges::sort(tensors, {}, &StoredTensor::begin);
    for (std::size_t i = 1; i < tensors.size(); ++i) {
      const StoredTensor& before = tensors[i - 1];
      if (before.begin + before.bytes > tensors[i].begin) {
        throw file_error(file_.path(), tensors[i].begin,
                         "tensor '" + tensors[i].name + "' overlaps '" + before.name + "'");
      }
    }
    return tensors;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw file_error(file_.path(), kLengthBytes, what);
  }

  [[nodiscard]] std::vector<std::uint64_t> numbers(const std::string& name, const Json& entry,
                                                   const char* key) const {
    const auto found = entry.find(key);
    std::vector<std::uint64_t> values;
    bool good = found != entry.end() && found->is_array();
    if (good) {
      for (const Json& value : *found) {
        good = good && value.is_number_unsigned();
        if (good) values.push_back(value.get<std::uint64_t>());
      }
    }
    if (!good) refuse("tensor '" + name + "' has no " + key + " of whole numbers");
    return values;
  }

  [[nodiscard]] StoredTensor tensor(const std::string& name, const Json& entry) const {
    if (!entry.is_object()) refuse("tensor '" + name + "' is not described by an object");
    const auto dtype = entry.find("dtype");
    if (dtype == entry.end() || !dtype->is_string()) refuse("tensor '" + name + "' has no dtype");
    StoredTensor tensor{.name = name, .type = dtype->get<std::string>()};
    const auto* type = std::ranges::find(kTypes, std::string_view(tensor.type), &Type::name);
    if (type == std::end(kTypes)) {
      refuse("tensor '" + name + "' has the unknown dtype '" + tensor.type + "'");
    }
    tensor.dtype = type->dtype;
    std::optional<std::uint64_t> bytes = type->bytes;
    for (const std::uint64_t extent : numbers(name, entry, "shape")) {
      if (bytes) bytes = product(*bytes, extent);
      if (extent > std::uint64_t{INT64_MAX}) bytes.reset();
      tensor.shape.push_back(static_cast<std::int64_t>(extent));
    }
    const std::vector<std::uint64_t> offsets = numbers(name, entry, "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1] || offsets[1] > data_) {
      refuse("tensor '" + name + "' does not lie within the " + std::to_string(data_) +
             " bytes of data");
    }
    tensor.begin = kLengthBytes + length_ + offsets[0];
    tensor.bytes = offsets[1] - offsets[0];
    if (!bytes || *bytes != tensor.bytes) {
      throw file_error(file_.path(), tensor.begin,
                       "tensor '" + name + "' has " + std::to_string(tensor.bytes) +
                           " bytes of data, its shape and dtype need " +
                           (bytes ? std::to_string(*bytes) : "more than any file has"));
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
  Json json = Json::object();
  std::uint64_t begin = 0;
  for (const StoredTensor& tensor : tensors) {
    const std::uint64_t end = begin + tensor.bytes;
    json[tensor.name] = {
        {"dtype", tensor.type}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = json.dump();
  text.resize((text.size() + kLengthBytes - 1) / kLengthBytes * kLengthBytes,
              ' ');  // data lies even
  std::string header;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    header += static_cast<char>(text.size() >> (8 * i) & 0xff);
  }
  return header + text;
}

}  // namespace stepbench::data

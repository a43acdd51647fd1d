// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/data_kinds.h"

#include <algorithm>
#include <string>

#include "harness/base/error.h"
#include "workloads/data/formats/cifar_bin.h"
#include "workloads/data/formats/mnist_idx.h"
#include "workloads/data/formats/tensor_files.h"
#include "workloads/data/formats/token_bin.h"
#include "workloads/data/formats/web_dataset.h"
#include "workloads/data/generate/make_formats.h"
#include "workloads/data/generate/make_jpeg_folder.h"
#include "workloads/data/generate/make_webdataset.h"
#include "workloads/data/jpeg/jpeg_folder.h"
#include "workloads/data/python_kind.h"
#include "workloads/data/python_parts.h"
#include "workloads/data/synthetic/synthetic.h"
#include "workloads/data/synthetic/synthetic_tokens.h"

namespace stepbench::data {
namespace {

DataKind made(DataKind kind, const Maker& maker) {
  kind.maker = &maker;
  return kind;
}

// The catalogue's digest depends on this order: append new kinds.
std::vector<DataKind> table() {
  return {
      made(jpeg_folder_kind(), jpeg_folder_maker()),
      synthetic_kind(),
      synthetic_tokens_kind(),
      made(mnist_idx_kind(), mnist_idx_maker()),
      made(cifar_bin_kind(), cifar_bin_maker()),
      made(token_bin_kind(), token_bin_maker()),
      made(safetensors_kind(), safetensors_maker()),
      made(raw_tensor_kind(), raw_tensor_maker()),
      made(webdataset_kind(), webdataset_maker()),
      python_kind(),
  };
}

}  // namespace

const std::vector<DataKind>& data_kinds() {
  static const std::vector<DataKind> all = table();
  return all;
}

const DataKind& data_kind(std::string_view name) {
  for (const DataKind& kind : data_kinds()) {
    if (kind.variant.name == name) return kind;
  }
  throw ConfigError("data.kind", "unknown data kind '" + std::string(name) + "'");
}

const DataKind& data_kind(const ResolvedCase& resolved) {
  return data_kind(resolved.text("data.kind"));
}

std::unique_ptr<Dataset> make_dataset(const ResolvedCase& resolved, PythonParts* python) {
  const DataKind& kind = data_kind(resolved);
  if (kind.open != nullptr) return kind.open(resolved);
  if (python == nullptr) {
    throw ConfigError("data.kind", kind.variant.name + " is read only by stepbench-worker");
  }
  return python->open_dataset(resolved);
}

std::vector<const Maker*> makers() {
  std::vector<const Maker*> all;
  for (const DataKind& kind : data_kinds()) {
    if (kind.maker != nullptr) all.push_back(kind.maker);
  }
  return all;
}

}  // namespace stepbench::data

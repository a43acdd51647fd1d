// SPDX-License-Identifier: Apache-2.0
#include "harness/record/pack.h"

#include <libdeflate.h>

#include <memory>
#include <new>

namespace stepbench::record {

std::string gzip_text(std::string_view text, int level) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> compressor(
      libdeflate_alloc_compressor(level), libdeflate_free_compressor);
  if (!compressor) throw std::bad_alloc();
  std::string packed(libdeflate_gzip_compress_bound(compressor.get(), text.size()), '\0');
  packed.resize(libdeflate_gzip_compress(compressor.get(), text.data(), text.size(), packed.data(),
                                         packed.size()));
  return packed;
}

}  // namespace stepbench::record

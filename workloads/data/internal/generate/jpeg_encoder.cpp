// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/generate/jpeg_encoder.h"

#include <array>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it
#include <cstdlib>
#include <memory>
#include <string>

extern "C" {
#include <jpeglib.h>
}

#include "harness/base/error.h"

namespace stepbench::data {
namespace {

// As in jpeg_decoder.cpp, calls into libjpeg are in a function without destructors.
struct Compression {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  std::jmp_buf escape;
  std::array<char, JMSG_LENGTH_MAX> message = {};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;

  bool run(const std::uint8_t* pixels, const JpegEncoding& encoding) noexcept {
    info.err = jpeg_std_error(&errors);
    info.client_data = this;
    errors.error_exit = [](j_common_ptr common) {
      auto* self = static_cast<Compression*>(common->client_data);
      (*common->err->format_message)(common, self->message.data());
      std::longjmp(self->escape, 1);
    };
    if (setjmp(escape) != 0) return false;
    jpeg_create_compress(&info);
    info.client_data = this;
    jpeg_mem_dest(&info, &bytes, &size);
    info.image_width = static_cast<JDIMENSION>(encoding.width);
    info.image_height = static_cast<JDIMENSION>(encoding.height);
    info.input_components = encoding.components;
    info.in_color_space = encoding.components == 1   ? JCS_GRAYSCALE
                          : encoding.components == 3 ? JCS_RGB
                                                     : JCS_CMYK;
    jpeg_set_defaults(&info);
    jpeg_set_quality(&info, encoding.quality, TRUE);
    if (encoding.components == 3) {
      info.comp_info[0].h_samp_factor = encoding.chroma_horizontal;
      info.comp_info[0].v_samp_factor = encoding.chroma_vertical;
    }
    if (encoding.progressive) jpeg_simple_progression(&info);
    info.restart_in_rows = encoding.restart_rows;
    info.optimize_coding = encoding.own_codes ? TRUE : FALSE;
    jpeg_start_compress(&info, TRUE);
    const std::size_t stride =
        static_cast<std::size_t>(encoding.width) * static_cast<std::size_t>(encoding.components);
    while (info.next_scanline < info.image_height) {
      auto* row =
          const_cast<JSAMPROW>(pixels + info.next_scanline * stride);  // libjpeg only reads it
      (void)jpeg_write_scanlines(&info, &row, 1);
    }
    jpeg_finish_compress(&info);
    return true;
  }
};

}  // namespace

std::vector<std::byte> encode_jpeg(std::span<const std::uint8_t> pixels,
                                   const JpegEncoding& encoding) {
  const auto work = std::make_unique<Compression>();
  const bool good = work->run(pixels.data(), encoding);
  jpeg_destroy_compress(&work->info);
  std::vector<std::byte> file;
  if (good) {
    const auto* begin = reinterpret_cast<const std::byte*>(work->bytes);
    file.assign(begin, begin + work->size);
  }
  std::free(work->bytes);  // jpeg_mem_dest uses malloc
  if (!good) throw Error(std::string("JPEG encoding: ") + work->message.data());
  return file;
}

}  // namespace stepbench::data

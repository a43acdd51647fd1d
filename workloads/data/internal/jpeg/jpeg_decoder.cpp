// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/internal/jpeg/jpeg_decoder.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it

extern "C" {
#include <jerror.h>
#include <jpeglib.h>
}

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "workloads/data/internal/jpeg/huffman_scan.h"

namespace stepbench::data {

struct JpegErrors {
  jpeg_error_mgr base;  // first member: libjpeg passes a pointer to it
  std::jmp_buf escape;
  std::array<char, JMSG_LENGTH_MAX> message;
};

namespace {

// More scans than any encoder writes. Without a limit, a small file can take hours.
constexpr int kMaxScans = 500;
// A block of 64 pixels takes at least one bit in Huffman coding.
constexpr std::int64_t kMaxPixelsPerByte = 512;
// Smooth upsampling reads one chroma sample, at most four pixels, to each side.
constexpr std::int64_t kMargin = 8;

// Harmless warnings: Pillow and other decoders read such files silently. All other warnings mean
// lost image data.
bool is_harmless(int warning) {
  return warning == JWRN_EXTRANEOUS_DATA || warning == JWRN_JFIF_MAJOR ||
         warning == JWRN_ADOBE_XFORM || warning == JWRN_BOGUS_ICC;
}

[[noreturn]] void escape(j_common_ptr info) {
  auto* errors = reinterpret_cast<JpegErrors*>(info->err);
  (*info->err->format_message)(info, errors->message.data());
  std::longjmp(errors->escape, 1);
}

void on_message(j_common_ptr info, int level) {
  if (level < 0 && !is_harmless(info->err->msg_code)) escape(info);
}

void no_output(j_common_ptr) {}

void limit_scans(j_common_ptr info) {
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMaxScans) {
    info->err->msg_code = JERR_BAD_PROGRESSION;
    escape(info);
  }
}

// Converts CMYK to RGB like Pillow; `row` holds inverted CMYK and receives RGBX.
void cmyk_to_rgb(std::uint8_t* row, std::size_t pixels) {
  for (std::size_t x = 0; x < pixels; ++x, row += 4) {
    const int light = row[3];  // 255 - black
    for (int c = 0; c < 3; ++c) {
      const int product = (255 - row[c]) * light + 128;
      row[c] =
          static_cast<std::uint8_t>(std::clamp(light - ((product + (product >> 8)) >> 8), 0, 255));
    }
  }
}

bool has_end_marker(const JOCTET* begin, const JOCTET* end) {
  for (const JOCTET* p = end - 1; p > begin; --p) {
    if (p[0] == JPEG_EOI && p[-1] == 0xFF) return true;
  }
  return false;
}

}  // namespace

// libjpeg reports errors by longjmp. All calls into it are in the noexcept functions below, which
// hold no object with a destructor and return false after a jump; the exception is thrown
// afterwards.
struct JpegDecoder::State {
  jpeg_decompress_struct info;
  JpegErrors errors;
  jpeg_progress_mgr progress;
  const JOCTET* file_end;
  std::int64_t skip_left;  // pixels in a decoded row before the region
  HuffmanScan huffman;

  bool create() noexcept {
    info.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = escape;
    errors.base.emit_message = on_message;
    errors.base.output_message = no_output;
    if (setjmp(errors.escape) != 0) return false;
    jpeg_create_decompress(&info);
    progress = {};
    progress.progress_monitor = limit_scans;
    info.progress = &progress;
    return true;
  }
  bool read_header(const unsigned char* data, unsigned long size) noexcept {
    if (setjmp(errors.escape) != 0) return false;
    jpeg_mem_src(&info, data, size);
    (void)jpeg_read_header(&info, TRUE);
    return true;
  }
  bool shrink(unsigned divisor) noexcept {
    if (setjmp(errors.escape) != 0) return false;
    info.scale_num = 1;
    info.scale_denom = divisor;
    jpeg_calc_output_dimensions(&info);
    return true;
  }
  // On return, `left` and `width` are the columns of the region, widened to whole blocks.
  bool start(JDIMENSION& left, JDIMENSION& width) noexcept {
    if (setjmp(errors.escape) != 0) return false;
    (void)jpeg_start_decompress(&info);
    width = std::min(width, info.output_width - left);
    if (width < info.output_width) {
      jpeg_crop_scanline(&info, &left, &width);
    } else {
      left = 0;
    }
    return true;
  }
  bool skip_rows(JDIMENSION rows) noexcept {
    if (setjmp(errors.escape) != 0) return false;
    if (rows > 0) (void)jpeg_skip_scanlines(&info, rows);
    return true;
  }
  // The MCUs that libjpeg transforms for these columns of pixels.
  [[nodiscard]] HuffmanScan::Columns columns(JDIMENSION left, JDIMENSION width) const {
#if JPEG_LIB_VERSION >= 70
    const auto block = static_cast<JDIMENSION>(info.min_DCT_h_scaled_size);
#else
    const auto block = static_cast<JDIMENSION>(info.min_DCT_scaled_size);
#endif
    const bool grey = info.num_components == 1;
    const JDIMENSION pixels = block * static_cast<JDIMENSION>(grey ? 1 : info.max_h_samp_factor);
    return {.first = left / pixels, .last = (left + width - 1) / pixels};
  }
  bool read_row(JSAMPROW row) noexcept {
    if (setjmp(errors.escape) != 0) return false;
    return jpeg_read_scanlines(&info, &row, 1) == 1;
  }
  void abort() noexcept {
    if (setjmp(errors.escape) == 0) jpeg_abort_decompress(&info);
  }
  [[noreturn]] void raise() const {
    throw Error(std::string("not a readable JPEG: ") + errors.message.data());
  }
};

JpegDecoder::JpegDecoder(bool own_huffman)
    : state_(std::make_unique<State>()), own_huffman_(own_huffman) {
  if (!state_->create()) state_->raise();
}

JpegDecoder::~JpegDecoder() { jpeg_destroy_decompress(&state_->info); }

void JpegDecoder::close() noexcept { state_->abort(); }

JpegDecoder::Size JpegDecoder::open(std::span<const std::byte> file) {
  close();
  if (file.empty()) throw Error("the file is empty");
  const auto* data = reinterpret_cast<const unsigned char*>(file.data());
  jpeg_decompress_struct& info = state_->info;
  if (!state_->read_header(data, file.size())) state_->raise();
  const Size size{.width = info.image_width, .height = info.image_height};
  const auto described = [&] { return formatted("{} x {} pixels", size.width, size.height); };
  const std::int64_t pixels = size.width * size.height;
  if (pixels > kMaxPixels) {
    throw Error(formatted("declares {}, more than the limit of {}", described(), kMaxPixels));
  }
  if (!info.arith_code && pixels / kMaxPixelsPerByte > static_cast<std::int64_t>(file.size())) {
    throw Error(formatted("declares {}, which its {} bytes cannot hold", described(), file.size()));
  }
  if (info.num_components != 1 && info.num_components != 3 && info.num_components != 4) {
    throw Error(formatted("has {} colour components; 1, 3 and 4 are known", info.num_components));
  }
  // Decoding may stop above the bottom, so truncation is detected by the missing end marker,
  // whatever the region.
  if (!has_end_marker(info.src->next_input_byte, data + file.size())) {
    throw Error(
        formatted("truncated: the end-of-image marker is missing after {} bytes", file.size()));
  }
  info.out_color_space = info.num_components == 4 ? JCS_CMYK : JCS_EXT_RGBX;
  info.dct_method = JDCT_ISLOW;
  info.do_fancy_upsampling = TRUE;
  return size;
}

JpegDecoder::Size JpegDecoder::shrink(int divisor) {
  if (!state_->shrink(static_cast<unsigned>(divisor))) state_->raise();
  return {.width = state_->info.output_width, .height = state_->info.output_height};
}

void JpegDecoder::start(const Region& region) {
  const std::int64_t from = std::max<std::int64_t>(0, region.left - kMargin);
  auto left = static_cast<JDIMENSION>(from);
  auto width = static_cast<JDIMENSION>(region.left + region.width + kMargin - from);
  if (!state_->start(left, width)) state_->raise();
  state_->skip_left = region.left - static_cast<std::int64_t>(left);
  if (own_huffman_) state_->huffman.take_over(state_->info, state_->columns(left, width));
  if (!state_->skip_rows(static_cast<JDIMENSION>(region.top))) state_->raise();
}

std::size_t JpegDecoder::row_bytes() const { return std::size_t{4} * state_->info.output_width; }

const std::uint8_t* JpegDecoder::next_row(std::uint8_t* out) {
  if (!state_->read_row(out)) state_->raise();
  if (state_->info.out_color_space == JCS_CMYK) cmyk_to_rgb(out, state_->info.output_width);
  return out + 4 * state_->skip_left;
}

}  // namespace stepbench::data

// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/remote_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "harness/base/error.h"
#include "harness/text/numbers.h"
#include "harness/text/url.h"
#include "harness/text/words.h"
#include "workloads/data/file_kind.h"

namespace stepbench::data {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kPieceBytes = std::size_t{1} << 16;
constexpr long kBufferBytes = 1 << 18;
constexpr std::size_t kAnswerBytes = 2048;
constexpr milliseconds kSlice{50};            // in which a wait sees that it is to stop
constexpr std::string_view kUnit = "bytes ";  // value of Content-Range
constexpr milliseconds kFirstPause{100};
constexpr milliseconds kMaxPause{5000};

constexpr long kOk = 200;
constexpr long kPartial = 206;
constexpr long kPastTheEnd = 416;

bool may_pass(long status) { return status == 408 || status == 429 || status >= 500; }

bool is_broken(int result) {
  switch (result) {
    case kCurlNoProxy:
    case kCurlNoHost:
    case kCurlNoConnection:
    case kCurlHttp2:
    case kCurlPartial:
    case kCurlTlsConnect:
    case kCurlGotNothing:
    case kCurlSendError:
    case kCurlReceiveError:
    case kCurlHttp2Stream:
      return true;
    default:
      return false;
  }
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) {
    text.remove_prefix(1);
  }
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) {
    text.remove_suffix(1);
  }
  return text;
}

// "AccessDenied" of an object store's answer; empty: it names no such code.
std::string_view code_of(std::string_view answer) {
  constexpr std::string_view kOpen = "<Code>", kClose = "</Code>";
  const std::size_t open = answer.find(kOpen);
  if (open == std::string_view::npos) return {};
  answer.remove_prefix(open + kOpen.size());
  const std::string_view code = answer.substr(0, std::min<std::size_t>(answer.find(kClose), 64));
  const bool plain = std::ranges::all_of(
      code, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
  return plain ? code : std::string_view();
}

}  // namespace

RemoteReader::RemoteReader(std::shared_ptr<const RemoteAccess> access)
    : access_(std::move(access)), curl_(access_->curl()), multi_(curl_.multi_init()) {
  if (multi_ == nullptr) throw Error("libcurl has no memory left");
}

RemoteReader::~RemoteReader() {
  drop();
  if (easy_ != nullptr) curl_.easy_cleanup(easy_);
  curl_.multi_cleanup(multi_);
  curl_.free_list(headers_);
}

void RemoteReader::open(const std::string& shard) {
  drop();
  shard_ = shard;
  ended_ = false;
  arrived_ = 0;
  etag_.clear();
  received_.clear();
}

std::span<const std::byte> RemoteReader::read() {
  received_.clear();
  std::int64_t tries = 0;
  Time late = std::chrono::steady_clock::now() + access_->options().timeout;
  if (std::exchange(paused_, false) && asked_) (void)curl_.pause(easy_, kCurlGoOn);
  while (received_.size() < kPieceBytes && !ended_) {
    check_stop();
    if (!asked_) ask();
    const Fate fate = look(late);
    if (fate == Fate::kEnded) ended_ = true;
    if (fate != Fate::kAgain) continue;
    drop();
    if (tries++ >= access_->options().retries) {
      fail(tries == 1
               ? last_
               : "given up after " + text::counted(tries, "attempt") + "; the last: " + last_);
    }
    wait(std::min(kMaxPause,
                  kFirstPause * (std::int64_t{1} << std::min<std::int64_t>(tries - 1, 6))));
    late = std::chrono::steady_clock::now() + access_->options().timeout;
  }
  return received_;
}

void RemoteReader::ask() {
  status_ = 0;
  body_ = paused_ = false;
  skip_ = range_began_ = total_ = 0;
  answer_etag_.clear();
  answer_.clear();
  broken_off_.clear();
  error_.fill('\0');
  const RemoteRequest request = access_->request(shard_);
  if (easy_ == nullptr) easy_ = curl_.easy_init();
  if (easy_ == nullptr) throw Error("libcurl has no memory left");
  const auto set = [&](const CurlOption& option, auto value) {
    (void)curl_.set(easy_, option.number, value);
  };
  const bool is_signed = !request.signing.empty();
  curl_.free_list(std::exchange(headers_, nullptr));
  for (const std::string& line : request.headers) headers_ = curl_.append(headers_, line.c_str());
  const std::string range = std::to_string(arrived_) + "-";
  set(kCurlUrl, request.url.c_str());
  set(kCurlRange, arrived_ > 0 ? range.c_str() : nullptr);
  set(kCurlHeaders, headers_);
  set(kCurlErrorText, error_.data());
  set(kCurlUserAgent, "stepbench");
  set(kCurlWrite, &RemoteReader::take_body);
  set(kCurlWriteData, static_cast<void*>(this));
  set(kCurlHeader, &RemoteReader::take_header);
  set(kCurlHeaderData, static_cast<void*>(this));
  set(kCurlNoSignal, 1L);
  set(kCurlQuickExit, 1L);
  set(kCurlBufferBytes, kBufferBytes);
  set(kCurlConnectMs, static_cast<long>(access_->options().timeout.count()));
  set(kCurlProtocols, kCurlHttpAndHttps);
  set(kCurlRedirectProtocols, kCurlHttpAndHttps);
  // The token of a session would go to wherever an object store sends us.
  set(kCurlFollow, is_signed ? 0L : 1L);
  set(kCurlMaxRedirects, 5L);
  set(kCurlNetrc, is_signed ? 0L : kCurlOptionalNetrc);
  if (!access_->ca_file().empty()) set(kCurlCaFile, access_->ca_file().c_str());
  if (is_signed) {
    set(kCurlSign, request.signing.c_str());
    set(kCurlUserPassword, request.credentials.c_str());
  }
  if (curl_.add(multi_, easy_) != 0) throw Error("libcurl takes no request");
  asked_ = true;
}

void RemoteReader::drop() {
  if (asked_) (void)curl_.remove(multi_, easy_);
  asked_ = false;
}

void RemoteReader::check_stop() const {
  if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) throw Error("stopped");
}

void RemoteReader::wait(milliseconds time) {
  const Time end = std::chrono::steady_clock::now() + time;
  for (Time now = std::chrono::steady_clock::now(); now < end;
       now = std::chrono::steady_clock::now()) {
    check_stop();
    const auto left = std::chrono::ceil<milliseconds>(end - now);
    int ready = 0;
    (void)curl_.poll(multi_, nullptr, 0, static_cast<int>(std::min(left, kSlice).count()), &ready);
  }
}

RemoteReader::Fate RemoteReader::look(Time late) {
  int running = 0;
  if (curl_.perform(multi_, &running) != 0) throw Error("libcurl cannot go on");
  int left = 0;
  while (const CurlMessage* message = curl_.message(multi_, &left)) {
    if (message->what != kCurlDone) continue;
    const int result = message->data.result;
    drop();
    return judge(result);
  }
  if (received_.size() >= kPieceBytes) return Fate::kRunning;
  const Time now = std::chrono::steady_clock::now();
  if (now >= late) {
    ++reads_.late;
    last_ = (body_ ? "less than 64 KiB came in " : "no answer in ") +
            text::duration(1e6 * static_cast<double>(access_->options().timeout.count())) +
            " (data.remote_timeout_s)";
    return Fate::kAgain;
  }
  int ready = 0;
  const auto until = std::chrono::ceil<milliseconds>(late - now);
  (void)curl_.poll(multi_, nullptr, 0, static_cast<int>(std::min(until, kSlice).count()), &ready);
  return Fate::kRunning;
}

RemoteReader::Fate RemoteReader::judge(int result) {
  if (!broken_off_.empty()) fail(broken_off_);
  (void)curl_.info(easy_, kCurlStatus, &status_);
  if (result == 0 && (status_ == kOk || status_ == kPartial)) {
    if (skip_ > 0) fail("the shard has become shorter while it was read");
    return Fate::kEnded;
  }
  if (result == kCurlTooManyRedirects) fail("the server redirects more than 5 times");
  // A connection broke behind the last byte.
  if (status_ == kPastTheEnd && arrived_ > 0 && total_ == arrived_) return Fate::kEnded;
  if (result == 0 || status_ >= 300) {
    if (!may_pass(status_)) fail(answer_text(status_));
    ++reads_.refused;
    last_ = answer_text(status_);
    return Fate::kAgain;
  }
  const std::string_view own = error_.data();
  const std::string why =
      own.empty() ? std::string(curl_.error_text(result)) : std::string(trimmed(own));
  if (result == kCurlTimedOut) {
    ++reads_.late;
  } else if (is_broken(result)) {
    ++reads_.broken;
  } else {
    fail(why);
  }
  last_ = why;
  return Fate::kAgain;
}

std::string RemoteReader::answer_text(long status) const {
  std::string text = "the server answered " + std::to_string(status);
  if (const std::string_view code = code_of(answer_); !code.empty()) {
    text += " (" + std::string(code) + ")";
  }
  if (text::url_scheme(shard_) == "s3" && (status == 301 || status == 307)) {
    return text + ": the bucket lies elsewhere; set AWS_REGION to its region";
  }
  switch (status) {
    case 401:
    case 403:
      return text + ": it wants credentials, or other ones";
    case 404:
      return text + ": there is no such shard";
    default:
      return text;
  }
}

void RemoteReader::fail(const std::string& what) const { throw file_error(shard_, arrived_, what); }

std::size_t RemoteReader::take_body(const char* data, std::size_t size, std::size_t count,
                                    void* self) {
  const std::size_t bytes = size * count;
  try {
    return static_cast<RemoteReader*>(self)->take({data, bytes}) ? bytes : 0;
  } catch (const std::exception& error) {
    static_cast<RemoteReader*>(self)->broken_off_ = error.what();
    return 0;
  }
}

std::size_t RemoteReader::take_header(const char* data, std::size_t size, std::size_t count,
                                      void* self) {
  const std::size_t bytes = size * count;
  try {
    static_cast<RemoteReader*>(self)->header({data, bytes});
    return bytes;
  } catch (const std::exception& error) {
    static_cast<RemoteReader*>(self)->broken_off_ = error.what();
    return 0;
  }
}

void RemoteReader::header(std::string_view line) {
  if (line.starts_with("HTTP/")) {  // of the next answer, behind a redirect
    answer_etag_.clear();
    range_began_ = total_ = 0;
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string_view::npos) return;
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (name == "etag") answer_etag_ = value;
  if (name != "content-range" || !value.starts_with(kUnit)) return;
  const std::string_view numbers = value.substr(kUnit.size());
  const std::string_view of = numbers.substr(std::min(numbers.find('/'), numbers.size() - 1) + 1);
  std::from_chars(numbers.data(), numbers.data() + numbers.size(), range_began_);
  std::from_chars(of.data(), of.data() + of.size(), total_);
}

bool RemoteReader::begin_body() {
  body_ = true;
  (void)curl_.info(easy_, kCurlStatus, &status_);
  if (status_ == kOk) skip_ = arrived_;
  if (status_ == kPartial && range_began_ != arrived_) {
    broken_off_ = "asked for byte " + std::to_string(arrived_) +
                  ", the server answered from byte " + std::to_string(range_began_);
    return false;
  }
  if (status_ != kOk && status_ != kPartial) return true;
  if (arrived_ == 0) {
    etag_ = answer_etag_;
  } else if (answer_etag_ != etag_) {
    broken_off_ = "the shard has changed while it was read";
    return false;
  }
  return true;
}

bool RemoteReader::take(std::span<const char> bytes) {
  if (!body_ && !begin_body()) return false;
  if (status_ != kOk && status_ != kPartial) {
    answer_.append(bytes.data(), std::min(bytes.size(), kAnswerBytes - answer_.size()));
    return true;
  }
  reads_.bytes += static_cast<std::int64_t>(bytes.size());
  const auto known = static_cast<std::size_t>(std::min<std::uint64_t>(skip_, bytes.size()));
  skip_ -= known;
  bytes = bytes.subspan(known);
  const auto raw = std::as_bytes(bytes);
  received_.insert(received_.end(), raw.begin(), raw.end());
  arrived_ += bytes.size();
  // Or libcurl goes on as long as there is something, into fresh memory.
  if (received_.size() >= kPieceBytes && !std::exchange(paused_, true)) {
    (void)curl_.pause(easy_, kCurlPauseReceiving);
  }
  return true;
}

}  // namespace stepbench::data

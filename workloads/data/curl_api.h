// SPDX-License-Identifier: Apache-2.0
// libcurl, found at run time: its functions as pointers, so that nothing links it and a machine
// without it measures files as well. The types are libcurl's, whose interface has been the same
// since its version 7.16; a test holds the options' numbers to the library itself. Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <variant>

namespace stepbench::data {

struct CurlEasy;   // CURL
struct CurlMulti;  // CURLM
struct CurlList;   // curl_slist

struct CurlMessage {  // CURLMsg
  int what = 0;
  CurlEasy* easy = nullptr;
  union {
    void* whatever;
    int result;
  } data = {};
};

struct CurlVersion {  // the beginning of curl_version_info_data
  int age = 0;
  const char* text = nullptr;
  unsigned number = 0;  // 0x075800 is 7.88.0
};

struct CurlApi {
  int (*global_init)(long flags) = nullptr;
  CurlVersion* (*version)(int age) = nullptr;
  CurlEasy* (*easy_init)() = nullptr;
  void (*easy_cleanup)(CurlEasy*) = nullptr;
  int (*set)(CurlEasy*, int option, ...) = nullptr;
  int (*info)(CurlEasy*, int what, ...) = nullptr;
  int (*pause)(CurlEasy*, int what) = nullptr;
  const char* (*error_text)(int code) = nullptr;
  CurlList* (*append)(CurlList*, const char* line) = nullptr;
  void (*free_list)(CurlList*) = nullptr;
  CurlMulti* (*multi_init)() = nullptr;
  int (*multi_cleanup)(CurlMulti*) = nullptr;
  int (*add)(CurlMulti*, CurlEasy*) = nullptr;
  int (*remove)(CurlMulti*, CurlEasy*) = nullptr;
  int (*perform)(CurlMulti*, int* running) = nullptr;
  int (*poll)(CurlMulti*, void* extra, unsigned extras, int timeout_ms, int* ready) = nullptr;
  CurlMessage* (*message)(CurlMulti*, int* left) = nullptr;
};

inline constexpr unsigned kCurlSigns = 0x075800;  // the first version that signs for S3 as it asks

// CURLOPT_...
struct CurlOption {
  const char* name;
  int number;
};
inline constexpr CurlOption kCurlWriteData{"WRITEDATA", 10001};
inline constexpr CurlOption kCurlUrl{"URL", 10002};
inline constexpr CurlOption kCurlUserPassword{"USERPWD", 10005};
inline constexpr CurlOption kCurlRange{"RANGE", 10007};
inline constexpr CurlOption kCurlErrorText{"ERRORBUFFER", 10010};
inline constexpr CurlOption kCurlUserAgent{"USERAGENT", 10018};
inline constexpr CurlOption kCurlHeaders{"HTTPHEADER", 10023};
inline constexpr CurlOption kCurlHeaderData{"HEADERDATA", 10029};
inline constexpr CurlOption kCurlCaFile{"CAINFO", 10065};
inline constexpr CurlOption kCurlSign{"AWS_SIGV4", 10305};
inline constexpr CurlOption kCurlWrite{"WRITEFUNCTION", 20011};
inline constexpr CurlOption kCurlHeader{"HEADERFUNCTION", 20079};
inline constexpr CurlOption kCurlNetrc{"NETRC", 51};
inline constexpr CurlOption kCurlFollow{"FOLLOWLOCATION", 52};
inline constexpr CurlOption kCurlMaxRedirects{"MAXREDIRS", 68};
inline constexpr CurlOption kCurlBufferBytes{"BUFFERSIZE", 98};
inline constexpr CurlOption kCurlNoSignal{"NOSIGNAL", 99};
inline constexpr CurlOption kCurlConnectMs{"CONNECTTIMEOUT_MS", 156};
inline constexpr CurlOption kCurlProtocols{"PROTOCOLS", 181};
inline constexpr CurlOption kCurlRedirectProtocols{"REDIR_PROTOCOLS", 182};
inline constexpr CurlOption kCurlQuickExit{"QUICK_EXIT", 322};  // since 7.87

// CURLINFO_..., CURLPROTO_..., CURLPAUSE_..., CURLMSG_...
inline constexpr int kCurlStatus = 0x200002;  // RESPONSE_CODE
inline constexpr long kCurlHttpAndHttps = 3;
inline constexpr int kCurlPauseReceiving = 1;
inline constexpr int kCurlGoOn = 0;
inline constexpr int kCurlDone = 1;
inline constexpr long kCurlOptionalNetrc = 1;
inline constexpr long kCurlInitAll = 3;
inline constexpr std::size_t kCurlErrorBytes = 256;
// CURLE_...
inline constexpr int kCurlNoProxy = 5;
inline constexpr int kCurlNoHost = 6;
inline constexpr int kCurlNoConnection = 7;
inline constexpr int kCurlHttp2 = 16;
inline constexpr int kCurlPartial = 18;
inline constexpr int kCurlWriteError = 23;
inline constexpr int kCurlTimedOut = 28;
inline constexpr int kCurlTlsConnect = 35;
inline constexpr int kCurlTooManyRedirects = 47;
inline constexpr int kCurlGotNothing = 52;
inline constexpr int kCurlSendError = 55;
inline constexpr int kCurlReceiveError = 56;
inline constexpr int kCurlHttp2Stream = 92;

inline constexpr const char* kCurlLibraries[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

// Of the first library that is there, which it initialises; or why there is none, as a sentence
// that names the package. Tests name other files.
[[nodiscard]] std::variant<CurlApi, std::string> load_curl_api(
    std::span<const char* const> libraries = kCurlLibraries);

}  // namespace stepbench::data

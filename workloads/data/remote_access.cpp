// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/remote_access.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "harness/base/error.h"
#include "harness/text/url.h"
#include "harness/text/words.h"
#include "workloads/data/data_kind.h"

namespace stepbench::data {
namespace {

constexpr const char* kPath = "data.path";
constexpr std::string_view kS3 = "s3";
constexpr std::size_t kMaxShards = 1'000'000;
constexpr const char* kTimeout = "remote_timeout_s";
constexpr const char* kRetries = "remote_retries";
// S3 asks for the digest of what is sent, which is nothing; libcurl 7.88 signs it and adds none.
constexpr const char* kEmptyBody =
    "x-amz-content-sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
constexpr const char* kEndpoint = "s3_endpoint";

std::string in_section(const char* option) { return std::string("data.") + option; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "000..012"; nullopt: it is none.
std::optional<std::vector<std::string>> numbers_of(std::string_view inside) {
  const std::size_t dots = inside.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const std::string_view from = inside.substr(0, dots), to = inside.substr(dots + 2);
  std::int64_t first = 0, last = 0;
  const auto read = [](std::string_view text, std::int64_t& number) {
    constexpr std::size_t kMaxDigits = 18;
    if (text.empty() || text.size() > kMaxDigits || !std::ranges::all_of(text, is_digit)) {
      return false;
    }
    std::from_chars(text.data(), text.data() + text.size(), number);
    return true;
  };
  if (!read(from, first) || !read(to, last) || last < first) return std::nullopt;
  if (static_cast<std::size_t>(last - first) >= kMaxShards) return std::nullopt;
  const bool padded = from.size() > 1 && from[0] == '0';
  std::vector<std::string> numbers;
  for (std::int64_t number = first; number <= last; ++number) {
    std::string digits = std::to_string(number);
    if (padded && digits.size() < from.size()) digits.insert(0, from.size() - digits.size(), '0');
    numbers.push_back(std::move(digits));
  }
  return numbers;
}

std::vector<std::string> words_of(std::string_view inside) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= inside.size();) {
    const std::size_t comma = std::min(inside.find(',', at), inside.size());
    words.emplace_back(inside.substr(at, comma - at));
    at = comma + 1;
  }
  return words;
}

// What may stand in a path as it is, by RFC 3986.
std::string percent_encoded(std::string_view key) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-_.~/";
  std::string text;
  for (const char c : key) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || is_digit(c) || kPlain.find(c) != std::string_view::npos) {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '%';
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

// Bucket and key of "s3://bucket/key".
std::pair<std::string_view, std::string_view> split_s3(std::string_view url) {
  url.remove_prefix(std::min(url.size(), kS3.size() + 3));
  const std::size_t slash = std::min(url.find('/'), url.size());
  return {url.substr(0, slash), url.substr(std::min(slash + 1, url.size()))};
}

std::string text_of(const machine::Variables& variables, std::string_view name) {
  return std::string(machine::find_variable(variables, name).value_or(""));
}

std::string first_of(const machine::Variables& variables,
                     std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (std::string value = text_of(variables, name); !value.empty()) return value;
  }
  return {};
}

// Why the address cannot be read; empty: it can.
std::string what_is_wrong(const std::string& url, const std::string& kind) {
  if (kind != "webdataset") {
    return "data.kind " + kind +
           " reads files; webdataset alone reads shards over http, https "
           "and s3";
  }
  if (text::has_credentials(url)) {
    return "an address is written into results, so it must hold no user, password, signature or "
           "token: ~/.netrc is asked for the password of an HTTP server, and s3:// takes "
           "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY of the environment";
  }
  const std::string_view scheme = text::url_scheme(url);
  constexpr std::array kRead = {std::string_view("http"), std::string_view("https"), kS3};
  if (std::ranges::find(kRead, scheme) == kRead.end()) {
    return std::string(scheme) + "://... is not read; http, https and s3 are";
  }
  try {
    (void)expand_braces(url);
  } catch (const Error& error) {
    return error.what();
  }
  if (scheme == kS3 && (split_s3(url).first.empty() || split_s3(url).second.empty())) {
    return "expected s3://BUCKET/KEY, as in s3://photos/train/shard-{000000..000007}.tar";
  }
  return {};
}

}  // namespace

std::vector<Option> remote_options() {
  const RemoteOptions usual;
  return {
      {.name = kTimeout,
       .type = OptionType::kNumber,
       .doc = "Shards behind an address: longest wait for a connection, and for each next 64 KiB "
              "of a shard. Then they are asked for again, from there on.",
       .unit = "s",
       .default_value = std::chrono::duration<double>(usual.timeout).count(),
       .min = 0.1,
       .max = 3600,
       .identity = Identity::kContext},
      {.name = kRetries,
       .type = OptionType::kInteger,
       .doc = "Shards behind an address: how often the same 64 KiB are asked for again, after 0.1, "
              "0.2, 0.4 ... s, when a connection breaks, nothing comes in time or the server "
              "answers 408, 429 or 5xx. Then the launch fails, or data.on_error: skip goes on with "
              "the next shard. What was asked again is told beside the row.",
       .default_value = usual.retries,
       .min = 0,
       .max = 100,
       .identity = Identity::kContext},
      {.name = kEndpoint,
       .type = OptionType::kString,
       .doc = "Object store that s3://BUCKET/KEY is read from, as http://127.0.0.1:9000 for MinIO; "
              "it is asked for ENDPOINT/BUCKET/KEY. Unset: AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL "
              "of the environment, or AWS's own.",
       .identity = Identity::kContext,
       .pattern = "https?://[^/?#@]+(/[^?#@]*)?",
       .pattern_words = "an address without user and query, such as http://127.0.0.1:9000"},
  };
}

RemoteOptions remote_options_of(const ResolvedCase& resolved) {
  const RemoteOptions usual;
  const std::chrono::duration<double> given(resolved.number_or(
      in_section(kTimeout), std::chrono::duration<double>(usual.timeout).count()));
  return {.timeout = std::chrono::duration_cast<std::chrono::milliseconds>(given),
          .retries = resolved.integer_or(in_section(kRetries), usual.retries),
          .s3_endpoint = resolved.text_or(in_section(kEndpoint), "")};
}

void check_remote(ResolvedCase& resolved, const RuleFacts& facts, RuleSink& sink) {
  const auto refuse = [&](const std::string& option, const std::string& reason) {
    facts.swept ? sink.skip(reason) : sink.error(option, reason);
  };
  const std::string path = resolved.text_or(kPath, "");
  if (text::is_url(path)) {
    if (const std::string wrong = what_is_wrong(path, resolved.text("data.kind")); !wrong.empty()) {
      refuse(kPath, wrong);
    }
    if (resolved.has("data.page_cache")) {
      refuse("data.page_cache",
             "shards behind an address are in no page cache of this machine; leave it out");
    }
    return;
  }
  // Files have no server. What is the default was given by nobody.
  for (const Option& option : remote_options()) {
    const std::string name = in_section(option.name.c_str());
    const Value* given = resolved.options.get(name);
    if (given == nullptr || *given == Value{}) continue;
    if (*given != option.default_value && !facts.swept) {
      sink.error(name, "data.path is no address of a server");
    }
    resolved.options[name] = Value{};
  }
}

std::vector<std::string> expand_braces(std::string_view text) {
  std::vector<std::string> all = {""};
  const auto append = [&](std::string_view more) {
    for (std::string& each : all) each += more;
  };
  while (!text.empty()) {
    const std::size_t open = text.find_first_of("{}");
    append(text.substr(0, open));
    if (open == std::string_view::npos) break;
    const std::size_t close = text.find_first_of("{}", open + 1);
    const bool paired = text[open] == '{' && close != std::string_view::npos && text[close] == '}';
    const std::string_view inside =
        paired ? text.substr(open + 1, close - open - 1) : std::string_view();
    auto words = numbers_of(inside);
    if (!words && inside.find(',') != std::string_view::npos) words = words_of(inside);
    if (!words) {
      throw ConfigError(kPath, "braces stand for several shards, as {000000..000007} or {a,b}; '" +
                                   std::string(text.substr(open, close - open + (paired ? 1 : 0))) +
                                   "' is neither");
    }
    if (words->size() > kMaxShards / all.size()) {
      throw ConfigError(kPath, "names more than a million shards");
    }
    std::vector<std::string> longer;
    for (const std::string& begun : all) {
      for (const std::string& word : *words) longer.push_back(begun + word);
    }
    all = std::move(longer);
    text.remove_prefix(close + 1);
  }
  return all;
}

RemoteAccess::RemoteAccess(RemoteOptions options, bool for_s3, const machine::Variables& variables,
                           std::span<const char* const> libraries)
    : options_(std::move(options)) {
  auto loaded = load_curl_api(libraries);
  if (const auto* reason = std::get_if<std::string>(&loaded)) throw ConfigError(kPath, *reason);
  curl_ = std::get<CurlApi>(loaded);
  ca_file_ = first_of(variables, {"CURL_CA_BUNDLE", "SSL_CERT_FILE"});
  if (for_s3) find_credentials(variables);
}

void RemoteAccess::find_credentials(const machine::Variables& variables) {
  const std::string key = text_of(variables, "AWS_ACCESS_KEY_ID");
  const std::string secret = text_of(variables, "AWS_SECRET_ACCESS_KEY");
  std::vector<std::string> missing;
  if (key.empty()) missing.emplace_back("AWS_ACCESS_KEY_ID");
  if (secret.empty()) missing.emplace_back("AWS_SECRET_ACCESS_KEY");
  if (!missing.empty()) {
    throw ConfigError(kPath, "s3:// needs credentials, and " + text::join(missing, " and ") +
                                 (missing.size() == 1 ? " is" : " are") +
                                 " not set in the environment; a public bucket is read by its "
                                 "https:// address without any");
  }
  const CurlVersion* version = curl_.version(0);
  if (version->number < kCurlSigns) {
    throw ConfigError(kPath, std::string("s3:// needs libcurl 7.88 or later to sign requests, and "
                                         "this is ") +
                                 version->text + "; read by an https:// address, or update it");
  }
  credentials_ = key + ":" + secret;
  token_ = text_of(variables, "AWS_SESSION_TOKEN");
  region_ = first_of(variables, {"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (region_.empty()) region_ = "us-east-1";
  if (options_.s3_endpoint.empty()) {
    options_.s3_endpoint = first_of(variables, {"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  }
  while (options_.s3_endpoint.ends_with('/')) options_.s3_endpoint.pop_back();
  if (std::string own = text_of(variables, "AWS_CA_BUNDLE"); !own.empty())
    ca_file_ = std::move(own);
}

RemoteRequest RemoteAccess::request(const std::string& shard) const {
  if (text::url_scheme(shard) != kS3) return {.url = shard};
  const auto [bucket, key] = split_s3(shard);
  const std::string aws = "s3." + region_ + ".amazonaws.com";
  std::string url;
  if (!options_.s3_endpoint.empty()) {
    url = options_.s3_endpoint + "/" + std::string(bucket);
  } else if (bucket.find('.') != std::string_view::npos) {
    url = "https://" + aws + "/" + std::string(bucket);  // no certificate names such a host
  } else {
    url = "https://" + std::string(bucket) + "." + aws;
  }
  RemoteRequest request{.url = url + "/" + percent_encoded(key),
                        .signing = "aws:amz:" + region_ + ":s3",
                        .credentials = credentials_,
                        .headers = {kEmptyBody}};
  if (!token_.empty()) request.headers.push_back("x-amz-security-token: " + token_);
  return request;
}

}  // namespace stepbench::data

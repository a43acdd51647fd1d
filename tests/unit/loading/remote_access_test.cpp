// SPDX-License-Identifier: Apache-2.0
// Addresses of shards and what a request for one needs. Reading from servers is
// tests/workloads/remote_reads.py.
#include "workloads/data/remote_access.h"

#include <dlfcn.h>
#include <gmock/gmock.h>

#include "harness/base/error.h"
#include "harness/text/url.h"
#include "tests/unit/loading/case.h"
#include "workloads/data/data_section.h"
#include "workloads/data/formats/web_dataset.h"
#include "workloads/loader/analysis/loader_report.h"

namespace stepbench {
namespace {

using data::expand_braces;
using data::RemoteAccess;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;
using testing::ThrowsMessage;

constexpr const char* kBucket = "s3://photos/train/shard 1.tar";
const machine::Variables kSigned = {{"AWS_ACCESS_KEY_ID", "key"},
                                    {"AWS_SECRET_ACCESS_KEY", "secret"}};

machine::Variables with(machine::Variables variables,
                        std::initializer_list<machine::Variables::value_type> more) {
  variables.insert(variables.end(), more);
  return variables;
}

TEST(Url, HasASchemeOfLettersAndNothingElseBeforeIt) {
  EXPECT_EQ(text::url_scheme("s3://bucket/key"), "s3");
  EXPECT_EQ(text::url_scheme("https://host"), "https");
  for (const char* file : {"data/set", "", "://x", "/a/b://c", "a b://c", "3d://x", "C:/x"}) {
    EXPECT_FALSE(text::is_url(file)) << file;
  }
}

TEST(Url, HasCredentialsBeforeItsHostOrInItsQuery) {
  for (const char* url :
       {"http://me@host/a", "https://me:x@host/a", "https://h/a?X-Amz-Signature=1",
        "https://h/a?b=1&access_token=2", "https://h/a?sig=x"}) {
    EXPECT_TRUE(text::has_credentials(url)) << url;
  }
  for (const char* url : {"http://host/a@b", "https://h/a?download=true", "https://h/a?v=token"}) {
    EXPECT_FALSE(text::has_credentials(url)) << url;
  }
}

TEST(Braces, StandForNumbersAndWordsAsWebDatasetWritesThem) {
  EXPECT_THAT(expand_braces("http://h/a.tar"), ElementsAre("http://h/a.tar"));
  EXPECT_THAT(expand_braces("s-{008..010}.tar"),
              ElementsAre("s-008.tar", "s-009.tar", "s-010.tar"));
  EXPECT_THAT(expand_braces("{8..10}"), ElementsAre("8", "9", "10"));
  EXPECT_THAT(expand_braces("{a,b}/{0..1}"), ElementsAre("a/0", "a/1", "b/0", "b/1"));
}

TEST(Braces, ThatMeanNothingAreRefused) {
  for (const char* text :
       {"{", "}", "a{1..}", "{2..1}", "{a}", "{{0..1}", "{0..1}}", "{}", "{-1..2}", "{0..1000000}",
        "{0..9999}{0..9999}", "{0..99999999999999999999}"}) {
    EXPECT_THROW((void)expand_braces(text), ConfigError) << text;
  }
}

TEST(CurlApi, ALibraryThatIsNotThereIsToldWithItsPackage) {
  const char* const none[] = {"libcurl-of-no-version.so.99"};
  const auto found = data::load_curl_api(none);
  ASSERT_TRUE(std::holds_alternative<std::string>(found));
  EXPECT_THAT(std::get<std::string>(found), HasSubstr("apt install libcurl4"));
  EXPECT_THAT([&] { RemoteAccess({}, false, {}, none); },
              ThrowsMessage<ConfigError>(HasSubstr("is not installed")));
}

TEST(CurlApi, ALibraryWithoutItsFunctionsIsToldByTheFirstOne) {
  const char* const other[] = {"libm.so.6"};
  const auto found = data::load_curl_api(other);
  ASSERT_TRUE(std::holds_alternative<std::string>(found));
  EXPECT_THAT(std::get<std::string>(found), HasSubstr("has no curl_global_init()"));
}

// curl_easyoption.
struct EasyOption {
  const char* name;
  int number;
};

TEST(CurlApi, OptionsHaveTheNumbersOfTheInstalledLibrary) {
  void* library = ::dlopen(data::kCurlLibraries[0], RTLD_NOW);
  ASSERT_NE(library, nullptr) << ::dlerror();
  const auto find = reinterpret_cast<const EasyOption* (*)(const char*)>(
      ::dlsym(library, "curl_easy_option_by_name"));
  ASSERT_NE(find, nullptr);
  for (const data::CurlOption& option : {data::kCurlWriteData,    data::kCurlUrl,
                                         data::kCurlUserPassword, data::kCurlRange,
                                         data::kCurlErrorText,    data::kCurlUserAgent,
                                         data::kCurlHeaders,      data::kCurlHeaderData,
                                         data::kCurlCaFile,       data::kCurlSign,
                                         data::kCurlWrite,        data::kCurlHeader,
                                         data::kCurlNetrc,        data::kCurlFollow,
                                         data::kCurlMaxRedirects, data::kCurlBufferBytes,
                                         data::kCurlNoSignal,     data::kCurlConnectMs,
                                         data::kCurlProtocols,    data::kCurlRedirectProtocols,
                                         data::kCurlQuickExit}) {
    const EasyOption* theirs = find(option.name);
    ASSERT_NE(theirs, nullptr) << option.name;
    EXPECT_EQ(theirs->number, option.number) << option.name;
  }
}

TEST(RemoteAccess, AnAddressOfAServerIsAskedForAsItIs) {
  const auto request = RemoteAccess({}, false, {}).request("http://host/a.tar");
  EXPECT_EQ(request.url, "http://host/a.tar");
  EXPECT_EQ(request.signing, "");
  EXPECT_THAT(request.headers, IsEmpty());
}

TEST(RemoteAccess, AnObjectIsAskedForWhereItsBucketLies) {
  const auto url = [](const machine::Variables& more, const std::string& endpoint,
                      const char* address = kBucket) {
    return RemoteAccess({.s3_endpoint = endpoint}, true, more).request(address).url;
  };
  EXPECT_EQ(url(kSigned, ""), "https://photos.s3.us-east-1.amazonaws.com/train/shard%201.tar");
  EXPECT_EQ(url(with(kSigned, {{"AWS_REGION", "eu-west-3"}}), "", "s3://a.b/c"),
            "https://s3.eu-west-3.amazonaws.com/a.b/c");
  EXPECT_EQ(url(kSigned, "http://m:9000/"), "http://m:9000/photos/train/shard%201.tar");
  const auto elsewhere = with(kSigned, {{"AWS_ENDPOINT_URL", "http://x"}});
  EXPECT_EQ(url(elsewhere, "", "s3://a/b"), "http://x/a/b");
  EXPECT_EQ(url(elsewhere, "http://m", "s3://a/b"), "http://m/a/b");
}

TEST(RemoteAccess, ARequestForAnObjectIsSignedForItsRegion) {
  const auto request =
      RemoteAccess({}, true,
                   with(kSigned, {{"AWS_DEFAULT_REGION", "r"}, {"AWS_SESSION_TOKEN", "t"}}))
          .request(kBucket);
  EXPECT_EQ(request.signing, "aws:amz:r:s3");
  EXPECT_EQ(request.credentials, "key:secret");
  EXPECT_THAT(request.headers, ElementsAre(StartsWith("x-amz-content-sha256: e3b0c44298fc"),
                                           "x-amz-security-token: t"));
}

TEST(RemoteAccess, ObjectsWithoutCredentialsAreRefused) {
  EXPECT_THAT(
      [] {
        RemoteAccess({}, true, {{"AWS_ACCESS_KEY_ID", "key"}});
      },
      ThrowsMessage<ConfigError>(HasSubstr("AWS_SECRET_ACCESS_KEY is not set")));
  EXPECT_THAT([] { RemoteAccess({}, true, {}); },
              ThrowsMessage<ConfigError>(HasSubstr("AWS_SECRET_ACCESS_KEY are not set")));
}

std::vector<std::string> wrong_with(test::OptionList options, bool swept = false) {
  options.insert(options.begin(), {"data.kind", "webdataset"});
  const test::Said said = test::said_by(data::check_remote, options, {.swept = swept});
  return swept ? said.skips : said.errors;
}

TEST(RemoteRule, RefusesWhatCannotBeReadOrMustNotBeWritten) {
  for (const char* path : {"http://h/a.tar", "https://h/s-{00..11}.tar", "s3://b/c", "data/set"}) {
    EXPECT_THAT(wrong_with({{"data.path", path}}), IsEmpty()) << path;
  }
  for (const auto& [path, said] : {std::pair("gs://b/c", "http, https and s3 are"),
                                   std::pair("s3://bucket", "expected s3://BUCKET/KEY"),
                                   std::pair("http://h/{1.tar", "is neither"),
                                   std::pair("http://me:plant@h/a", "must hold no user")}) {
    EXPECT_THAT(wrong_with({{"data.path", path}}),
                ElementsAre(AllOf(HasSubstr(said), Not(HasSubstr("plant")))));
  }
  EXPECT_THAT(wrong_with({{"data.path", "http://h/a"}, {"data.page_cache", "cold"}}),
              ElementsAre(HasSubstr("data.page_cache: shards behind an address")));
  EXPECT_THAT(wrong_with({{"data.path", "http://h/a"}, {"data.kind", "jpeg_folder"}}),
              ElementsAre(HasSubstr("data.kind jpeg_folder reads files")));
  EXPECT_THAT(wrong_with({{"data.path", "gs://b/c"}}, true), SizeIs(1)) << "a sweep";
}

TEST(RemoteRule, OptionsOfServersMeanNothingForFiles) {
  const auto retries = [](std::int64_t times) {
    return wrong_with({{"data.path", "set"}, {"data.remote_retries", times}});
  };
  EXPECT_THAT(retries(7), ElementsAre(HasSubstr("data.remote_retries: data.path is no address")));
  EXPECT_THAT(retries(4), IsEmpty());
}

TEST(Retries, AreToldByTheirCauses) {
  EXPECT_EQ(loader::retries_text({.bytes = 7}), "");
  EXPECT_EQ(
      loader::retries_text({.broken = 2, .late = 1}),
      "3 requests over the network were made again, 2 for a broken connection, 1 for one that "
      "was late");
  EXPECT_EQ(loader::retries_text({.refused = 1}),
            "1 request over the network was made again, 1 for an answer that was an error");
}

TEST(WebDataset, OfAnAddressKnowsItsShardsWithoutAskingAnybody) {
  data::WebDataset set({.path = "http://127.0.0.1:1/s-{00..11}.tar", .image = {.image_size = 8}});
  EXPECT_EQ(set.parts(), 12);
  EXPECT_EQ(set.digest(), "webdataset:12:remote:1000");
  EXPECT_THAT(set.facts().notes, IsEmpty());
  set.connect({});
  EXPECT_NE(set.remote(), nullptr);
}

}  // namespace
}  // namespace stepbench

// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/plotly.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "harness/base/error.h"
#include "harness/record/pack.h"
#include "tests/temporary_folder.h"

namespace stepbench::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// As long as the real one, which ends like this.
std::string made_plotly(const std::string& version) {
  return "/**\n* plotly.js v" + version + "\n*/\n" + std::string(3'500'000, ' ') +
         "var a = '</SCRIPT>';\nreturn Plotly;\n}));";
}

std::string error_of(const std::string& given, const std::filesystem::path& program_dir) {
  try {
    (void)read_plotly(given, program_dir);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Plotly, IsFoundBesideTheProgramOrInItsShareFolder) {
  const test::TemporaryFolder folder;
  const std::filesystem::path bin = folder / "bin";
  const std::filesystem::path share = folder / "share" / "stepbench";
  std::filesystem::create_directories(bin);
  std::filesystem::create_directories(share);
  EXPECT_THAT(error_of("", bin), AllOf(HasSubstr((bin / kPlotlyFile).string()),
                                       HasSubstr((share / kPlotlyFile).string()),
                                       HasSubstr("tools/setup"), HasSubstr("--plotly none")));
  std::ofstream(share / "plotly.min.js.gz") << record::gzip_text(made_plotly("4.1.0"));
  EXPECT_EQ(read_plotly("", bin).version, "4.1.0");
  std::ofstream(share / kPlotlyFile) << made_plotly("4.1.1");
  EXPECT_EQ(read_plotly("", bin).version, "4.1.1");
  std::ofstream(bin / kPlotlyFile) << made_plotly("4.2.0");
  EXPECT_EQ(read_plotly("", bin).version, "4.2.0");
}

TEST(Plotly, EndsNoElementOfThePage) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "p.js") << made_plotly("4.1.1");
  const std::string script = read_plotly((folder / "p.js").string(), {}).script;
  EXPECT_EQ(script.find("</SCRIPT"), std::string::npos);
  EXPECT_NE(script.find("'<\\/SCRIPT>'"), std::string::npos);
}

TEST(Plotly, ThatIsCutShortOrAnotherVersionIsRefused) {
  const test::TemporaryFolder folder;
  const auto write = [&](const std::string& text) {
    std::ofstream(folder / "p.js", std::ios::trunc) << text;
    return error_of((folder / "p.js").string(), {});
  };
  EXPECT_THAT(write(made_plotly("4.1.1").substr(0, 3'400'000)), HasSubstr("is cut short"));
  EXPECT_THAT(write("/*\n* plotly.js v4.1.1\n*/\nreturn Plotly;\n}));"), HasSubstr("is cut short"));
  EXPECT_THAT(write(made_plotly("2.35.0")), HasSubstr("is plotly.js 2.35.0"));
  EXPECT_THAT(write("alert(1)"), HasSubstr("is not the script of plotly.js"));
  EXPECT_THAT(error_of((folder / "nothing").string(), {}), HasSubstr("is not there"));
  EXPECT_THAT(error_of(folder.path().string(), {}), HasSubstr("is no file"));
}

}  // namespace
}  // namespace stepbench::report

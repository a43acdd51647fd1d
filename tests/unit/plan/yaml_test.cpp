// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/yaml_document.h"

#include <gmock/gmock.h>

#include "harness/base/error.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

using ::testing::HasSubstr;

std::string error_of(const std::string& text, const plan::YamlLimits& limits = {}) {
  try {
    static_cast<void>(plan::parse_yaml(text, "a.yaml", limits));
    return {};
  } catch (const ConfigError& error) {
    return error.what();
  }
}

TEST(Yaml, MarksAreLineAndColumnFromOne) {
  const plan::ConfigNode root = plan::parse_yaml("a: 1\nb:\n  c: [x, y]\n", "a.yaml");
  const plan::ConfigNode& list = root.find("b")->value.find("c")->value;
  EXPECT_EQ(plan::place("a.yaml", list.items[1].mark), "a.yaml:3:10");
  EXPECT_EQ(plan::place("a.yaml", root.find("b")->mark), "a.yaml:2:1");
}

TEST(Yaml, SyntaxErrorsHaveAPlace) {
  EXPECT_THAT(error_of("a: [1, 2\nb: 3\n"), HasSubstr("a.yaml:2"));
  EXPECT_THAT(error_of("a: b: c\n"), HasSubstr("a.yaml:1:5: YAML syntax"));
  EXPECT_THAT(error_of("a: \"open\n"), HasSubstr("YAML syntax"));
  EXPECT_THAT(error_of("a: *nowhere\n"), HasSubstr("a.yaml:1:4: YAML syntax"));
}

TEST(Yaml, RepeatedKeysAreFoundAtEveryLevel) {
  EXPECT_THAT(error_of("a: 1\na: 2\n"), HasSubstr("a.yaml:2:1: repeated key 'a'"));
  EXPECT_THAT(error_of("x: {a: 1, a: 2}\n"), HasSubstr("a.yaml:1:11: repeated key 'a'"));
  EXPECT_THAT(error_of("x: [{a: {b: 1, b: 1}}]\n"), HasSubstr("repeated key 'b'"));
}

TEST(Yaml, AliasesAreExpanded) {
  const plan::ConfigNode root = plan::parse_yaml("a: &x {b: 1}\nc: *x\n", "a.yaml");
  EXPECT_EQ(root.find("c")->value.find("b")->value.text, "1");
}

TEST(Yaml, ABombOfAliasesIsRefusedBeforeItGrows) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k == 0 ? "" : ", ") + alias;
    bomb += "]\n";
  }
  EXPECT_THAT(error_of(bomb), HasSubstr("the file expands to more than 1000000 values"));
}

TEST(Yaml, AnAliasInsideItsOwnAnchorIsRefused) {
  EXPECT_THAT(error_of("a: &x [*x]\n"), HasSubstr("an alias inside the value that it names"));
}

TEST(Yaml, DepthIsBounded) {
  EXPECT_THAT(error_of("a: " + std::string(100, '[') + std::string(100, ']')),
              HasSubstr("nested deeper than 32 levels"));
  EXPECT_FALSE(error_of("a: " + std::string(100'000, '[')).empty());
  EXPECT_FALSE(error_of("a: " + std::string(100'000, '{')).empty());
}

TEST(Yaml, FileSizeIsBounded) {
  const Refusal refusal = refusal_of("# " + std::string(std::size_t{9} << 20, 'x') + "\n");
  EXPECT_THAT(refusal.what, HasSubstr("is larger than 8 MiB"));
}

TEST(Yaml, KeysMustBeTexts) {
  EXPECT_THAT(error_of("? [a, b]\n: 1\n"), HasSubstr("a key must be a plain text"));
  EXPECT_THAT(error_of("? {a: b}\n: 1\n"), HasSubstr("a key must be a plain text"));
  EXPECT_THAT(error_of("<<: {a: b}\n"), HasSubstr("merge keys ('<<') are not supported"));
}

TEST(Yaml, OneDocumentOnly) {
  EXPECT_THAT(error_of("a: 1\n---\nb: 2\n"), HasSubstr("a second document"));
}

TEST(Yaml, BinaryFilesAreRefused) {
  EXPECT_THAT(error_of(std::string("a: 1\n\0b", 7)), HasSubstr("a.yaml:2:1: not a text file"));
}

TEST(Yaml, VariablesMayStandUnquotedInFlowGroups) {
  const plan::ConfigNode root = plan::parse_yaml("data: {path: ${HERE:-a/b}, size: 4}\n", "a.yaml");
  const plan::ConfigNode& data = root.find("data")->value;
  EXPECT_EQ(data.find("path")->value.text, "${HERE:-a/b}");
  EXPECT_EQ(plan::place("a.yaml", data.find("size")->mark), "a.yaml:1:28");
}

}  // namespace
}  // namespace stepbench::testing

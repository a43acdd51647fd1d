// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/yaml_document.h"

#include "harness/base/error.h"
#include "tests/testing.h"
#include "tests/unit/plan/fixture.h"

namespace stepbench::testing {
namespace {

std::string error_of(const std::string& text) {
  return test::error_of<ConfigError>([&] { (void)plan::parse_yaml(text, "a.yaml"); });
}

TEST(Yaml, Marks_AreLineAndColumnFromOne) {
  const plan::ConfigNode root = plan::parse_yaml("a: 1\nb:\n  c: [x, y]\n", "a.yaml");
  const plan::ConfigNode& list = root.find("b")->value.find("c")->value;
  EXPECT_EQ(plan::place("a.yaml", list.items[1].mark), "a.yaml:3:10");
  EXPECT_EQ(plan::place("a.yaml", root.find("b")->mark), "a.yaml:2:1");
}

TEST(Yaml, Error_HasAPlace) {
  const std::pair<std::string, const char*> kWrong[] = {
      {"a: [1, 2\nb: 3\n", "a.yaml:2"},
      {"a: b: c\n", "a.yaml:1:5: YAML syntax"},
      {"a: \"open\n", "YAML syntax"},
      {"a: *nowhere\n", "a.yaml:1:4: YAML syntax"},
      {"a: 1\na: 2\n", "a.yaml:2:1: repeated key 'a'"},
      {"x: {a: 1, a: 2}\n", "a.yaml:1:11: repeated key 'a'"},
      {"x: [{a: {b: 1, b: 1}}]\n", "repeated key 'b'"},
      {"a: &x [*x]\n", "an alias inside the value that it names"},
      {"? [a, b]\n: 1\n", "a key must be a plain text"},
      {"? {a: b}\n: 1\n", "a key must be a plain text"},
      {"<<: {a: b}\n", "merge keys ('<<') are not supported"},
      {"a: 1\n---\nb: 2\n", "a second document"},
      {std::string("a: 1\n\0b", 7), "a.yaml:2:1: not a text file"},
      {"a: " + std::string(100, '[') + std::string(100, ']'), "nested deeper than 32 levels"}};
  for (const auto& [text, what] : kWrong) EXPECT_THAT(error_of(text), HasSubstr(what)) << text;
  EXPECT_FALSE(error_of("a: " + std::string(100'000, '[')).empty());
  EXPECT_FALSE(error_of("a: " + std::string(100'000, '{')).empty());
}

TEST(Yaml, Alias_IsExpanded) {
  const plan::ConfigNode root = plan::parse_yaml("a: &x {b: 1}\nc: *x\n", "a.yaml");
  EXPECT_EQ(root.find("c")->value.find("b")->value.text, "1");
}

TEST(Yaml, AliasBomb_IsRejectedUpFront) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) bomb += (k == 0 ? "" : ", ") + alias;
    bomb += "]\n";
  }
  EXPECT_THAT(error_of(bomb), HasSubstr("the file expands to more than 1000000 values"));
}

TEST(Yaml, Variables_MayBeUnquotedInFlowGroups) {
  const plan::ConfigNode root = plan::parse_yaml("data: {path: ${HERE:-a/b}, size: 4}\n", "a.yaml");
  const plan::ConfigNode& data = root.find("data")->value;
  EXPECT_EQ(data.find("path")->value.text, "${HERE:-a/b}");
  EXPECT_EQ(plan::place("a.yaml", data.find("size")->mark), "a.yaml:1:28");
}

}  // namespace
}  // namespace stepbench::testing

# SPDX-License-Identifier: Apache-2.0
"""Names: one per type, a namespace per room, and the form of a test's name: names_test.py PUBLIC_HEADERS"""
import re
import sys
import unittest

from source_tree import CODE, part_of, sources, text_of

PUBLIC = set(open(sys.argv.pop(1)).read().split())

# What a header defines outside of functions and other types.
TYPE = re.compile(r"(?m)^(?:struct|class|enum class|enum|union) (?:\[\[[^\]]*\]\] ?)?(\w+)(?: final)?"
                  r"(?: ?[:{][^;\n]*)?$|^using (\w+) =")
DECLARES = re.compile(r"(?:class|struct|enum class) \w+(?: : [\w:]+)?;|template <|//|}|$")
HEADERS = [file for file in sources(*CODE) if file.endswith(".h")]


def types_in(text):
    return {name or alias for name, alias in TYPE.findall(text)}


def namespaces_in(text):
    """[(name, whether it only declares types)]: class X; struct Y; enum class Z : int;"""
    blocks = re.split(r"(?m)^namespace (stepbench[\w:]*) \{$", text)
    return [(name, all(DECLARES.match(line) for line in block.split("\n")))
            for name, block in zip(blocks[1::2], blocks[2::2])]


def namespace_of(file):
    """That of its room; that of the commands is cli."""
    part = part_of(file)
    return "stepbench::cli" if part == "tools/stepbench" else "::".join(["stepbench", *part.split("/")[1:]])


class Names(unittest.TestCase):
    def test_each_type_is_defined_in_one_header(self):
        defined = {}
        for file in HEADERS:
            for name in types_in(text_of(file)):
                self.assertEqual(defined.setdefault(name, file), file, f"both define {name}")
        self.assertGreater(len(defined), 500)

    def test_room_names_are_in_the_rooms_namespace(self):
        for file in HEADERS:
            if file.startswith("harness/base/"):
                continue
            home = namespace_of(file)
            for name, only_declares in namespaces_in(text_of(file)):
                at_home = (f"{name}::".startswith(home + "::") or file.endswith("/fields.h")  # found next to its struct
                           or file in PUBLIC and name == "stepbench")
                self.assertTrue(at_home or only_declares, f"{file} opens {name}: only declarations may stand there")

    def test_test_is_subject_condition_result(self):
        names = [(file, f"{subject}.{rest}") for file in sources("tests")
                 for subject, rest in re.findall(r"(?m)^TEST(?:_F|_P)?\((\w+), (\w+)\)", text_of(file))]
        for file, name in names:
            self.assertLessEqual(len(name), 50, f"{file}: {name}")
            self.assertIn("_", name, file)
        self.assertGreater(len(names), 2000)

    def test_definitions_and_namespaces_are_found(self):
        self.assertEqual(
            types_in("struct A {\nclass B final : public X {\nenum class C : std::uint8_t {\ntemplate <typename T>\n"
                     "class D {\nusing E = int;\nclass [[nodiscard]] F {\nclass G;\n  struct H {\nenum class I : int;\n"
                     "using std::string;\n"), set("ABCDEF"))
        self.assertEqual(
            namespaces_in("namespace stepbench::a {\nclass X;\nenum class Y : int;\n}  // namespace\n"
                          "namespace stepbench::b {\nint f();\n}\n"), [("stepbench::a", True), ("stepbench::b", False)])


if __name__ == "__main__":
    unittest.main()

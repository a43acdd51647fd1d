# SPDX-License-Identifier: Apache-2.0
"""Unused functions are deleted. Works on text without a compiler: a function is used if its name occurs more often than
in its declaration and definition."""
import collections
import re
import unittest

from source_tree import CODE, ROOT, sources, text_of

# Used only by tests, with a reason.
FOR_TESTS = {"outstanding", "unyielded"}  # promises of the dispatcher at every moment

# A type and a name without a call or an initialiser, up to the bracket.
DECLARATION = re.compile(r"""(?m)^ *(?!(?:return|throw|case|using|else|new|if|for)\b)"""
                         r"""[^=.\-?"(\n ][^=.\-?"(\n]*[ *&]([a-z]\w*)\(""")


def code_of(text):
    return re.sub(r"//[^\n]*", "", text)


def words_of(code):
    return collections.Counter(re.findall(r"\w+", code))


def is_defined_in(code, name):
    """Whether the first occurrence of the function in a source is its definition: "Type Class::name(" at the beginning
    of a line."""
    found = re.search(rf"(?m)^(.*)\b{name}\(", code)
    return bool(found) and found[1] != "" and found[1][0] != " " and "(" not in found[1]


class Dead(unittest.TestCase):
    def test_each_header_function_is_used(self):
        code = {file: code_of(text_of(file)) for file in sources(*CODE)}
        words = {file: words_of(text) for file, text in code.items()}
        everywhere = sum(words.values(), collections.Counter())
        for file in (ROOT / "tools/examples").rglob("*.cpp"):  # programs of users, which call what is installed
            everywhere += words_of(code_of(file.read_text()))
        checked = 0
        for file, text in code.items():
            for name in set(DECLARATION.findall(text)) if file.endswith(".h") else ():
                checked += 1
                elsewhere = everywhere[name] - words[file][name]
                if words[file][name] > 1 or elsewhere > 1 or name in FOR_TESTS:
                    continue
                dead = elsewhere == 0 or any(is_defined_in(source, name) for other, source in code.items()
                                             if other != file and words[other][name])
                self.assertFalse(dead, f"{file}: nobody calls {name}")
        self.assertGreater(checked, 1500)

    def test_declared_functions_are_found(self):
        self.assertEqual(
            set(DECLARATION.findall(
                "[[nodiscard]] int a();\n  static std::vector<int>& b(int x) {\n"
                "inline const char* c() { return e(); }\n  return f();\n  g(1);\n  x = h(2);\nvoid X::i() {\n"
                "std::int64_t d(\n")), set("abcd"))
        self.assertTrue(is_defined_in("int X::a() {\n  return b();\n}\n", "a"))
        self.assertFalse(is_defined_in("int X::a() {\n  return b();\n}\n", "b"))


if __name__ == "__main__":
    unittest.main()

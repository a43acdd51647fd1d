# SPDX-License-Identifier: Apache-2.0
"""A file includes what declares the names of other rooms that it uses. The tests by day compile the files of a room as
one, where an include of another file is enough; most presets compile each by itself. Works on text without a compiler."""
import collections
import functools
import re
import unittest

from source_tree import CODE, reached_from, sources, text_of


def code_of(text):
    return re.sub(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"', "", text)


def words_of_namespaces(text):
    """{"json": words of its blocks}, by the last part of the namespace."""
    words = collections.defaultdict(set)
    blocks = re.split(r"(?m)^namespace stepbench((?:::\w+)*) \{$", code_of(text))
    for name, block in zip(blocks[1::2], blocks[2::2]):
        words[name.rpartition("::")[2]].update(re.findall(r"(?<![\w:])\w+", block))
    return words


@functools.cache
def words_of_header(file):
    return words_of_namespaces(text_of(file))


def missing_in(text, reached, declared):
    """Returns the "room::name" that a header declares, but neither the text itself nor a reached one."""
    names = set(re.findall(r"(?<![\w:])(?:stepbench::)?(\w+)::(\w+)", code_of(text)))
    known = [words_of_namespaces(text), *map(words_of_header, reached)]
    return sorted(f"{room}::{name}" for room, name in names
                  if name in declared.get(room, ()) and not any(name in words.get(room, ()) for words in known))


class Includes(unittest.TestCase):
    def test_name_of_a_room_is_declared_by_an_include(self):
        declared = collections.defaultdict(set)
        for header in sources(*CODE):
            for room, words in words_of_header(header).items() if header.endswith(".h") else ():
                declared[room] |= words
        self.assertGreater(len(declared), 25)
        for file in sources(*CODE, "tests"):
            missing = missing_in(text_of(file), reached_from(file), declared)
            self.assertEqual(missing, [], f"{file} includes nothing that declares it")

    def test_missing_include_is_found(self):
        text = "// text::a\nint x = text::wrap(text::lines);\nnamespace stepbench::text {\nclass lines;\n}\n"
        header = "harness/text/words.h"
        declared = {"text": {"wrap", "lines", "a"}}
        self.assertEqual(missing_in(text, set(), declared), ["text::wrap"])
        self.assertEqual(missing_in(text, {header}, declared), [])
        self.assertIn(header, reached_from("harness/text/words.cpp"))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""Finds the symbol versions that an ELF file requires, and replaces them by older ones if the library provides both.

A program linked on Debian 12 requires the newest version of each function. Two of these have an equivalent older
version, and only they keep the wheel from running on machines of 2021 (manylinux_2_34)."""
import re
import struct
import subprocess

# version: (older version, functions with both). hypot of 2.35 sets errno by itself; wait() of 3.4.30 is that of 3.4.11
# declared noexcept.
OLDER = {
    "GLIBC_2.35": ("GLIBC_2.2.5", {"hypot"}),
    "GLIBCXX_3.4.30": ("GLIBCXX_3.4.11", {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE"}),
}


def needed_versions(file):
    """Returns the names of versions: {"GLIBC_2.34", "GLIBCXX_3.4.29", ...}."""
    shown = subprocess.run(["readelf", "--version-info", "--wide", file], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"Name: ((?:GLIBC|GLIBCXX|CXXABI|GCC)_[0-9.]+)", shown))


def newest(versions, of):
    """Returns the newest version of a library as numbers, (2, 34); (0,) if there is none."""
    numbers = [tuple(map(int, name.partition("_")[2].split("."))) for name in versions if name.startswith(of + "_")]
    return max(numbers, default=(0,))


def elf_hash(name):
    value = 0
    for byte in name.encode():
        value = (value << 4) + byte
        high = value & 0xF0000000
        value = (value ^ (high >> 24)) & ~high
    return value


class Elf:
    """The tables of a 64-bit little-endian ELF file, found by their section names."""

    def __init__(self, data):
        self.data = data
        table, = struct.unpack_from("<Q", data, 40)
        size, count, names = struct.unpack_from("<HHH", data, 58)
        headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
        strings = headers[names][4]
        self.sections = {self.text(strings + header[0]): (header[4], header[5]) for header in headers}

    def text(self, at):
        return self.data[at:self.data.index(0, at)].decode()

    def functions_of(self, index):
        """Returns the functions that use the version with this index."""
        versions, size = self.sections[".gnu.version"]
        symbols, names = self.sections[".dynsym"][0], self.sections[".dynstr"][0]
        found = set()
        for i in range(size // 2):
            if struct.unpack_from("<H", self.data, versions + 2 * i)[0] & 0x7FFF == index:
                found.add(self.text(names + struct.unpack_from("<I", self.data, symbols + 24 * i)[0]))
        return found

    def needs(self):
        """Yields each needed version: offset of its entry, index, name."""
        at, _ = self.sections.get(".gnu.version_r", (0, 0))
        while at:
            count, auxiliary, following = struct.unpack_from("<HxxxxII", self.data, at + 2)
            entry = at + auxiliary
            for _ in range(count):
                _, _, index, name, step = struct.unpack_from("<IHHII", self.data, entry)
                yield entry, index, self.text(self.sections[".dynstr"][0] + name)
                entry += step
            at = at + following if following else 0

    def name_offset(self, name):
        """Returns the offset of a name in the string table, or None."""
        begin, size = self.sections[".dynstr"]
        at = self.data.find(b"\0" + name.encode() + b"\0", begin, begin + size)
        return None if at < 0 else at + 1 - begin


def ask_for_older(file):
    """Rewrites the file in place; versions without an older equivalent stay."""
    data = bytearray(file.read_bytes())
    elf = Elf(data)
    for entry, index, name in list(elf.needs()):
        older, functions = OLDER.get(name, ("", set()))
        if not older or not elf.functions_of(index) <= functions:
            continue
        offset = elf.name_offset(older)
        if offset is None:  # overwrite its own name, if the length is the same
            offset = elf.name_offset(name)
            if len(older) != len(name):
                continue
            begin = elf.sections[".dynstr"][0] + offset
            data[begin:begin + len(name)] = older.encode()
        struct.pack_into("<I", data, entry, elf_hash(older))
        struct.pack_into("<I", data, entry + 8, offset)
    file.write_bytes(data)

# SPDX-License-Identifier: Apache-2.0
"""Shards as read by webdataset 1.0 and by us: the same samples in the same order, or both reject them.

    webdataset_rules.py STEPBENCH"""
import io
import json
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
sys.modules["torch"] = None  # takes seconds, and is not needed here
try:
    import webdataset
except ImportError:
    print("webdataset is not installed here")
    sys.exit(77)

CONFIG = """
workload: loader
data: {{kind: webdataset, path: {path}, image_size: 8, augment: false}}
loader: {{batch_size: 1, num_workers: 0, epochs: separate}}
"""


class Shards(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        root = pathlib.Path(cls.folder.name)
        subprocess.run([PROGRAM, "data", "make", "webdataset", "--shards", "1", "--images", "1", "--width", "40", "--height", "30", "--out", root / "one"],
                       check=True, stdout=subprocess.DEVNULL)
        with tarfile.open(next((root / "one").glob("*.tar"))) as made:
            cls.jpeg = next(made.extractfile(each).read() for each in made if each.name.endswith(".jpg"))

    def write(self, members):
        """members: (name, content or a type of tarfile, more fields of TarInfo)."""
        shard = pathlib.Path(self.folder.name) / "shard.tar"
        with tarfile.open(shard, "w", format=self.format) as out:
            for name, content, more in members:
                info = tarfile.TarInfo(name)
                for field, value in more.items():
                    setattr(info, field, value)
                info.size = len(content)
                out.addfile(info, io.BytesIO(content))
        return shard

    def theirs(self, shard):
        try:
            data = webdataset.WebDataset(str(shard), shardshuffle=False, empty_check=False).to_tuple("jpg;jpeg", "cls")
            return [int(label) for _, label in data]
        except Exception as error:  # pylint: disable=broad-except
            return type(error).__name__

    def ours(self, shard):
        config = shard.with_suffix(".yaml")
        config.write_text(CONFIG.format(path=shard))
        done = subprocess.run([PROGRAM, "data", "show", config, "--format", "json", "--samples", "100"],
                              capture_output=True, text=True, check=False)
        if done.returncode:
            self.said = done.stderr
            return "the data set is empty" if "has no batch" in done.stderr else "refused"
        shown = json.loads(done.stdout)
        return [each["label"] for each in shown["first_samples"]]

    def agree(self, members, words=""):
        shard = self.write(members)
        theirs, ours = self.theirs(shard), self.ours(shard)
        names = [(name, len(content)) for name, content, _ in members]
        if theirs == []:
            self.assertEqual(ours, "the data set is empty", (names, getattr(self, "said", "")))
        elif isinstance(theirs, str):
            self.assertEqual(ours, "refused", (theirs, names))
            self.assertIn(words, self.said)
        else:
            self.assertEqual(ours, theirs, (names, getattr(self, "said", "")))

    format = tarfile.PAX_FORMAT

    def sample(self, key, label, image=".jpg"):
        return [(key + image, self.jpeg, {}), (key + ".cls", str(label).encode(), {})]

    def test_files_of_macs_and_editors_are_skipped(self):
        two = [*self.sample("0001", 1), *self.sample("0002", 2)]
        for extra in ("./._0001.jpg", "./.DS_Store", ".DS_Store", ".gitkeep", "README", "./README", "__meta__", "__index__/x.json",
                      "__info__.json", "._0001.jpg", "dir/.hidden", "dir.x/.hidden", "a/b.c/.hidden", "a.b//.hidden", "/.hidden", "a/./.hidden",
                      "__MACOSX/._0001.jpg", "__MACOSX/0003.txt", "Thumbs.db", "d.x\n/0003.txt", "____", "__a__"):
            for place in (0, 1, 2, 4):
                members = [*two]
                members.insert(place, (extra, b"x", {}))
                with self.subTest(extra, place=place):
                    self.agree(members)

    def test_links_and_folders_are_skipped(self):
        two = [*self.sample("./a/0001", 1), *self.sample("./a/0002", 2)]
        for kind in (tarfile.DIRTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE):
            with self.subTest(kind):
                self.agree([("./a/0000.jpg", b"", {"type": kind, "linkname": "./a/0001.jpg"}), *two])

    def test_labels_with_blanks_are_read(self):
        for text in (b"7\n", b" 7 \r\n", b"+7", b"07", b"-7", b"7.0", b"", b"seven"):
            with self.subTest(text):
                shard = self.write([("1.jpg", self.jpeg, {}), ("1.cls", text, {})])
                try:
                    wanted = [int(text)] if int(text) >= 0 else "refused"
                except ValueError:
                    wanted = "refused"
                self.assertEqual(self.ours(shard), wanted)

    def test_keys_end_at_the_first_dot(self):
        self.agree([("cam0.2024.05.00.jpg", self.jpeg, {}), ("cam0.2024.05.00.cls", b"1", {})],
                   "it has .2024.05.00.jpg, .2024.05.00.cls; a key ends at the first dot")
        self.agree([*self.sample("1", 1), ("1.seg.png", b"x", {})])
        self.agree(self.sample("a.b/1", 3))
        self.agree(self.sample("1", 3, ".JPG"))
        self.agree(self.sample("1", 3, ".jpeg"))

    def test_duplicate_name_is_refused(self):
        self.agree([*self.sample("1", 1), ("1.cls", b"2", {})], "has a .cls already")
        self.agree([*self.sample("1", 1), ("1.JPG", self.jpeg, {})], "has a .jpg already")
        self.agree([*self.sample("1", 1), ("1.json", b"{}", {}), ("1.json", b"{}", {})], "has a .json already")

    def test_incomplete_sample_lists_its_parts(self):
        self.agree([("1.png", b"x", {}), ("1.cls", b"1", {})], "sample '1' has no .jpg entry; it has .png, .cls")
        self.agree([("1.jpg", self.jpeg, {}), ("2.jpg", self.jpeg, {}), ("1.cls", b"1", {}), ("2.cls", b"2", {})],
                   "apart from it: `tar --sort=name`")

    def test_empty_image_is_not_called_missing(self):
        self.assertEqual(self.ours(self.write([("1.jpg", b"", {}), ("1.cls", b"1", {})])), "refused")
        self.assertIn("sample '1': its image is empty", self.said)

    def test_samples_marked_bad_are_skipped(self):
        self.agree([*self.sample("1", 1), ("1.__bad__", b"1", {}), *self.sample("2", 2)])
        self.agree([*self.sample("1", 1), ("1.__bad__", b"", {}), *self.sample("2", 2)])

    def test_long_and_foreign_names_are_read(self):
        for self.format in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
            self.agree([*self.sample("d" * 150 + "/" + "n" * 60, 1), *self.sample("größe/2", 2)])

    def test_random_shards_are_read_alike(self):
        random.seed(63)
        folders = ("", "./", "a/", "a.b/", "./a/", "a/b.c/", "__x__/", "../")
        bases = ("1", "2", "3", ".h", "._1", "__m__", "README", "x y")
        ends = (".jpg", ".jpg", ".cls", ".cls", ".JPEG", ".txt", ".seg.png", "", ".", ".__bad__")
        for number in range(40):
            self.format = random.choice((tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT))
            members, label = [], 0
            for _ in range(random.randint(1, 5)):
                if random.random() < .7:
                    label += 1
                    members += self.sample(f"{random.choice(folders[:6])}s{label}", label, random.choice((".jpg", ".JPG", ".jpeg")))
                if random.random() < .5:
                    name = random.choice(folders) + random.choice(bases) + random.choice(ends)
                    content = self.jpeg if name.lower().endswith(("jpg", "jpeg")) else b"5"
                    members.insert(random.randint(0, len(members)), (name, content, {}))
            with self.subTest(number):
                self.agree(members)


if __name__ == "__main__":
    unittest.main(verbosity=2)

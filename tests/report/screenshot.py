#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes results/sample/report.png, the picture of the committed sample's report: screenshot.py STEPBENCH SOURCE_DIR

Needs chromium, and selenium and Pillow of tests/requirements.txt.
"""
import io
import pathlib
import subprocess
import sys
import tempfile

from browser import Page, browser
from PIL import Image

WIDTH, HEIGHT = 1200, 1590
MOST_BYTES = 200_000


def main():
    program, source = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    driver = browser(f"--window-size={WIDTH},{HEIGHT}", "--hide-scrollbars", logs=True)
    try:
        with tempfile.TemporaryDirectory() as folder:
            page_file, picture = pathlib.Path(folder) / "report.html", pathlib.Path(folder) / "report.png"
            subprocess.run([program, "report", "results/sample", "--output", page_file], check=True, cwd=source)
            page = Page(driver, page_file)
            page.command("Emulation.setDeviceMetricsOverride", width=WIDTH, height=HEIGHT, deviceScaleFactor=1,
                         mobile=False)
            page.draw_visible()
            page.run("window.scrollTo(0, 0)")
            page.picture(picture)
            image = Image.open(io.BytesIO(picture.read_bytes())).convert("RGB").quantize(128)
    finally:
        driver.quit()
    file = source / "results/sample/report.png"
    image.save(file, optimize=True)
    if file.stat().st_size > MOST_BYTES:
        sys.exit(f"{file}: {file.stat().st_size:,} bytes, more than {MOST_BYTES:,}")
    print(f"{file}: {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

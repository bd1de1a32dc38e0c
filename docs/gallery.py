"""Makes the pictures of docs/gallery.md by its own commands; run by ``make gallery``.

A picture ``images/gallery/NAME.svg`` is what the commands write as ``gallery/NAME.svg``, and
``NAME.webp`` the page ``gallery/NAME.html`` in a browser, or the page at the address that stands
above it. If there is no browser, pictures of pages stay as they are.
"""

import base64
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "gallery.md"
DRAWN = "[...document.querySelectorAll('.pair section > div')].every((one) => one.innerHTML)"


def steps(text: str) -> list[str]:
    """Return the commands of a page, block by block."""
    return re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def pictures(text: str) -> dict[str, str]:
    """Return what each picture of a page shows, by its path in ``images/gallery``."""
    shown = re.findall(
        r"(?:`gallery/([^`#]+#[^`]+)`:\n\n)?!\[[^]]*\]\(\S*images/gallery/(\S+)\)", text
    )
    return {path: place or path.replace(".webp", ".html") for place, path in shown}


def main() -> None:
    """Run the commands in a folder with the project's data, and keep pictures of what they make."""
    sys.path.append(str(DOCS.parent / "tests"))
    from helpers import browser  # type: ignore[import-not-found]

    text, program = PAGE.read_text("utf-8"), browser.program()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        (home / "datasets").symlink_to(DOCS.parent / "datasets")
        for step in steps(text):
            subprocess.run(
                ["sh", "-exc", step], cwd=home, check=True, env={**os.environ, "PATH": path}
            )
        chromium = program and stack.enter_context(browser.browser(program))
        for picture, shown in pictures(text).items():
            place, _, address = shown.partition("#")
            made, target = home / "gallery" / place, DOCS / "images" / "gallery" / picture
            target.parent.mkdir(parents=True, exist_ok=True)
            if made.suffix == ".svg":
                shutil.copy(made, target)
            elif chromium:
                chromium.size(1120, 860)
                chromium.open(made, f"#{address}")
                chromium.wait(DRAWN)
                chromium.run("new Promise((done) => setTimeout(done, 1000))")
                shot = chromium.call("Page.captureScreenshot", format="webp", quality=75)
                target.write_bytes(base64.b64decode(shot["data"]))
        charts = {str(one.relative_to(home / "gallery")) for one in home.rglob("*.svg")}
    if unseen := charts - pictures(text).keys():
        sys.exit(f"Charts that docs/gallery.md does not show: {', '.join(sorted(unseen))}")
    if not program:
        print(f"Pictures of pages are as they were: none of {', '.join(browser.NAMES)} was found.")


if __name__ == "__main__":
    main()

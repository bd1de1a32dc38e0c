"""Makes the pictures of docs/gallery.md by its own commands; run by ``make gallery``.

A picture ``images/gallery/NAME.svg`` is what the commands write as ``gallery/NAME.svg``, and
``NAME.webp`` the page ``gallery/NAME.html`` in a browser. If there is no browser, pictures of pages
stay as they are.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parent
PAGE = DOCS / "gallery.md"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--window-size=1120,860", "--virtual-time-budget=5000"),
)


def steps(text: str) -> list[str]:
    """Return the commands of a page, block by block."""
    return re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def pictures(text: str) -> list[Path]:
    """Return the paths of the gallery's pictures that a page shows, from docs on."""
    return [Path(found) for found in re.findall(r"(?<=\()images/gallery/[^)]+", text)]


def main() -> None:
    """Run the commands in a folder with the project's data, and keep pictures of what they make."""
    text = PAGE.read_text("utf-8")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        (home / "datasets").symlink_to(DOCS.parent / "datasets")
        for step in steps(text):
            subprocess.run(
                ["sh", "-exc", step], cwd=home, check=True, env={**os.environ, "PATH": path}
            )
        for picture in pictures(text):
            made, target = home / picture.relative_to("images"), DOCS / picture
            target.parent.mkdir(parents=True, exist_ok=True)
            if picture.suffix == ".svg":
                shutil.copy(made, target)
            elif browser:
                page = made.with_suffix(".html").as_uri()
                profile = f"--user-data-dir={home}/profile"
                shot = [browser, *FLAGS, profile, f"--screenshot={target}", page]
                subprocess.run(shot, check=True, stderr=subprocess.DEVNULL)
    if not browser:
        print(f"Pictures of pages are as they were: none of {', '.join(BROWSERS)} was found.")


if __name__ == "__main__":
    main()

"""A headless Chromium, controlled over a pipe by the DevTools protocol."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--remote-debugging-pipe", "--hide-scrollbars"),
)
PATIENCE = 120  # seconds, for a machine under load


class Browser:
    """A browser with one page; ``said`` holds the errors and requests of that page."""

    def __init__(self, program):
        self.folder = tempfile.mkdtemp(prefix="alignframe-browser-")
        to_child, self.out = os.pipe()
        self.into, from_child = os.pipe()
        # The browser reads from file descriptor 3, and writes to 4.
        high = [os.dup(to_child), os.dup(from_child)]
        ends = [fd if fd > 4 else os.dup(fd) for fd in high]

        def place():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={self.folder}"],
            preexec_fn=place,
            close_fds=False,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for fd in {to_child, from_child, *high, *ends}:
            os.close(fd)
        self.rest, self.number, self.session, self.said = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        """Close the browser, and remove its files."""
        self.process.terminate()
        self.process.wait(30)
        os.close(self.out)
        os.close(self.into)
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **given):
        """Call a method of the protocol, and return its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": given}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + PATIENCE
        while True:
            found = self._next(until)
            if found.get("id") == self.number:
                assert "error" not in found, found
                return found["result"]
            self._note(found)

    def _next(self, until):
        while b"\0" not in self.rest:
            assert select.select([self.into], [], [], max(0, until - time.monotonic()))[0], "silent"
            piece = os.read(self.into, 1 << 16)
            assert piece, "the browser has ended"
            self.rest += piece
        one, _, self.rest = self.rest.partition(b"\0")
        return json.loads(one)

    def _note(self, event):
        kind, given = event.get("method"), event.get("params", {})
        if kind == "Runtime.exceptionThrown":
            details = given["exceptionDetails"]
            self.said.append(details.get("exception", details).get("description", str(details)))
        elif kind == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning"):
            self.said.append(str(given["args"]))
        elif kind == "Page.javascriptDialogOpening":
            self.said.append(f"dialog: {given['message']}")
        elif kind == "Network.requestWillBeSent":
            url = given["request"]["url"]
            if not url.startswith(("file:", "data:", "about:", "blob:")):
                self.said.append(f"request: {url}")

    def run(self, script):
        """Return the result of a script; promises are awaited."""
        found = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def size(self, width, height=900, scheme="light"):
        """Set the width and the colour scheme of the page."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", features=features)

    def open(self, path, address=""):
        """Open a file at an address, and wait until it is displayed."""
        self.said.clear()
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=Path(path).resolve().as_uri() + address)
        self.wait("document.readyState === 'complete'")

    def wait(self, condition):
        """Wait until a condition holds."""
        until = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({condition})"):
            assert time.monotonic() < until, f"never so: {condition}; {self.said}"
            time.sleep(0.02)

    def press(self, key, code=0):
        """Press a key."""
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}),
            )

    def picture(self, path):
        """Write a screenshot of the page."""
        found = self.call("Page.captureScreenshot")
        Path(path).write_bytes(base64.b64decode(found["data"]))


def of_node(package):
    """Return the folder of a package of Node in one of NODE_PATH, or None; Node is needed, too."""
    folders = os.environ.get("NODE_PATH", "").split(os.pathsep) if shutil.which("node") else []
    return next((Path(one) for one in folders if one and Path(one, package).is_dir()), None)


def program():
    """Return the path of a browser, or None if there is none."""
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@contextlib.contextmanager
def browser(path):
    """Start a browser, and close it in the end."""
    started = Browser(path)
    try:
        yield started
    finally:
        started.close()

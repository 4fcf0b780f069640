# SPDX-License-Identifier: MIT
"""A headless Chromium without network, driven by its debugging pipe: windows of any width, both colour schemes."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
from typing import Any

LONGEST_WAIT = 120  # seconds until it has ended
HIGHEST_PICTURE = 16_000  # pixels


def is_there() -> bool:
    return shutil.which("chromium") is not None


class Browser:
    """One tab of one browser. A context manager: the browser ends with it."""

    def __init__(self) -> None:
        self.profile = tempfile.TemporaryDirectory(prefix="reprise_chromium_", ignore_cleanup_errors=True)
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        arguments = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe",
                     f"--user-data-dir={self.profile.name}", "--host-resolver-rules=MAP * ~NOTFOUND"]
        # Chromium reads commands from descriptor 3 and answers on descriptor 4.
        script = f'exec "$@" 3<&{read_commands} 4>&{write_answers}'
        self.process = subprocess.Popen(["bash", "-c", script, "chromium", *arguments], pass_fds=(read_commands, write_answers),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(read_commands)
        os.close(write_answers)
        self.received, self.last, self.session = b"", 0, ""
        self.events: list[dict] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for part in ("Page", "Runtime", "Network"):
            self.ask(f"{part}.enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.commands)
        os.close(self.answers)
        self.process.kill()
        self.process.wait(LONGEST_WAIT)
        self.profile.cleanup()

    def message(self) -> dict:
        while b"\0" not in self.received:
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise RuntimeError("chromium ended")
            self.received += more
        text, self.received = self.received.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method: str, **parameters: object) -> dict:
        self.last += 1
        command = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            command["sessionId"] = self.session
        data = json.dumps(command).encode() + b"\0"
        while data:
            data = data[os.write(self.commands, data):]
        while True:
            told = self.message()
            if told.get("id") == self.last:
                if "error" in told:
                    raise RuntimeError(f"{method}: {told['error']['message']}")
                return told["result"]
            self.events.append(told)

    def open(self, page: pathlib.Path | str, width: int = 1400, height: int = 900, dark: bool = False,
             scripts: bool = True) -> None:
        """Loads a page in a window of this size. `events` holds what happened since."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme])
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.events.clear()
        self.ask("Page.navigate", url=page if isinstance(page, str) else page.resolve().as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.message())

    def run(self, script: str) -> Any:
        """The value of an expression in the page, or of the promise that it is."""
        told = self.ask("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in told:
            details = told["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description") or details["text"])
        return told["result"].get("value")

    def script_errors(self) -> list[str]:
        thrown = [event["params"]["exceptionDetails"] for event in self.events
                  if event.get("method") == "Runtime.exceptionThrown"]
        return [details.get("exception", {}).get("description") or details["text"] for details in thrown]

    def requests(self) -> list[str]:
        """What the page asked for beside itself."""
        asked = [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]
        return [url for url in asked[1:] if not url.startswith("data:")]

    def screenshot(self, file: pathlib.Path, whole: bool = False) -> None:
        parts: dict[str, object] = {}
        if whole:
            size = self.ask("Page.getLayoutMetrics")["cssContentSize"]
            height = min(size["height"], HIGHEST_PICTURE)
            clip = {"x": 0, "y": 0, "width": size["width"], "height": height, "scale": 1}
            parts = {"captureBeyondViewport": True, "clip": clip}
        told = self.ask("Page.captureScreenshot", **parts)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(base64.b64decode(told["data"]))

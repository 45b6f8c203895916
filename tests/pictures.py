"""Film the front page's scene for the README: `make pictures`. Commit what it writes."""

import functools
import http.server
import io
import threading
from pathlib import Path

from PIL import Image

from tests.browser.lab import running_browser

ROOT = Path(__file__).parents[1]
SITE = ROOT / "build" / "site"
PICTURE = ROOT / "notebooks" / "images" / "scene.webp"
SIZE = {"width": 1400, "height": 900}  # of the page
WIDTH = 1000  # of the picture
HALFWAY, SETTLED = 120, 260  # ms after a step, while its lines grow, and when they stand
READS, WORD, LAST = 500, 170, 3000  # ms for which a frame stays


def main() -> None:
    """Film the built site, and write the picture."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        frames, durations = film(f"http://127.0.0.1:{server.server_port}/")
        server.shutdown()
    first, *others = frames
    first.save(PICTURE, save_all=True, append_images=others, duration=durations, loop=0, quality=70)
    print(f"{PICTURE.relative_to(ROOT)}: {len(frames)} frames, {PICTURE.stat().st_size:,} bytes")


def film(address: str) -> tuple[list[Image.Image], list[int]]:
    """Return the frames of the scene, and the milliseconds for which each stays."""
    frames, durations = [], []

    def take(duration: int) -> None:
        image = Image.open(io.BytesIO(page.locator("#scene").screenshot()))
        height = round(image.height * WIDTH / image.width)
        frames.append(image.convert("RGB").resize((WIDTH, height), Image.Resampling.LANCZOS))
        durations.append(duration)

    with running_browser() as browser:
        page = browser.new_page(viewport=SIZE, device_scale_factor=2)
        page.goto(address)
        page.wait_for_selector(".scene.done")
        page.locator("#scrub").fill("0")
        page.wait_for_timeout(SETTLED)
        take(READS)
        for _ in range(int(page.locator("#scrub").get_attribute("max"))):
            page.get_by_role("button", name="One word on").click()
            page.wait_for_timeout(HALFWAY)
            take(WORD)
            page.wait_for_timeout(SETTLED)
            take(WORD)
    durations[-1] = LAST
    return frames, durations


if __name__ == "__main__":
    main()

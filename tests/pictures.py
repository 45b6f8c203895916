"""Film the front page's scene for the README, and take two pictures: of a check, and for links.

`make pictures` runs this. Commit what it writes.
"""

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
WIDTH = 1000  # of the film
CHECK = ROOT / "notebooks" / "images" / "check.webp"
PREVIEW = ROOT / "docs" / "site" / "_static" / "scene.jpg"
PREVIEW_SIZE = (1200, 630)  # in which a link is shown elsewhere
HALFWAY, SETTLED = 120, 260  # ms after a step, while its lines grow, and when they stand
READS, WORD, LAST = 500, 170, 3000  # ms for which a frame stays


def main() -> None:
    """Film the built site, and write the pictures."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=SITE)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        frames, durations = film(address)
        preview(address)
        picture_check(address)
        server.shutdown()
    first, *others = frames
    first.save(PICTURE, save_all=True, append_images=others, duration=durations, loop=0, quality=70)
    print(f"{PICTURE.relative_to(ROOT)}: {len(frames)} frames, {PICTURE.stat().st_size:,} bytes")


def film(address: str) -> tuple[list[Image.Image], list[int]]:
    """Return the frames of the scene, and the milliseconds for which each stays."""
    frames, durations = [], []

    def take(duration: int) -> None:
        panels = page.locator("#scene .panels")  # a film with buttons would look like a player
        image = Image.open(io.BytesIO(panels.screenshot()))
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


def preview(address: str) -> None:
    """Write a picture of the page's first sight, once the scene is done."""
    with running_browser() as browser:
        page = browser.new_page(viewport=SIZE)
        page.emulate_media(reduced_motion="reduce")
        page.goto(address)
        page.wait_for_selector(".scene.done")
        image = Image.open(io.BytesIO(page.screenshot()))
    width, height = PREVIEW_SIZE
    image = image.convert("RGB").crop((0, 0, image.width, round(image.width * height / width)))
    image.resize(PREVIEW_SIZE, Image.Resampling.LANCZOS).save(PREVIEW, quality=85)


def picture_check(address: str) -> None:
    """Write a picture of what a check says of a softmax along the wrong axis."""
    with running_browser() as browser:
        page = browser.new_page(viewport=SIZE, device_scale_factor=2)
        page.goto(address)
        place = page.locator(".check")
        place.scroll_into_view_if_needed()
        page.wait_for_selector("[data-module=heads_explorer][data-alive]")  # no more moves it
        image = Image.open(io.BytesIO(place.screenshot()))
    image.convert("RGB").save(CHECK, quality=80)


if __name__ == "__main__":
    main()

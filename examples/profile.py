"""A profile with a name, a bio and an avatar, moderated in one call; and the pictures that a reviewer would look at.

    pip install "seemly[image,ocr]"
    python examples/profile.py [FOLDER]

Given a folder, it writes found.png there, the avatar with what was found in it outlined, and covered.png. It prints:

    review severity_review
    personal_information, in avatar
    toxicity, in bio
    jo@example.com stands in avatar, 84% down
    avatar was not looked at for gore, ...
"""

import io
import sys
from pathlib import Path

from PIL import Image as Pillow
from PIL import ImageDraw, ImageFont

from seemly import Channel, Engine, Image, Object, PolicySettings
from seemly.adapters.images.blur import cover
from seemly.adapters.images.draw import draw_boxes, find_boxes
from seemly.adapters.images.pixels import read_frames


def draw_avatar() -> Pillow.Image:
    """A picture with an address in it, as people put them where a filter of texts doesn't look."""
    picture = Pillow.new("RGB", (900, 600), (232, 239, 247))
    pen = ImageDraw.Draw(picture)
    pen.ellipse((330, 60, 570, 300), fill=(190, 207, 230))
    pen.ellipse((220, 320, 680, 760), fill=(190, 207, 230))
    pen.text((240, 470), "jo@example.com", fill=(20, 20, 20), font=ImageFont.load_default(56))
    return picture


def encode(picture: Pillow.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def main() -> None:
    avatar = encode(draw_avatar())
    bio = "I collect stamps, and I hate idiots like you"
    channel = Channel(key="profiles", policies=(PolicySettings("spam", enabled=False),))
    result = Engine(channel).moderate(Object({"name": "Jo", "bio": bio, "avatar": Image(avatar)}))
    print(result.recommendation.action, *result.recommendation.reason_codes)
    for policy in result.policies:
        if policy.flagged:
            print(f"{policy.id}, in {', '.join(policy.flagged_fields)}")
    for match in result["personal_information"].matches:
        if match.box is not None:
            _, top, _, height = match.box
            print(f"{match.match} stands in {match.field}, {top + height / 2:.0%} down")
    for media in result.media:
        print(media.field, "was not looked at for", ", ".join(media.uncovered))
    for failure in result.errors:
        print(failure.id, failure.message)
    if len(sys.argv) > 1:
        # Boxes are of the picture as the engine reads it: turned as its camera was held.
        folder, pixels = Path(sys.argv[1]), next(read_frames(avatar)).pixels
        boxes = list(find_boxes(result, "avatar"))
        Pillow.fromarray(draw_boxes(pixels, boxes)).save(folder / "found.png")
        Pillow.fromarray(cover(pixels, [box for box, _ in boxes])).save(folder / "covered.png")


if __name__ == "__main__":
    main()

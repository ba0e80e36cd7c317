"""Drawn scenes of 48x48 grey pixels: half of them hold a person, all of them other things.

Everything is an ellipse or a thick line over a background that changes slowly, blurred and in noise.
"""

import numpy as np

SIDE = 48
Y, X = np.mgrid[0:SIDE, 0:SIDE].astype(np.float32)


def line(image, start, end, width, grey):
    """A line with round ends, as y, x in pixels."""
    start, end = np.asarray(start, np.float32), np.asarray(end, np.float32)
    along = end - start
    length = max(float(along @ along), 1e-6)
    t = np.clip(((Y - start[0]) * along[0] + (X - start[1]) * along[1]) / length, 0, 1)
    image[(Y - start[0] - t * along[0]) ** 2 + (X - start[1] - t * along[1]) ** 2 < (width / 2) ** 2] = grey


def ellipse(image, center, radii, grey):
    image[((Y - center[0]) / radii[0]) ** 2 + ((X - center[1]) / radii[1]) ** 2 < 1] = grey


def person(image, random):
    """Head, trunk, two arms and two legs, each limb of two bones."""
    height = random.uniform(26, 44)
    bone = height / 7
    hip = np.array([random.uniform(height * 0.55, SIDE - height * 0.3), random.uniform(10, SIDE - 10)])
    lean = random.normal(0, 0.12)
    neck = hip - 2.4 * bone * np.array([np.cos(lean), np.sin(lean)])
    behind = float(np.median(image))
    grey, skin = (behind + random.choice((-1, 1), 2) * random.uniform(0.3, 0.7, 2)) % 1
    width = bone * random.uniform(0.7, 1)
    for joint, spread, size in ((hip, 0.35, 1.5), (neck + [bone * 0.3, 0], 0.7, 1.15)):
        for side in (-1, 1):
            upper = side * random.uniform(0.1, spread) + random.normal(0, 0.2)
            lower = upper + random.normal(0, 0.3)
            middle = joint + size * bone * np.array([np.cos(upper), np.sin(upper)])
            line(image, joint, middle, width * 0.8, grey)
            line(image, middle, middle + size * bone * np.array([np.cos(lower), np.sin(lower)]), width * 0.7, grey)
    line(image, neck + [bone * 0.4, 0], hip, width * 1.9, grey)
    ellipse(image, neck - [bone * 0.55, 0], (bone * 0.75, bone * 0.6), skin)


def thing(image, random):
    """A ball, a pole, a box, a tree or a lamp."""
    y, x = random.uniform(8, SIDE - 4, 2)
    size = random.uniform(4, 14)
    grey, other = random.uniform(0, 1, 2)
    kind = random.integers(5)
    if kind == 0:
        ellipse(image, (y, x), (size / 2, size / 2 * random.uniform(0.6, 1.6)), grey)
    elif kind == 1:
        line(image, (y - size * 1.3, x), (y + size * 1.3, x + random.normal(0, 2)), random.uniform(1, 4), grey)
    elif kind == 2:
        image[int(y - size / 2) : int(y + size / 2), max(0, int(x - size / 2)) : int(x + size / 2)] = grey
    elif kind == 3:
        line(image, (y, x), (y + size * 1.5, x), size / 5, grey)
        ellipse(image, (y - size / 3, x), (size * 0.9, size * 0.6), other)
    else:
        line(image, (y, x), (y + size * 1.8, x), size / 8, grey)
        ellipse(image, (y, x), (size / 3, size / 3), other)


def scene(random):
    """An image in 0..1 and whether a person is in it."""
    image = random.uniform(0, 1) + (Y * random.normal(0, 0.2) + X * random.normal(0, 0.2)) / SIDE
    image = image.astype(np.float32)
    if random.uniform() < 0.6:
        image[int(random.uniform(24, 44)) :] += random.normal(0, 0.2)
    for _ in range(random.integers(1, 4)):
        thing(image, random)
    here = int(random.integers(2))
    if here:
        person(image, random)
    near = (image + np.roll(image, 1, 0) + np.roll(image, 1, 1) + np.roll(image, (1, 1), (0, 1))) / 4
    noisy = near + random.normal(0, random.uniform(0.01, 0.05), near.shape)
    return np.clip(noisy, 0, 1).astype(np.float32), here


def scenes(count, random):
    """Images as u8[count, 48, 48] and whether each holds a person."""
    pairs = [scene(random) for _ in range(count)]
    images = np.stack([np.round(image * 255) for image, _ in pairs])
    return images.astype(np.uint8), np.array([here for _, here in pairs], np.uint8)

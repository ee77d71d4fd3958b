"""Repeated random sequences: a block of letters, then the same block again, as JSON for import-dataset.

A block has 6 to 14 different letters, so where it begins again can be seen from the letters alone. The model is
asked for the second block from its second letter on: for each of them it must find the letter before, in the first
block, and write what follows there.
"""
import argparse
import json
import random
import string

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--letters", type=int, default=40)
parser.add_argument("--shortest", type=int, default=6)
parser.add_argument("--longest", type=int, default=14)
parser.add_argument("--train", type=int, default=20000)
parser.add_argument("--val", type=int, default=500)
parser.add_argument("--test", type=int, default=1000)
parser.add_argument("--seed", type=int, default=641)
options = parser.parse_args()

letters = string.ascii_letters[: options.letters]
draw = random.Random(options.seed)
seen = set()


def sample():
    while True:
        length = draw.randint(options.shortest, options.longest)
        block = "".join(draw.sample(letters, length))
        if block not in seen:
            break
    seen.add(block)
    return {
        "input": 2 * block,
        "input_roles": [f"{part}{i}" for part in "AB" for i in range(length)],  # A0 A1 … B0 B1 …
        "asked": length * [0] + [0] + (length - 1) * [1],
        "groups": {"block": length},
    }


places = range(options.longest)
print(json.dumps({
    "vocabulary": list(letters),
    "roles": [f"{part}{i}" for part in "AB" for i in places],
    # The position that writes B3 should attend to A3, which is what it must write.
    "relations": {"prefix_matching": [[f"B{i}", f"A{i}"] for i in places[1:]]},
    "train": [sample() for _ in range(options.train)],
    "val": [sample() for _ in range(options.val)],
    "test": [sample() for _ in range(options.test)],
}))

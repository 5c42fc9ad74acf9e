#!/usr/bin/env python3
"""Reference model of scaleToD of the article "Scaling Audio Files", in plain Python.

Scales the article's array of 16 samples to every length from 1 to 40. Prints a JSON object with the
Int16 results with and without smoothstep. Asserts the figures that the article itself prints, for
lengths 9 and 10.
"""
import json
import math

SEED = [3, 5, 1, 8, 4, 56, 33, 4, 77, 42, 84, 25, 12, 6, 13, 15]


def smoothstep(t: float) -> float:
    return t * t * (3.0 - 2.0 * t)


def control_points(count: int, length: int, smoothly: bool) -> list[float]:
    """Returns `length` read positions, in frames, rising from 0 to count-1."""
    if smoothly and length > count:
        if count == 1:
            return [0.0] * length
        denominator = (length - 1) / (count - 1)
        points = []
        for i in range(length):
            x = i / denominator
            points.append(math.floor(x) + smoothstep(x - math.floor(x)))
    else:
        step = 0.0 if length == 1 else (count - 1) / (length - 1)
        points = [i * step for i in range(length)]
    if length > 1:
        points[-1] = float(count - 1)
    return points


def scale(samples: list[int], length: int, smoothly: bool) -> list[int]:
    padded = samples + [0]
    out = []
    for p in control_points(len(samples), length, smoothly):
        b = int(p)
        a = p - b
        out.append(round(padded[b] + a * (padded[b + 1] - padded[b])))  # halves to even
    return out


if __name__ == "__main__":
    assert scale(SEED, 10, True) == [3, 2, 7, 56, 14, 65, 84, 16, 8, 15]
    assert scale(SEED, 9, True) == [3, 2, 5, 42, 40, 58, 22, 7, 15]
    print(json.dumps({
        "samples": SEED,
        "cases": [{"length": n, "linear": scale(SEED, n, False), "smooth": scale(SEED, n, True)}
                  for n in range(1, 41)],
    }, indent=1))

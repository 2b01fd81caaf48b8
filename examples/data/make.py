"""Writes the example files beside this script, with NumPy: python examples/data/make.py"""

from pathlib import Path

import numpy as np

here = Path(__file__).parent
rng = np.random.default_rng(2026)

# A thousand readings of three thermometers, in degrees Celsius.
base = 20.5 + 3 * np.sin(np.arange(1000) / 159)
np.save(here / "measurements.npy", (base[:, None] + rng.normal(0, 0.3, (1000, 3))).astype("<f4"))

# A log of records, as np.dtype packs them.
events = np.zeros(200, dtype=[("time", "<M8[ms]"), ("sensor", "<U8"), ("value", "<f8"), ("valid", "?")])
events["time"] = np.datetime64("2026-01-01T00:00", "ms") + np.arange(200) * np.timedelta64(1500, "ms")
events["sensor"] = np.array(["north", "south", "café"])[np.arange(200) % 3]
events["value"] = rng.normal(20.5, 2, 200).round(3)
events["valid"] = rng.random(200) > 0.05
np.save(here / "events.npy", events)

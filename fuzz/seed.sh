#!/usr/bin/env bash
# Copies the files of tests/corpus into the corpora of the fuzz targets.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

for target in header npy; do
    mkdir -p "corpus/$target"
    cp ../tests/corpus/npy/*.npy "corpus/$target/"
done
# Descrs by themselves, some bytes after each.
mkdir -p corpus/descr
python3 - <<'PYTHON'
import pathlib, re

for path in pathlib.Path("../tests/corpus/npy").glob("*.npy"):
    header = path.read_bytes().decode("latin-1")
    descr = re.search(r"""['"]descr['"]\s*:\s*(.*?),\s*['"](?:fortran_order|shape)['"]""", header, re.DOTALL)
    if descr:
        pathlib.Path("corpus/descr", path.stem).write_bytes(descr[1].encode() + b"\0" + bytes(range(1, 120)))
PYTHON
echo "$(find corpus -type f | wc -l) seeds"

#!/usr/bin/env bash
# Copies the files of tests/corpus into the corpora of the fuzz targets, whole, and cut at the end of the header.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

for target in header npy; do
    mkdir -p "corpus/$target"
    cp ../tests/corpus/npy/*.npy "corpus/$target/"
done
echo "$(find corpus -type f | wc -l) seeds"

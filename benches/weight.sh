#!/usr/bin/env bash
# What npymap brings along, against safetensors: crates in the tree, itself included, and CPU seconds of a cold
# release build. A cold build is one into an empty folder, with the sources already there.
#
#   benches/weight.sh [RUNS]      the least of so many builds, 3 by default
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

runs=${1:-3}
npymap=$PWD
mkdir -p "${CARGO_TARGET_DIR:-target}"
scratch=$(mktemp -d "$(realpath "${CARGO_TARGET_DIR:-target}")/weight.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
export CARGO_TERM_COLOR=never

# A project that depends on one thing, written as in Cargo.toml.
project() {
    mkdir -p "$scratch/$1/src"
    : >"$scratch/$1/src/lib.rs"
    printf '[workspace]\n[package]\nname = "weight"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n%s\n' "$2" \
        >"$scratch/$1/Cargo.toml"
    # The tree says which crates are of this platform; it downloads them too.
    (cd "$scratch/$1" && cargo tree --quiet --edges no-dev --prefix none --no-dedupe) >"$scratch/$1/tree"
}

# User and system seconds of a command and its children. What it prints is shown if it fails.
cpu_seconds() {
    local TIMEFORMAT='%U %S'
    { time "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log" >&3; exit 1; }; } 3>&2 2>&1 |
        awk '{ printf "%.1f\n", $1 + $2 }'
}

row() {
    local name=$1 run crates least
    # The first line is the project itself.
    crates=$(sed 1d "$scratch/$name/tree" | sed 's/ (\*)$//' | sort -u | wc -l)
    least=$(for ((run = 0; run < runs; run++)); do
        rm -rf "$scratch/$name/built"
        cpu_seconds cargo build --release --offline --manifest-path "$scratch/$name/Cargo.toml" \
            --target-dir "$scratch/$name/built"
    done | sort -n | head -n 1)
    printf '%-28s %8s %12s\n' "$name" "$crates" "$least"
}

all=$(cargo metadata --no-deps --format-version 1 | python3 -c '
import json, sys
package = next(p for p in json.load(sys.stdin)["packages"] if p["name"] == "npymap")
print(json.dumps([f for f in package["features"] if f != "default"]))')

project "npymap-default" "npymap = { path = \"$npymap\" }"
project "npymap-all-features" "npymap = { path = \"$npymap\", features = $all }"
project "npymap-no-features" "npymap = { path = \"$npymap\", default-features = false }"
project "safetensors-0.8" 'safetensors = "0.8"'
project "ndarray-npy-0.10" 'ndarray-npy = "0.10"'
project "npyz-0.9" 'npyz = "0.9"'

printf '%-28s %8s %12s\n' "" crates "CPU seconds"
for name in npymap-default npymap-no-features npymap-all-features safetensors-0.8 ndarray-npy-0.10 npyz-0.9; do
    row "$name"
done

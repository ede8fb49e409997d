#!/bin/sh
# Builds the commit that is checked out twice, in two folders, and compares every byte of the two distributions.
# The argument is where make build leaves them, which follows from its FLAVOUR.
set -eu
dist=${1:-target/sluice}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for name in first second/below; do
  mkdir -p "$work/$name"
  git archive HEAD | tar -x -C "$work/$name"
  (cd "$work/$name" && make build)
  (cd "$work/$name/$dist" && find . -type f -exec sha256sum {} + | sort -k 2) >"$work/$(basename "$name").sums"
done
diff "$work/first.sums" "$work/below.sums" || { echo "two builds of one commit differ in these files" >&2; exit 1; }
echo "two builds of $(git rev-parse --short HEAD) are identical: $(wc -l <"$work/first.sums") files"

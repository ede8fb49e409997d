#!/bin/sh
# Prints the share of lines and branches that the tests ran, of each package below dev.sluice and of
# all: coverage.sh JACOCO.CSV
awk -F, 'NR > 1 {
  split($2, name, ".")
  package = name[3] == "" ? "dev.sluice" : name[3]
  count(package); count("all")
}
function count(of) { branch[of] += $7; branches[of] += $6 + $7; line[of] += $9; lines[of] += $8 + $9 }
function share(part, whole) { return whole ? 100 * part / whole : 100 }
END {
  for (of in lines) {
    printf "%-12s %6d lines %5.1f %%   branches %5.1f %%\n",
      of, lines[of], share(line[of], lines[of]), share(branch[of], branches[of]) | "sort -k2n"
  }
}' "$1"

#!/bin/sh
# Fails when 512-bit registers are used outside functions that only the avx512 table reaches.
# Usage: check-symbols.sh FILE...   (object, archive, shared library or addon with symbols; x86-64)
# Such a function anywhere else would end the process with SIGILL on CPUs without AVX-512.
set -eu

command -v objdump > /dev/null || { echo "check-symbols: objdump is not installed" >&2; exit 2; }
[ $# -gt 0 ] || { echo "usage: check-symbols.sh FILE..." >&2; exit 2; }

objdump -d --no-show-raw-insn "$@" | awk '
  /^[0-9a-f]+ <.*>:$/ { name = $2 }
  /%zmm/ { wide[name] = 1 }
  END {
    bad = 0
    for (name in wide) {
      count++
      if (tolower(name) !~ /avx512/) { print "512-bit registers in " name; bad = 1 }
    }
    if (!bad) print "check-symbols: " count + 0 " functions with 512-bit registers, all of avx512"
    exit bad
  }'
